/** The members that differ between two states, as the audit log shows them. */
export interface Difference {
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
}

/** @returns undefined when nothing differs */
export function difference<State extends object>(
  before: State,
  after: State,
): Difference | undefined {
  const now = new Map(Object.entries(after));
  const changed = Object.entries(before).filter(([name, value]) => !isSame(value, now.get(name)));
  if (changed.length === 0) return undefined;
  return {
    before: Object.fromEntries(changed),
    after: Object.fromEntries(changed.map(([name]) => [name, now.get(name)])),
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
