import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

/** Describes the machine in one line. */
export function describeMachine(): string {
  const all = cpus();
  const model = all[0]?.model.replace(/\s+/g, ' ').trim() ?? 'unknown processor';
  const gigabytes = Math.round(totalmem() / 1e9);
  const system = /PRETTY_NAME="(.*)"/.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'Linux';
  return `${all.length} × ${model}, ${gigabytes} GB, ${system}, Bun ${Bun.version}`;
}
