import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../errors.ts';

const barWidth = 30;

/** A stream that a command writes text to. */
type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

/** The parts of the process that commands use. A test runs many commands in one process, each with its own. */
export interface CommandIo {
  /** Undefined: the environment of the process. */
  readonly env: NodeJS.ProcessEnv | undefined;
  readonly stdin: { readonly isTTY: boolean; text(): Promise<string> };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Of a command that ends without an error. */
  exitCode: number;
}

const processIo: CommandIo = {
  env: undefined,
  stdin: {
    // A getter, because reading process.stdin opens it.
    get isTTY() {
      return process.stdin.isTTY;
    },
    text: () => Bun.stdin.text(),
  },
  stdout: process.stdout,
  stderr: process.stderr,
  exitCode: 0,
};
const currentIo = new AsyncLocalStorage<CommandIo>();

/** @returns the streams, environment and exit code of the command that runs */
export function getIo(): CommandIo {
  return currentIo.getStore() ?? processIo;
}

export function runWithIo<T>(io: CommandIo, work: () => T): T {
  return currentIo.run(io, work);
}

/** A bar that is redrawn in place on a terminal, and not shown elsewhere. */
export interface ProgressBar {
  /** @param share 0…1 */
  show(share: number, text: string): void;
  /** Ends the line. */
  finish(): void;
}

export function createProgressBar(): ProgressBar {
  const stream = getIo().stderr;
  let lastLine = '';
  return {
    show: (share, text) => {
      const filled = Math.round(Math.min(1, Math.max(0, share)) * barWidth);
      const percent = `${Math.floor(share * 100)}`.padStart(3);
      const line = `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${percent} %  ${text}`;
      if (!stream.isTTY || line === lastLine) return;
      stream.write(`\r\x1b[K${line}`);
      lastLine = line;
    },
    finish: () => {
      if (stream.isTTY && lastLine !== '') stream.write('\n');
      lastLine = '';
    },
  };
}

/** Writes the result of a command as one JSON value or as lines of text. */
export function printResult(asJson: boolean | undefined, value: unknown, lines: () => string): void {
  getIo().stdout.write(asJson === true ? `${JSON.stringify(value)}\n` : `${lines()}\n`);
}

/** Prints a secret alone on standard output, so that a script can take it. */
export function printSecret(asJson: boolean | undefined, record: object, secret: string, hint: string): void {
  printResult(asJson, record, () => secret);
  if (asJson !== true) getIo().stderr.write(`${hint} now: it is not shown again.\n`);
}

/** Prints one record. @param shown the members in the text form */
export function printRecord(asJson: boolean | undefined, record: object, members: object = record): void {
  printResult(asJson, record, () =>
    Object.entries(members)
      .map(([name, value]) => `${name.padEnd(18)} ${formatMember(value)}`)
      .join('\n'),
  );
}

function formatMember(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-');
}

/** Rows as aligned columns under their names. */
export function formatTable(rows: readonly Record<string, unknown>[], empty: string): string {
  const [first] = rows;
  if (first === undefined) return empty;
  const names = Object.keys(first);
  const cells = rows.map((row) => names.map((name) => formatCell(row[name])));
  const widths = names.map((name, column) => Math.max(name.length, ...cells.map((line) => line[column]?.length ?? 0)));
  return [names.map((name) => name.toUpperCase()), ...cells]
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return toSingleLine(Array.isArray(value) ? value.join(', ') : String(value));
}

/** Names from users and files must not break lines or control the terminal. */
function toSingleLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ');
}

/** @returns what a person gets instead of an error of requests, which does not name the bucket */
export function selectReportedError(error: unknown): unknown {
  return error instanceof AppError && error.cause instanceof AppError ? error.cause : error;
}

/** Prints an error without its stack. @returns the exit code */
export function reportError(thrown: unknown): number {
  const error = selectReportedError(thrown);
  const isOurs = error instanceof AppError;
  const message = isOurs || error instanceof Error ? error.message : String(error);
  const fields = isOurs ? formatProblems(error) : [];
  const details = fields.length === 0 ? '' : `: ${fields.join('; ')}`;
  for (const line of `${message}${details}`.split('\n')) {
    getIo().stderr.write(`lectern: ${toSingleLine(line)}\n`);
  }
  return isOurs && ['bad_setting', 'bad_usage'].includes(error.code) ? 2 : 1;
}

/** Problems of a field, or of a line of a file, are prefixed with its name. */
function formatProblems({ code, fields = {} }: AppError): string[] {
  if (code !== 'validation_failed') return Object.values(fields).flat();
  return Object.entries(fields).flatMap(([name, problems]) => problems.map((problem) => `${name}: ${problem}`));
}

/** @param realTimeFactor seconds of synthesis per second of speech */
export function formatSpeed(realTimeFactor: number): string {
  const speed = 1 / realTimeFactor;
  return `${speed < 10 ? speed.toPrecision(2) : speed.toFixed(0)} × real time`;
}
