import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { eventually } from '../fixtures/eventually.ts';
import { listenTo, planPost, readSymbols, toSymbols } from '../fixtures/post.ts';
import {
  createSite,
  createTemporaryFolder,
  type Envelope,
  runCommand,
  startTestServer,
  type TestServer,
} from '../fixtures/server.ts';
import { createToneVoice, writeVoice } from '../fixtures/voice.ts';
import { disableVoice, findVoiceId, findVoiceIds } from '../fixtures/voice-list.ts';
import { buildArticle } from './articles.ts';
import { readRows } from './stored-rows.ts';

const data = createTemporaryFolder();
/** A voice for each language, with the same phonemizer. */
const voices = Object.fromEntries(
  Object.entries({ en: 'en_US', de: 'de_DE', fr: 'fr_FR', es: 'es_ES' }).map(([language, locale]) => {
    const voice = createToneVoice({ sampleRateHz: 16_000, language: locale });
    return [language, { file: `${locale}-tones-low`, voice, config: voice.config ?? '' }];
  }),
);
const languages = Object.keys(voices);
/** Text that each language reads differently. */
const content = '<p>Information, general, chat, Paris, natural, village, hotel, minister, region, radio.</p>';
let server: TestServer;
const ids: Record<string, number> = {};

beforeAll(async () => {
  for (const { file, voice } of Object.values(voices)) {
    await writeVoice(join(data, 'voices'), file, voice);
  }
  await disableVoice(data, 'de_DE-buche-medium');
  // Another German voice, found later and therefore with a higher id.
  const { key } = await createSite(data);
  const files = Object.values(voices).map(({ file }) => file);
  for (const [place, id] of (await findVoiceIds(data, files)).entries()) {
    ids[languages[place] ?? ''] = id;
  }
  const later = createToneVoice({ sampleRateHz: 22_050, language: 'de_DE' });
  await writeVoice(join(data, 'voices'), 'de_DE-later-low', later);
  ids['later'] = await findVoiceId(data, 'de_DE-later-low');
  server = await startTestServer({ data, key });
});
afterAll(() => server.stop('SIGKILL'));

async function generate(body: Record<string, unknown>) {
  const response = await server.generate(body);
  const { message, data: record, errors } = (await response.json()) as Envelope<AudioRecord>;
  return {
    ...{ status: response.status, location: response.headers.get('location') },
    ...{ message, record, errors },
  };
}

function waitUntilReady(postId: string, language: string): Promise<AudioRecord> {
  return eventually(async () => {
    const record = await server.status(postId, language);
    return record.status === 'ready' && record;
  }, `${postId} is ready in ${language}`);
}

/** German follows from the language; built-in voices of lower ids speak the others. */
function buildLanguageFields(language: string): Record<string, unknown> {
  return language === 'de' ? { language } : { voice_id: ids[language] };
}

describe('a post in four languages', () => {
  const records: Record<string, AudioRecord> = {};

  test('has a record in each, spoken by the rules of the language', async () => {
    const spokenForms = new Set<string>();
    for (const language of languages) {
      const response = await generate({ post_id: 'world', content, ...buildLanguageFields(language) });
      expect(response).toMatchObject({ status: 202, record: { language, voice_id: ids[language] } });
      const query = language === 'en' ? '' : `?language=${language}`;
      expect(response.location).toBe(`${server.url}/v1/audio/world/status${query}`);
    }
    for (const language of languages) {
      const record = await waitUntilReady('world', language);
      records[language] = record;
      const config = voices[language]?.config ?? '';
      const plan = await planPost({ content }, config);
      const recording = readSymbols(await listenTo(record));
      expect(recording).toBe(plan.flatMap((segment) => toSymbols(segment.ids, config)).join(''));
      spokenForms.add(recording);
    }
    // The same text sounds different in each language: the phonemizer received the language of the voice.
    expect(spokenForms.size).toBe(languages.length);
    const all = Object.values(records);
    expect(new Set(all.map(({ id }) => id)).size).toBe(languages.length);
    expect(new Set(all.map(({ audio_url }) => audio_url)).size).toBe(languages.length);
  });

  test('counts once against the quota', () => {
    const counted = readRows(data, 'select external_id from post_quota');
    expect(counted).toEqual([{ external_id: 'world' }]);
  });

  test('can be corrected in one and is unchanged in the others', async () => {
    const corrected = `${content}<p>Das ist neu, und es wird nun auch gesagt.</p>`;
    const response = await generate({ post_id: 'world', content: corrected, language: 'de' });
    expect(response).toMatchObject({ status: 202, record: { id: records['de']?.id ?? 0 } });
    const after = await waitUntilReady('world', 'de');
    expect(after.audio_url).not.toBe(records['de']?.audio_url ?? null);
    for (const language of ['en', 'fr', 'es']) {
      expect(await server.status('world', language)).toEqual(records[language] as AudioRecord);
    }
    // The old German version remains available.
    expect((await fetch(records['de']?.audio_url ?? '')).status).toBe(200);
  });

  test('can fail in one and be ready in the others', async () => {
    const empty = await generate({ post_id: 'world', content: '🎈'.repeat(50), ...buildLanguageFields('fr') });
    expect(empty.status).toBe(202);
    await eventually(async () => (await server.status('world', 'fr')).status === 'failed', 'the French one fails');
    expect((await server.status('world', 'es')).status).toBe('ready');
  });

  test.each([
    ['', 'en'],
    ['?language=en-US', 'en'],
    ['?language=de-AT', 'de'],
    ['?lang=es', 'es'],
    ['?lang=ES_mx', 'es'],
  ])('has the status at %p of %s', async (query, language) => {
    const response = await server.request(`/v1/audio/world/status${query}`);
    const { data: record } = (await response.json()) as Envelope<AudioRecord>;
    expect(record).toMatchObject({ language, id: records[language]?.id ?? 0 });
    const separator = query === '' ? '?' : '&';
    const many = await server.request(`/v1/audio/status${query}${separator}post_id=world`);
    const { items } = ((await many.json()) as Envelope<{ items: AudioRecord[] }>).data;
    expect(items).toEqual([record]);
  });

  test('has no record in a language in which it was not submitted', async () => {
    await generate({ post_id: 'german-only', content, language: 'de' });
    const refuse = async (path: string, method = 'GET') => {
      const response = await server.request(`/v1/audio/german-only${path}`, { method });
      return [response.status, await response.json()];
    };
    const describeMissing = (language: string) => {
      const errors = { language: [`the post has no audio in ${language}; it has: de`] };
      return [404, { success: false, message: 'Post not found', errors }];
    };
    expect(await refuse('/status')).toEqual(describeMissing('en'));
    expect(await refuse('/certificate')).toEqual(describeMissing('en'));
    expect(await refuse('?language=fr', 'DELETE')).toEqual(describeMissing('fr'));
  });
});

describe('a language', () => {
  test('that no voice speaks is rejected with the list of languages', async () => {
    const errors = { language: ['xx is not supported; installed voices speak: de, en, es, fr'] };
    const response = await generate({ post_id: 'none', content, language: 'xx' });
    expect(response).toMatchObject({ status: 422, message: 'Validation failed', errors });
    const status = await server.request('/v1/audio/world/status?language=xx');
    expect(status.status).toBe(422);
    expect(((await status.json()) as Envelope<never>).errors).toEqual(errors);
  });

  test('that differs from that of the voice is rejected', async () => {
    const response = await generate({
      ...{ post_id: 'none', content, language: 'fr', voice_id: ids['de'] },
    });
    expect(response).toMatchObject({
      status: 422,
      errors: { language: [`voice ${ids['de']} speaks de, not fr`] },
    });
  });

  test('is not detected from the content; the response warns if the request names none', async () => {
    const buildWarnings = (language: string) => [
      `The content says lang="${language}", but en is spoken. Send language to choose another one`,
    ];
    const cases: [string, object, string[] | undefined][] = [
      [`<article lang="de">${content}</article>`, {}, buildWarnings('de')],
      [`<!DOCTYPE html>\n<!-- a -->\n<HTML class=a LANG=pt-BR><body>${content}</body></HTML>`, {}, buildWarnings('pt')],
      [`<html lang="en-GB"><body>${content}</body></html>`, {}, undefined],
      [`<p lang="de">${content}</p>`, {}, undefined],
      [`<article lang="de">${content}</article>`, { language: 'en' }, undefined],
      [`<article lang="de">${content}</article>`, { voice_id: ids['en'] }, undefined],
      [`<article lang="de">${content}</article>`, { content_type: 'text/plain' }, undefined],
    ];
    for (const [index, [text, fields, warnings]] of cases.entries()) {
      const response = await server.generate({ post_id: `said-${index}`, content: text, ...fields });
      const { data: record, ...body } = (await response.json()) as Envelope<AudioRecord> & { warnings?: string[] };
      expect([response.status, record.language, body.warnings]).toEqual([202, 'en', warnings]);
    }
  });

  test('is that of the voice if the request names only the voice', async () => {
    const response = await generate({ post_id: 'by-voice', content, voice_id: ids['es'] });
    expect(response).toMatchObject({ status: 202, record: { language: 'es' } });
    expect(response.location).toEndWith('?language=es');
  });

  test('is spoken by its voice with the lowest id, unless the default voice of the site speaks it', async () => {
    const lowest = await generate({ post_id: 'lowest', content, language: 'de-CH' });
    expect(lowest.record).toMatchObject({ language: 'de', voice_id: ids['de'] });
    const words = ['site', 'update', '1', '--data', data, '--default-voice', `${ids['later']}`];
    expect((await runCommand(words)).code).toBe(0);
    const german = await generate({ post_id: 'own', content, language: 'de' });
    expect(german.record.voice_id).toBe(ids['later'] ?? 0);
    const french = await generate({ post_id: 'own', content, language: 'fr' });
    expect(french.record.voice_id).toBe(await findVoiceId(data, 'fr_FR-saule-medium'));
    const ofLanguage = ['site', 'update', '1', '--data', data, '--default-voices', `${ids['de']},${ids['es']}`];
    expect((await runCommand(ofLanguage)).code).toBe(0);
    // The default voice has priority in its language.
    expect((await generate({ post_id: 'first', content, language: 'de' })).record.voice_id).toBe(ids['later'] ?? 0);
    const chosen = await generate({ post_id: 'chosen', content: buildArticle('nada'), language: 'es' });
    expect(chosen.record.voice_id).toBe(ids['es'] ?? 0);
    const unsaid = await generate({ post_id: 'unsaid', content: buildArticle('nothing') });
    expect(unsaid.record).toMatchObject({ language: 'de', voice_id: ids['later'] });
  });
});
