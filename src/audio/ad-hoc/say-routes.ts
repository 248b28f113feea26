import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { AppError } from '../../errors.ts';
import { described } from '../../http/endpoint.ts';
import { readJsonBody } from '../../http/request-body.ts';
import { factsOf } from '../../http/request-context.ts';
import { queryValue, validate } from '../../http/validation.ts';
import { readingOf } from '../../speech/narration-settings.ts';
import { sayText } from '../../speech/synthesize-text.ts';
import { chooseVoice, namedLanguage } from '../choose-voice.ts';
import type { PreviewDeps } from './preview-routes.ts';
import { PreviewBody, PreviewQuery } from './preview-routes.ts';

const bodyByteMax = 20_000;
/** Others may be served first. */
const idleMaxS = 120;

export interface SaySentenceDeps extends Omit<PreviewDeps, 'limits'> {}

const SayBody = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 1_000, description: 'A word or some sentences' }),
    alias: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Said instead of the text, as an entry of the lexicon would have it: plain text, in which `[[…]]` holds phonemes',
      }),
    ),
    language: PreviewBody.properties.language,
    voice_id: PreviewBody.properties.voice_id,
  },
  { title: 'SayRequest' },
);

const sayOperation = described({
  summary: 'Hear how a sentence or a word would be said',
  description:
    'In a voice of the site, with its lexicon and at its speed; what a preview shows, for the ear. Nothing is stored, and it counts against no quota. For viewers too.',
  tag: 'Audio',
  access: 'key or session',
  query: PreviewQuery,
  body: SayBody,
  bodyExample: { text: 'Siobhan', alias: '[[ʃɪvˈɔːn]]' },
  answers: {
    200: {
      description: 'An MP3',
      content: { type: 'audio/mpeg', schema: Type.String({ format: 'binary' }) },
    },
  },
  errors: ['plan_restriction', 'not_found', 'busy'],
});

/** A sentence as its site would have it read. */
export function saySentenceRoutes(deps: SaySentenceDeps) {
  const { catalog, turns, aliasesOf, byKeyOrSession } = deps;
  return new Elysia({ name: 'say sentence' }).post(
    '/v1/speech/say',
    async ({ request }) => {
      const site = await byKeyOrSession(request, queryValue(request, 'site'));
      const body = validate(SayBody, await readJsonBody(request, bodyByteMax));
      const { text, alias, language: given, voice_id: voiceId = null } = body;
      const language = given == null ? null : (namedLanguage({ language: given }) ?? null);
      const voice = await chooseVoice(catalog, site, { voiceId, language });
      const { files, speaker, sample_rate_hz: sampleRateHz } = voice;
      const gainDb = await catalog.gainOf(voice);
      const aliases =
        alias === undefined
          ? await aliasesOf(site.id, voice.language)
          : [{ word: text, alias, matchCase: false }];
      factsOf(request).allowIdle(idleMaxS);
      const turn = turns.begin(site.id, request.signal);
      try {
        const said = await sayText(
          turn,
          { files, speaker, gainDb, language: voice.language, sampleRateHz },
          {
            // What looks like markup in a sentence was text in the article.
            content: `<p>${Bun.escapeHTML(text)}</p>`,
            title: null,
            speed: readingOf(site.reading).speed,
            aliases,
          },
        );
        if (said === undefined) throw silent();
        return new Response(said.mp3, {
          headers: {
            'content-type': 'audio/mpeg',
            'content-length': String(said.mp3.byteLength),
            'cache-control': 'no-store',
          },
        });
      } finally {
        turn.end();
      }
    },
    sayOperation,
  );
}

function silent(): AppError {
  return new AppError('validation_failed', 'Validation failed', {
    text: ['has nothing that can be spoken'],
  });
}
