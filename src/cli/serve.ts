import type { Command } from 'commander';
import { createSetupLink } from '../auth/users.ts';
import { type Flags, readConfig } from '../config.ts';
import { createCommand } from './commands.ts';
import { getIo, reportError } from './output.ts';
import type { RunningServer } from './start-server.ts';

const duplicateSignalMs = 1_000;
const stopDeadlineMs = 9_000;

/** Flags of the commands that serve; their values are checked with all other settings. */
export interface ServeOptions {
  readonly data?: string;
  readonly json?: boolean;
  readonly host?: string;
  readonly port?: string;
  readonly baseUrl?: string;
  readonly workers?: string;
}

/** `lectern serve` */
export function serveCommand(): Command {
  return addServeOptions(createCommand('serve', 'start the server')).action(serve);
}

export function addServeOptions(to: Command): Command {
  return to
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .option('--port <port>', 'port to listen on (default 8080)')
    .option('--base-url <url>', 'public base URL')
    .option('--workers <n>', 'speech workers (default: one per core)');
}

export function buildServeFlags(options: ServeOptions): Flags {
  const { data, host, port, baseUrl, workers } = options;
  return {
    ...(data === undefined ? {} : { data }),
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...(workers === undefined ? {} : { workers }),
  };
}

async function serve(options: ServeOptions): Promise<void> {
  const config = readConfig(buildServeFlags(options), getIo().env);
  // Loaded when it is needed: other commands start in half the time without it.
  const { startServer } = await import('./start-server.ts');
  const server = await startServer(config);
  stopOnSignal(server);
  if (config.isReachable && config.baseUrl === undefined) {
    getIo().stderr.write(
      `lectern: --base-url is not set: audio URLs start with ${server.baseUrl}. Set --base-url if clients use another address.\n`,
    );
  }
  const { baseUrl, localUrl } = server;
  const setupLink = await createSetupLink(server.database, baseUrl).catch((error: unknown) => {
    // The server takes requests already: a full disk must not end it.
    reportError(error);
    return undefined;
  });
  const seen = baseUrl === localUrl ? '' : ` (public address ${baseUrl})`;
  getIo().stdout.write(
    options.json === true
      ? `${JSON.stringify({ url: baseUrl, local_url: localUrl, setup_url: setupLink })}\n`
      : `Lectern is listening on ${localUrl}${seen}\n${formatSetupHint(setupLink, config.data)}`,
  );
}

/** For the person at the terminal: the link is a secret, and none of the log's. */
function formatSetupHint(setupLink: string | undefined, data: string): string {
  if (setupLink === undefined) return '';
  return `No admin account. Open ${setupLink} within 24 hours, or run: lectern user create --data ${data} --role admin --email YOU\n`;
}

/**
 * The first signal stops cleanly, a later one at once.
 * @returns aborted as soon as the server begins to stop
 */
export function stopOnSignal(server: RunningServer): AbortSignal {
  const stopping = new AbortController();
  let since = 0;
  const stop = (): void => {
    if (stopping.signal.aborted) {
      // One Ctrl-C may come twice: from the terminal, and from whatever started us.
      if (performance.now() - since > duplicateSignalMs) process.exit(1);
      return;
    }
    stopping.abort();
    since = performance.now();
    // Whatever is still in the way then, the rows tell the next start where to go on.
    setTimeout(() => process.exit(0), stopDeadlineMs);
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => process.exit(reportError(error)),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return stopping.signal;
}
