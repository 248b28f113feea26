import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { AppError } from '../../errors.ts';
import { endpointSpec, toEndpointHook } from '../../http/endpoint.ts';
import { readJsonBody } from '../../http/request-body.ts';
import { requestContext } from '../../http/request-context.ts';
import { getQueryParam, validate } from '../../http/validation.ts';
import { parseNarrationSettings } from '../../speech/narration-settings.ts';
import { synthesizeText } from '../../speech/synthesize-text.ts';
import { chooseVoice, parseLanguage } from '../choose-voice.ts';
import type { PreviewDeps } from './preview-routes.ts';
import { PreviewBody, PreviewQuery } from './preview-routes.ts';

const maxBodyBytes = 20_000;
/** Others may be served first. */
const idleTimeoutS = 120;

export interface SaySentenceDeps extends Omit<PreviewDeps, 'limits'> {}

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

const sayOperation = endpointSpec({
  summary: 'Synthesize a word or sentence',
  description:
    'Uses a voice, the pronunciations and the speed of the site. Nothing is stored, and no quota is used. Requires the viewer role.',
  tag: 'Audio',
  access: 'key or session',
  query: PreviewQuery,
  body: SayBody,
  bodyExample: { text: 'Siobhan', alias: '[[ʃɪvˈɔːn]]' },
  responses: {
    200: {
      description: 'The MP3',
      content: { type: 'audio/mpeg', schema: Type.String({ format: 'binary' }) },
    },
  },
  errors: ['plan_restriction', 'not_found', 'busy'],
});

/** A sentence as its site would have it read. */
export function saySentenceRoutes(deps: SaySentenceDeps) {
  const { catalog, synthesisPool, getAliases, requireApiKeyOrSession } = deps;
  return new Elysia({ name: 'say sentence' }).post(
    '/v1/speech/say',
    async ({ request }) => {
      const site = await requireApiKeyOrSession(request, getQueryParam(request, 'site'));
      const body = validate(SayBody, await readJsonBody(request, maxBodyBytes));
      const { text, alias, language: given, voice_id: voiceId = null } = body;
      const language = given == null ? null : (parseLanguage({ language: given }) ?? null);
      const voice = await chooseVoice(catalog, site, { voiceId, language });
      const { files, speaker, sample_rate_hz: sampleRateHz } = voice;
      const gainDb = await catalog.getGain(voice);
      const aliases =
        alias === undefined ? await getAliases(site.id, voice.language) : [{ word: text, alias, matchCase: false }];
      requestContext(request).setIdleTimeout(idleTimeoutS);
      const turn = synthesisPool.acquire(site.id, request.signal);
      try {
        const said = await synthesizeText(
          turn,
          { files, speaker, gainDb, language: voice.language, sampleRateHz },
          {
            // What looks like markup in a sentence was text in the article.
            content: `<p>${Bun.escapeHTML(text)}</p>`,
            title: null,
            speed: parseNarrationSettings(site.reading).speed,
            aliases,
          },
        );
        if (said === undefined) throw noSpeakableTextError();
        return new Response(said.mp3, {
          headers: {
            'content-type': 'audio/mpeg',
            'content-length': String(said.mp3.byteLength),
            'cache-control': 'no-store',
          },
        });
      } finally {
        turn.release();
      }
    },
    toEndpointHook(sayOperation),
  );
}

function noSpeakableTextError(): AppError {
  return new AppError('validation_failed', 'Validation failed', {
    text: ['has no speakable text'],
  });
}
