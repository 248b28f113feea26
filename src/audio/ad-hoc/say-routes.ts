import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Site } from '../../database/schema.ts';
import { invalid } from '../../errors.ts';
import { endpointSpec } from '../../http/endpoint.ts';
import type { Services } from '../../services.ts';
import { parseNarrationSettings } from '../../speech/narration-settings.ts';
import { synthesizeText } from '../../speech/synthesize-text.ts';
import { choosePreviewVoice, PreviewBody, PreviewQuery } from './preview-routes.ts';

const SayBody = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 1_000, description: 'A word or a few sentences' }),
    alias: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Spoken in place of the text, in the format of a pronunciation entry: plain text; `[[…]]` holds phonemes',
      }),
    ),
    language: PreviewBody.properties.language,
    voice_id: PreviewBody.properties.voice_id,
  },
  { title: 'SayRequest' },
);
type SayBody = Static<typeof SayBody>;

const saySpec = endpointSpec({
  summary: 'Synthesize a word or sentence',
  description:
    'Uses a voice, the pronunciations and the speed of the site. Nothing is stored, and no quota is used. Requires the viewer role.',
  tag: 'Audio',
  access: 'key or session',
  query: PreviewQuery,
  body: SayBody,
  maxBodyBytes: 20_000,
  // Requests of other sites may be served first.
  idleTimeoutS: 120,
  bodyExample: { text: 'Siobhan', alias: '[[ʃɪvˈɔːn]]' },
  responses: {
    200: {
      description: 'The MP3',
      content: { type: 'audio/mpeg', schema: Type.String({ format: 'binary' }) },
    },
  },
  errors: ['plan_restriction', 'not_found', 'busy'],
});

/** A sentence in the voice and with the settings of its site. */
export function saySentenceRoutes(services: Services) {
  const { endpoint } = services;
  return new Elysia({ name: 'say sentence' }).post(
    '/v1/speech/say',
    ...endpoint(saySpec, async ({ request, site, body }) => {
      const mp3 = await synthesizeSentence(services, site, body, request.signal);
      return new Response(mp3, {
        headers: {
          'content-type': 'audio/mpeg',
          'content-length': String(mp3.byteLength),
          'cache-control': 'no-store',
        },
      });
    }),
  );
}

/** @throws AppError `validation_failed` when nothing can be spoken, `plan_restriction`, `busy` */
async function synthesizeSentence(
  { catalog, synthesisPool, getAliases }: Pick<Services, 'catalog' | 'synthesisPool' | 'getAliases'>,
  site: Site,
  { text, alias, ...named }: SayBody,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const chosen = await choosePreviewVoice(catalog, site, named);
  const { files, speaker, language, sample_rate_hz: sampleRateHz } = chosen;
  const gainDb = await catalog.getGain(chosen);
  const aliases = alias === undefined ? await getAliases(site.id, language) : [{ word: text, alias, matchCase: false }];
  // Escaped: what looks like markup in a sentence was text in the article.
  const content = `<p>${Bun.escapeHTML(text)}</p>`;
  const { speed } = parseNarrationSettings(site.reading);
  const slot = synthesisPool.acquire(site.id, signal);
  try {
    const voice = { files, speaker, gainDb, language, sampleRateHz };
    const speech = await synthesizeText(slot, voice, { content, title: null, speed, aliases });
    if (speech !== undefined) return speech.mp3;
  } finally {
    slot.release();
  }
  throw invalid('text', 'has no speakable text');
}
