/** An event that must not happen. */
interface Violation {
  /** Time of the first occurrence. */
  readonly atS: number;
  readonly what: string;
  count: number;
}

/** The record of a campaign: counts, durations, faults with their times, and violations. */
export class CampaignRecord {
  readonly counts = new Map<string, number>();
  readonly durationsMs = new Map<string, number[]>();
  readonly faults: { readonly atS: number; readonly what: string }[] = [];
  readonly violations: Violation[] = [];
  readonly #startMs = performance.now();
  readonly #write: (line: string) => void;

  /** @param write receives a line for each fault and violation */
  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  get elapsedS(): number {
    return (performance.now() - this.#startMs) / 1000;
  }

  count(name: string, amount = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + amount);
  }

  measure(name: string, durationMs: number): void {
    const values = this.durationsMs.get(name) ?? [];
    this.durationsMs.set(name, values);
    values.push(durationMs);
  }

  note(what: string): void {
    this.#write(`${this.#time()} ${what}`);
  }

  recordFault(what: string): void {
    this.faults.push({ atS: this.elapsedS, what });
    this.#write(`${this.#time()} fault: ${what}`);
  }

  recordViolation(what: string): void {
    const known = this.violations.find((violation) => violation.what === what);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    this.violations.push({ atS: this.elapsedS, what, count: 1 });
    this.#write(`${this.#time()} VIOLATION: ${what}`);
  }

  #time(): string {
    return `${this.elapsedS.toFixed(1).padStart(7)} s`;
  }
}
