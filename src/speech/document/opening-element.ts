/** An element as its start tag shows it. */
export class OpeningElement {
  /** In lower case. */
  readonly name: string;
  /** Names in lower case; only those that somebody looks at. */
  readonly attributes: ReadonlyMap<string, string>;
  #classes: ReadonlySet<string> | undefined;

  constructor(name: string, attributes: ReadonlyMap<string, string>) {
    this.name = name;
    this.attributes = attributes;
  }

  get classes(): ReadonlySet<string> {
    this.#classes ??= new Set((this.attributes.get('class') ?? '').match(/[^\s]+/g) ?? []);
    return this.#classes;
  }

  /** Its `role`, in lower case. */
  get role(): string | undefined {
    return this.attributes.get('role')?.trim().toLowerCase();
  }
}
