import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPlayerSettings } from '../../src/sites/player-settings.ts';
import { defaultFeedSettings } from '../../src/sites/settings.ts';
import { defaultNarrationSettings } from '../../src/speech/narration-settings.ts';
import { isOnPostgres } from '../fixtures/database.ts';
import { createTemporaryFolder, runCommand } from '../fixtures/server.ts';
import { Database } from '../fixtures/sqlite.ts';

const data = createTemporaryFolder();

/** Runs a command that must succeed. @returns its JSON value */
async function runJson<T = Record<string, unknown>>(...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await runCommand([...words, '--data', data, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  return JSON.parse(stdout);
}

/** Runs a command that must fail. @returns its one line */
async function runFailing(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand([...words, '--data', data, '--json']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return stderr.trimEnd();
}

let sites = 0;
function createTestSite() {
  sites += 1;
  return runJson('site', 'create', '--name', `Site ${sites}`, '--domain', `site-${sites}.example`);
}

describe('a site', () => {
  test('is created with all its domains in normalized form', async () => {
    const result = await runJson(
      ...['site', 'create', '--name', ' The Daily Émile ', '--domain', 'WWW.Émile.example.:8443'],
      ...['--domain', 'emile.example', '--domain', 'EMILE.example', '--plan', 'growth'],
    );
    expect(result).toEqual({
      ...{ id: expect.any(Number), slug: 'the-daily-emile', name: 'The Daily Émile' },
      ...{ plan: 'growth', subscription: 'active', trial_ends_at: null, active: true },
      ...{ default_voice_id: null, allow_switch: false, bit_rate_kbps: 64, timings_text: true },
      ...{ audio_retention_days: 0, audio_retention_mb: 0 },
      ...{ extra_voices: [], default_voices: [], time_zone: 'UTC' },
      reading: defaultNarrationSettings,
      feed: defaultFeedSettings,
      player: defaultPlayerSettings,
      ...{ created_at: expect.any(String), updated_at: expect.any(String) },
      domains: ['www.xn--mile-9oa.example', 'emile.example'],
    });
  });

  test('has every feature unless another plan is given', async () => {
    expect(await createTestSite()).toMatchObject({ plan: 'enterprise', subscription: 'active', active: true });
  });

  test('can have a public suffix or an IP address as domain only with --force', async () => {
    const create = (...flags: string[]) => ['site', 'create', '--name', 'Forced', '--domain', 'co.uk', ...flags];
    expect(await runFailing(...create())).toMatch(
      /^lectern: .*co\.uk is a public suffix, under which anyone can have a host/,
    );
    const { id, domains } = await runJson(...create('--force'));
    expect(domains).toEqual(['co.uk']);
    const add = (...flags: string[]) => ['site', 'domain', 'add', String(id), '192.0.2.1', ...flags];
    expect(await runFailing(...add())).toMatch(/^lectern: .*192\.0\.2\.1 is an IP address/);
    expect(await runJson(...add('--force'))).toMatchObject({ domains: ['co.uk', '192.0.2.1'] });
  });

  test('is found by its id and by its slug', async () => {
    const site = await createTestSite();
    expect(await runJson('site', 'show', String(site['id']))).toEqual(site);
    expect(await runJson('site', 'show', String(site['slug']))).toEqual(site);
    expect(await runJson<unknown[]>('site', 'list')).toContainEqual(site);
    const { stdout } = await runCommand(['site', 'show', String(site['id']), '--data', data]);
    expect(stdout).toMatch(new RegExp(`^slug +${site['slug']}$`, 'm'));
  });

  test('with a name in use gets another slug', async () => {
    const create = (name: string, domain: string) => runJson('site', 'create', '--name', name, '--domain', domain);
    const slugs = [
      await create('Twin', 'twin-1.example'),
      await create('Twin', 'twin-2.example'),
      await create('2026', '2026.example'),
      await create('新闻', 'xinwen.example'),
    ].map(({ slug }) => slug);
    expect(slugs).toEqual(['twin', 'twin-2', 'site-2026', 'site']);
  });

  test('is not created with the domain of another site; nothing is stored', async () => {
    await createTestSite();
    const before = await runJson<unknown[]>('site', 'list');
    const line = await runFailing(
      ...['site', 'create', '--name', 'Thief', '--domain', 'thief.example'],
      ...['--domain', `SITE-${sites}.example`],
    );
    expect(line).toBe(`lectern: Domain already registered: site-${sites}.example belongs to another site`);
    expect(await runJson<unknown[]>('site', 'list')).toEqual(before);
  });

  test.each(['two words.example', 'http://a.example', 'a.example/path', '', 'user@a.example'])(
    'is not created with the domain %j',
    async (domain) => {
      const line = await runFailing('site', 'create', '--name', 'A', '--domain', domain);
      expect(line).toBe(`lectern: Validation failed: domain: ${JSON.stringify(domain)} is not a valid host name`);
    },
  );

  test('keeps settings that an update does not contain', async () => {
    const site = await createTestSite();
    await runJson('voice', 'list');
    const changed = await runJson(
      ...['site', 'update', String(site['id']), '--plan', 'starter', '--active', 'false'],
      ...['--subscription', 'trialing', '--trial-ends', '2027-01-02T03:04:05+02:00'],
      ...['--default-voice', '2', '--allow-switch', 'true'],
    );
    const expected = {
      ...{ ...site, plan: 'starter', active: false, subscription: 'trialing' },
      ...{ trial_ends_at: '2027-01-02T01:04:05.000Z', default_voice_id: 2, allow_switch: true },
      updated_at: expect.any(String),
    };
    expect(changed).toEqual(expected);
    const again = await runJson('site', 'update', String(site['slug']), '--active', 'true');
    expect(again).toEqual({ ...expected, active: true });
  });

  test('can get another name, bit rate, extra voices and timings without text', async () => {
    const site = await createTestSite();
    await runJson('voice', 'list');
    const changed = await runJson(
      ...['site', 'update', String(site['id']), '--name', ' New name ', '--bit-rate', '96'],
      ...['--extra-voices', '2,1', '--timings-text', 'false'],
    );
    expect(changed).toEqual({
      ...{ ...site, name: 'New name', bit_rate_kbps: 96, extra_voices: [2, 1] },
      ...{ timings_text: false, updated_at: expect.any(String) },
    });
    const none = await runJson('site', 'update', String(site['id']), '--extra-voices', '');
    expect(none['extra_voices']).toEqual([]);
    const line = await runFailing('site', 'update', String(site['id']), '--extra-voices', '1,77');
    expect(line).toBe('lectern: Voice 77 not found');
    const invalidCommand = ['site', 'update', String(site['id']), '--bit-rate', '63', '--data', data];
    const { code, stderr } = await runCommand(invalidCommand);
    expect([code, stderr]).toEqual([2, expect.stringContaining('must be 32, 40, 48')]);
  });

  test('merges narration settings', async () => {
    const id = String((await createTestSite())['id']);
    const first = await runJson('site', 'update', id, '--reading', '{"outro":"Goodbye."}');
    expect(first['reading']).toEqual({ ...defaultNarrationSettings, outro: 'Goodbye.' });
    const second = await runJson('site', 'update', id, '--reading', '{"speed":1.5}');
    expect(second['reading']).toEqual({
      ...defaultNarrationSettings,
      outro: 'Goodbye.',
      speed: 1.5,
    });
    const invalidCommand = ['site', 'update', id, '--reading', '{"speed":3}', '--data', data];
    const { code, stderr } = await runCommand(invalidCommand);
    expect([code, stderr]).toEqual([2, expect.stringContaining('speed must be at most 2')]);
    const misspelled = await runCommand(['site', 'update', id, '--reading', '{"sped":2}', '--data', data]);
    expect([misspelled.code, misspelled.stderr]).toEqual([2, expect.stringContaining('sped is unknown')]);
    expect(await runFailing('site', 'update', id, '--reading', '{"keep":["h2 + p"]}')).toBe(
      'lectern: Validation failed: reading.keep.0: "h2 + p" is not supported: "+" cannot be evaluated on a start tag',
    );
  });

  test('merges feed settings', async () => {
    const id = String((await createTestSite())['id']);
    await runJson('site', 'update', id, '--feed', '{"author":"The Desk"}');
    const second = await runJson('site', 'update', id, '--feed', '{"enabled":false}');
    expect(second['feed']).toEqual({ ...defaultFeedSettings, author: 'The Desk', enabled: false });
    const invalidCommand = ['site', 'update', id, '--feed', '{"explicit":"no"}', '--data', data];
    const { code, stderr } = await runCommand(invalidCommand);
    expect([code, stderr]).toEqual([2, expect.stringContaining('explicit must be true or false')]);
    expect(await runFailing('site', 'update', id, '--feed', '{"link":"www.example"}')).toBe(
      'lectern: Validation failed: feed.link: must be an http(s) URL',
    );
  });

  test('can get more domains and another primary domain, and lose all but the last', async () => {
    const site = await createTestSite();
    const id = String(site['id']);
    const [first] = site['domains'] as string[];
    const changeDomains = async (...words: string[]) => (await runJson('site', 'domain', ...words))['domains'];
    expect(await changeDomains('add', id, 'WWW.More.example')).toEqual([first, 'www.more.example']);
    expect(await changeDomains('primary', id, 'www.more.example')).toEqual(['www.more.example', first]);
    expect(await changeDomains('remove', id, String(first))).toEqual(['www.more.example']);
    expect(await runFailing('site', 'domain', 'remove', id, 'www.more.example')).toBe(
      'lectern: A site needs at least one domain. Add another domain first.',
    );
    const other = await createTestSite();
    expect(await runFailing('site', 'domain', 'add', String(other['id']), 'www.more.example')).toBe(
      'lectern: Domain already registered: www.more.example belongs to another site',
    );
    expect(await runFailing('site', 'domain', 'remove', id, 'nowhere.example')).toBe(
      'lectern: Domain nowhere.example not found on this site',
    );
  });

  test('is not changed if the site or the voice does not exist', async () => {
    expect(await runFailing('site', 'show', 'nobody')).toBe('lectern: Site nobody not found');
    expect(await runFailing('site', 'update', '999', '--plan', 'starter')).toBe('lectern: Site 999 not found');
    const site = await createTestSite();
    const line = await runFailing('site', 'update', String(site['id']), '--default-voice', '77');
    expect(line).toBe('lectern: Voice 77 not found');
    expect(await runJson('site', 'show', String(site['id']))).toEqual(site);
  });
});

describe('a key', () => {
  test('is shown once; later only its prefix', async () => {
    const site = String((await createTestSite())['id']);
    const result = await runJson('key', 'create', '--site', site, '--name', 'staging');
    expect(result).toEqual({
      id: expect.any(Number),
      key: expect.stringMatching(/^svc_live_[\w-]{43}$/),
      prefix: expect.stringMatching(/^svc_live_[\w-]{6}$/),
    });
    const listed = await runCommand(['key', 'list', '--data', data, '--site', site, '--json']);
    expect(listed.stdout).not.toContain(String(result['key']));
    expect(listed.stdout).not.toContain('hash');
    expect(JSON.parse(listed.stdout)).toEqual([
      {
        ...{ id: result['id'], name: 'staging', prefix: result['prefix'], revoked_at: null },
        ...{ created_at: expect.any(String), last_used_at: null },
      },
    ]);
  });

  test('can be revoked once', async () => {
    const site = String((await createTestSite())['id']);
    const { id } = await runJson('key', 'create', '--site', site);
    expect(await runJson('key', 'revoke', String(id))).toEqual({ id, revoked: true });
    expect(await runFailing('key', 'revoke', String(id))).toBe(`lectern: Active API key ${id} not found`);
    const [key] = await runJson<{ revoked_at: string }[]>('key', 'list', '--site', site);
    expect(key?.revoked_at).toEndWith('Z');
  });

  test('replaces all keys of its site in a rotation', async () => {
    const site = String((await createTestSite())['slug']);
    await runJson('key', 'create', '--site', site);
    await runJson('key', 'create', '--site', site);
    const fresh = await runJson('key', 'rotate', '--site', site, '--name', 'fresh');
    const keys = await runJson<{ id: number; revoked_at: string | null }[]>(...['key', 'list', '--site', site]);
    expect(keys).toHaveLength(3);
    const inForce = keys.filter((key) => key.revoked_at === null);
    expect(inForce.map(({ id }) => id)).toEqual([Number(fresh['id'])]);
  });

  test('has a name, as in the API', async () => {
    const site = String((await createTestSite())['id']);
    for (const command of ['create', 'rotate']) {
      const line = await runFailing('key', command, '--site', site, '--name', ' ');
      expect(line).toBe('lectern: Validation failed: name: must not be blank');
    }
    await runJson('key', 'create', '--site', site);
    await runJson('key', 'create', '--site', site, '--name', ' staging ');
    const keys = await runJson<{ name: string }[]>('key', 'list', '--site', site);
    expect(keys.map(({ name }) => name)).toEqual(['production', 'staging']);
  });

  test('is not created for an unknown site', async () => {
    expect(await runFailing('key', 'create', '--site', 'nobody')).toBe('lectern: Site nobody not found');
  });
});

describe('the audit log', () => {
  test('records changes by command line, and no key', async () => {
    const site = await createTestSite();
    const [id, slug] = [Number(site['id']), String(site['slug'])];
    await runJson('site', 'update', slug, '--plan', 'growth');
    await runJson('site', 'domain', 'add', slug, 'audited.example');
    const { key } = await runJson<{ key: string }>('key', 'create', '--site', slug);
    await runJson('key', 'rotate', '--site', slug);
    const database = new Database(`${data}/lectern.db`, { readonly: true });
    const entries = database
      .query<{ actor: string; action: string; before: string | null; after: string }, [number]>(
        'select actor, action, before, after from audit_entry where site_id = ? order by id',
      )
      .all(id);
    database.close();
    expect(entries.map(({ actor, action }) => `${actor}: ${action}`)).toEqual([
      'command line: site.created',
      'command line: site.updated',
      'command line: domain.added',
      'command line: key.created',
      'command line: key.rotated',
    ]);
    expect(JSON.parse(entries[1]?.after ?? '')).toEqual({ plan: 'growth' });
    expect(JSON.stringify(entries)).not.toContain(key);
  });
});

describe('lectern check', () => {
  test('passes on a healthy installation', async () => {
    const { ok, findings } = await runJson<{ ok: boolean; findings: { part: string }[] }>('check');
    expect(ok).toBe(true);
    expect(findings.map(({ part }) => part)).toEqual([
      'files',
      'database',
      'sandbox',
      ...Array<string>(6).fill('voice'),
      'scrub',
      'disk',
    ]);
  });

  test('reports a server that does not respond, with exit code 1', async () => {
    const { code, stdout, stderr } = await runCommand(['check', '--url', 'http://127.0.0.1:1/']);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toBe('FAIL server    http://127.0.0.1:1/readyz did not respond (ECONNREFUSED)\n');
    expect(await runCommand(['check', '--live'])).toMatchObject({ code: 2, stderr: 'lectern: --live needs --url\n' });
    const wrong = await runCommand(['check', '--url', 'localhost:8080']);
    expect([wrong.code, wrong.stdout]).toEqual([
      1,
      'FAIL server    localhost:8080 is no http(s) URL. Name one such as http://127.0.0.1:8080\n',
    ]);
  });

  // On PostgreSQL the folder has the config file that names the database.
  test.skipIf(isOnPostgres)('reports a data folder that does not exist, and does not create it', async () => {
    const folder = join(createTemporaryFolder(), 'nope');
    const { code, stdout } = await runCommand(['check', '--data', folder]);
    expect([code, stdout]).toEqual([
      1,
      `FAIL files     Data folder ${folder} does not exist. Name it with --data, or start the server to create it.\n`,
    ]);
    expect(existsSync(folder)).toBe(false);
  });

  test('reports a damaged database', async () => {
    const folder = createTemporaryFolder();
    await Bun.write(`${folder}/lectern.db`, 'no database at all, but long enough to be read as one');
    const { code, stdout } = await runCommand(['check', '--data', folder]);
    expect(code).toBe(1);
    expect(stdout).toContain('FAIL database');
    expect(stdout).not.toMatch(/\n\s+at /);
  });
});
