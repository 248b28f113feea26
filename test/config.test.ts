import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { readConfig } from '../src/config.ts';
import { AppError } from '../src/errors.ts';
import { createTemporaryFolder, runCommand } from './fixtures/server.ts';

async function writeConfig(toml: string): Promise<string> {
  const data = createTemporaryFolder();
  await Bun.write(join(data, 'lectern.toml'), toml);
  return data;
}

/** @returns the lines of the error that settings cause */
function listProblems(flags: Parameters<typeof readConfig>[0], environment: NodeJS.ProcessEnv = {}) {
  try {
    readConfig(flags, environment);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return error instanceof AppError ? error.message.split('\n') : [];
  }
}

describe('the settings', () => {
  test('have defaults', () => {
    expect(readConfig({}, {})).toMatchObject({
      ...{ host: '127.0.0.1', port: 8080, baseUrl: undefined, isReachable: false },
      ...{ maxContentLength: 500_000, maxQueuedPosts: 20_000, maxQueuedPostsPerSite: 10_000 },
      ...{ bodyMemoryMb: 64, bodyRatePeriodS: 10, eventsPerAddress: 2_000, maxAccountFailuresPerMinute: 10 },
      ...{ publicRequestsPerAddress: undefined, eventQuotaSharePercent: undefined },
      ...{ oldAudioRetentionHours: 24, data: join(process.cwd(), 'data') },
      voices: join(process.cwd(), 'data', 'voices'),
      voiceMirror: 'https://huggingface.co/rhasspy/piper-voices/resolve/main',
    });
  });

  test('are read from flags, then variables, then the config file', async () => {
    const data = await writeConfig('port = 1001\nworkers = 3\nlog_level = "warn"');
    const variables = { LECTERN_DATA: data, LECTERN_WORKERS: '5', LECTERN_PORT: '1002' };
    const config = readConfig({ port: '1003' }, variables);
    expect(config).toMatchObject({ data, port: 1003, workers: 5, logLevel: 'warn' });
  });

  test('are read from the config file of LECTERN_CONFIG', async () => {
    const folder = await writeConfig('port = 1001');
    const path = join(folder, 'lectern.toml');
    expect(readConfig({}, { LECTERN_CONFIG: path }).port).toBe(1001);
    expect(listProblems({}, { LECTERN_CONFIG: join(folder, 'none.toml') })).toEqual([
      expect.stringContaining('none.toml'),
    ]);
    expect(listProblems({}, { LECTERN_CONFIG: folder })).toEqual([
      expect.stringContaining(`config file ${folder} cannot be read: EISDIR`),
    ]);
  });

  test('accept a base URL with a path, but no query and no other scheme', () => {
    const readBaseUrl = (input: string) => readConfig({ base_url: input }, {}).baseUrl;
    expect(readBaseUrl('https://audio.example.org/tts/')).toBe('https://audio.example.org/tts');
    expect(readBaseUrl('http://[::1]:8080')).toBe('http://[::1]:8080');
    for (const invalidInputs of ['audio.example.org', 'ftp://a.example', 'https://a.example/?b', 'http://']) {
      expect(listProblems({ base_url: invalidInputs })).toHaveLength(1);
    }
  });

  test('ignore the variables that Kubernetes sets for a Service named lectern', () => {
    const serviceLinks = {
      LECTERN_SERVICE_HOST: '10.96.0.1',
      LECTERN_SERVICE_PORT: '8080',
      LECTERN_SERVICE_PORT_HTTP: '8080',
      LECTERN_SERVICE_PORT_METRICS_2: '9090',
      LECTERN_PORT: 'tcp://10.96.0.1:8080',
      ...Object.fromEntries(
        ['TCP', 'UDP', 'SCTP'].flatMap((protocol) => {
          const prefix = `LECTERN_PORT_8080_${protocol}`;
          const scheme = protocol.toLowerCase();
          return [
            [prefix, `${scheme}://10.96.0.1:8080`],
            [`${prefix}_PROTO`, scheme],
            [`${prefix}_PORT`, '8080'],
            [`${prefix}_ADDR`, '10.96.0.1'],
          ];
        }),
      ),
    };
    expect(readConfig({}, serviceLinks).port).toBe(8080);
    expect(readConfig({ port: '1003' }, serviceLinks).port).toBe(1003);
    expect(readConfig({}, { ...serviceLinks, LECTERN_PORT: '1004' }).port).toBe(1004);
    expect(
      listProblems({}, { LECTERN_SERVICE_NAME: 'x', LECTERN_PORT_8080: 'x', LECTERN_PORT: 'http://x' }),
    ).toHaveLength(3);
  });

  test('detect whether other machines can reach the server', () => {
    const isReachable = (host: string) => readConfig({ host }, {}).isReachable;
    expect(['127.0.0.1', 'localhost', '::1'].map(isReachable)).toEqual([false, false, false]);
    expect(['0.0.0.0', '::', '10.0.0.7'].map(isReachable)).toEqual([true, true, true]);
  });

  test('can contain a bucket, whose secret can be in a file', async () => {
    const data = await writeConfig('');
    const path = join(data, 'secret');
    await Bun.write(path, 'from-file\n');
    const keys = { LECTERN_SOUND_KEY: 'key', LECTERN_SOUND_SECRET_FILE: path };
    const endpoint = 's3://sound?endpoint=https://s3.example.org/&region=eu-central-1';
    expect(readConfig({ data }, { ...keys, LECTERN_SOUND: endpoint })).toMatchObject({
      sound: { name: 'sound', url: 'https://s3.example.org/sound', region: 'eu-central-1' },
      ...{ soundKey: 'key', soundSecret: 'from-file' },
    });
    const aws = readConfig({ data }, { ...keys, LECTERN_SOUND: 's3://sound?region=eu-west-1' });
    expect(aws.sound?.url).toBe('https://sound.s3.eu-west-1.amazonaws.com');
    for (const invalidInputs of [
      's3://sound',
      's3://sound/folder?region=eu-west-1',
      'https://s3.example.org',
      's3://a?region=b&c=d',
    ]) {
      expect(listProblems({ data }, { ...keys, LECTERN_SOUND: invalidInputs })).toEqual([
        expect.stringContaining('LECTERN_SOUND: expected an address such as s3://'),
      ]);
    }
    expect(listProblems({ data }, { LECTERN_SOUND: endpoint })).toEqual([
      expect.stringContaining('LECTERN_SOUND: needs LECTERN_SOUND_KEY and LECTERN_SOUND_SECRET'),
    ]);
    const missing = listProblems({ data }, { LECTERN_SOUND_SECRET_FILE: `${path}-2` });
    expect(missing).toEqual([
      `LECTERN_SOUND_SECRET_FILE: file ${path}-2 cannot be read. Check its name and permissions.`,
    ]);
  });

  test('can contain the token of the metrics in a file', async () => {
    const path = join(await writeConfig(''), 'token');
    await Bun.write(path, 'correct-horse\n');
    expect(readConfig({}, { LECTERN_METRICS_TOKEN_FILE: path }).metricsToken).toBe('correct-horse');
  });

  test('allow other machines only with a database that they can use', () => {
    expect(listProblems({}, { LECTERN_SYNTHESIS: 'off' })).toEqual([
      'synthesis: off needs LECTERN_DATABASE, so that `lectern speak` generates the posts',
    ]);
    expect(listProblems({}, { LECTERN_SYNTHESIS: 'off', LECTERN_DATABASE: 'postgres://a@b/c' })).toEqual([]);
  });

  test('can contain a database, whose URL can be in a file and is not printed', async () => {
    const data = await writeConfig('');
    const path = join(data, 'address');
    await Bun.write(path, 'postgres://a:secret@b/c\n');
    expect(readConfig({ data }, { LECTERN_DATABASE_FILE: path }).database).toBe('postgres://a:secret@b/c');
    expect(
      listProblems({ data }, { LECTERN_DATABASE_FILE: path, LECTERN_DATABASE: 'postgres://a:secret@other/c' }),
    ).toEqual(['LECTERN_DATABASE: LECTERN_DATABASE_FILE is set, too. Remove one of them.']);
    await Bun.write(path, 'mysql://a:secret@b/c\n');
    expect(listProblems({ data }, { LECTERN_DATABASE_FILE: path })).toEqual([
      'LECTERN_DATABASE_FILE: expected an address such as postgres://user:password@db.example.org/lectern, got another value',
    ]);
    // A misspelled parameter would switch TLS off.
    const accepted = 'postgresql://a:secret@b/c?host=/run/postgresql&port=5433&sslmode=verify-full&sslrootcert=/ca.pem';
    expect(readConfig({}, { LECTERN_DATABASE: accepted }).database).toBe(accepted);
    expect(listProblems({}, { LECTERN_DATABASE: 'postgres://a:secret@b/c?ssl_mode=require' })).toEqual([
      'LECTERN_DATABASE: expected an address without parameters other than host, port, options, sslmode, sslrootcert, sslcert, sslkey, sslnegotiation, uselibpqcompat, got another value',
    ]);
    expect(listProblems({}, { LECTERN_DATABASE: 'postgres://a:secret@b/c?sslmode=verify' })).toEqual([
      'LECTERN_DATABASE: expected an address with one of these values of sslmode: disable, prefer, require, verify-ca, verify-full, no-verify, got another value',
    ]);
  });

  test('that are invalid or unknown are reported together, with their source', async () => {
    const data = await writeConfig('port = "high"\ncolour = "red"\nlog_level = "loud"');
    const flags = { data, workers: '0', base_url: 'nonsense' };
    const variables = {
      ...{ LECTERN_HOST: '', LECTERN_POTR: '1', LECTERN_OLD_AUDIO_HOURS: '-1', PATH: '/bin' },
    };
    expect(listProblems(flags, variables)).toEqual([
      'LECTERN_POTR: unknown setting',
      'colour in the config file: unknown setting',
      'LECTERN_HOST: expected a non-empty value, got ""',
      'port in the config file: expected a whole number from 0 to 65535, got "high"',
      '--base-url: expected an http(s) URL such as https://audio.example.org, got "nonsense"',
      '--workers: expected a whole number from 1 to 256, got "0"',
      'log_level in the config file: expected one of debug, info, warn, error, silent, got "loud"',
      'LECTERN_OLD_AUDIO_HOURS: expected a whole number from 0 to 100000, got "-1"',
    ]);
  });

  test.each(['1e3', '0x10', '1.5', ' ', '80 80', '65536', '-1', '99999999999999999999'])('reject port %j', (port) => {
    expect(listProblems({ port })).toEqual([
      `--port: expected a whole number from 0 to 65535, got ${JSON.stringify(port)}`,
    ]);
  });

  test('that are invalid end the program with exit code 2 before any write', async () => {
    const data = join(createTemporaryFolder(), 'untouched');
    const { code, stdout, stderr } = await runCommand(['serve', '--data', data, '--port', 'x'], {
      env: { LECTERN_WORKERS: 'many', LECTERN_COLOUR: 'red' },
    });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'lectern: LECTERN_COLOUR: unknown setting',
      'lectern: --port: expected a whole number from 0 to 65535, got "x"',
      'lectern: LECTERN_WORKERS: expected a whole number from 1 to 256, got "many"',
    ]);
    expect(await Bun.file(join(data, 'lectern.db')).exists()).toBe(false);
  });

  test('in an invalid TOML file are reported in one line with its name', async () => {
    const data = await writeConfig('port = = 1');
    const { code, stderr } = await runCommand(['site', 'list', '--data', data]);
    expect(code).toBe(2);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining(`lectern: config file ${join(data, 'lectern.toml')} is not valid TOML: `),
    ]);
  });
});
