// Preloaded into a server: its clock starts an hour after FROZEN_AT, as old data would be deleted.
const hourMs = 3_600_000;
const RealDate = Date;
const offsetMs = RealDate.parse(process.env['FROZEN_AT'] ?? '') + hourMs - RealDate.now();

globalThis.Date = class extends RealDate {
  constructor(...parts: unknown[]) {
    if (parts.length === 0) super(RealDate.now() + offsetMs);
    else super(...(parts as [number]));
  }

  static override now(): number {
    return RealDate.now() + offsetMs;
  }
} as DateConstructor;
