/** An event that must not happen. */
interface Violation {
  /** Time of the first occurrence. */
  readonly atS: number;
  readonly what: string;
  count: number;
}

/** A part of a campaign, with rules for the requests that begin in it. */
export interface Phase {
  /** Part of the rows of its requests in the report. */
  readonly name: string;
  /** Longest response; undefined: any. */
  readonly maxMs?: number;
  /** Whether each request gets a response other than 5xx. */
  readonly mustSucceed?: boolean;
  /** Kinds of requests that clients give up at a 503, so that they continue with others. */
  readonly unavailable?: RegExp;
}

/** The record of a campaign: counts, durations, faults with their times, and violations. */
export class CampaignRecord {
  readonly counts = new Map<string, number>();
  readonly durationsMs = new Map<string, number[]>();
  readonly faults: { readonly atS: number; readonly what: string }[] = [];
  readonly violations: Violation[] = [];
  phase: Phase | undefined;
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

  /**
   * Judges a request by the phase in which it began.
   * @param problem a 5xx, or no response
   */
  judge({ name, maxMs = Infinity, mustSucceed }: Phase, kind: string, durationMs: number, problem?: string): void {
    this.measure(`${kind}; ${name}`, durationMs);
    this.count(`requests; ${name}`);
    if (durationMs > maxMs) this.recordViolation(`${kind} took longer than ${maxMs} ms; ${name}`);
    if (problem === undefined) return;
    this.count(`5xx and requests without a response; ${name}`);
    if (mustSucceed) this.recordViolation(`${kind}: ${problem}; ${name}`);
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
