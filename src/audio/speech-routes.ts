import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Site } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import { readJsonBody } from '../http/json-body.ts';
import { described } from '../http/operation.ts';
import { factsOf } from '../http/request-facts.ts';
import { validate } from '../http/validate.ts';
import type { AliasesOf } from '../speech/lexicon.ts';
import type { Catalog, InstalledVoice } from '../voices/catalog.ts';
import { chooseVoice } from './choose-voice.ts';
import type { AudioDeps } from './routes.ts';
import type { Saying } from './saying.ts';
import { SpeechBody } from './schema.ts';

/** A connection on which nothing moves for longer ends; the MP3 comes as a whole. */
const idleMaxS = 240;

export interface SpeechDeps extends Pick<AudioDeps, 'catalog' | 'byKey' | 'limits'> {
  readonly saying: Saying;
  readonly aliasesOf: AliasesOf;
}

const speechOperation = described({
  summary: 'Say a text at once',
  description:
    "In the shape of OpenAI's `/v1/audio/speech`, with the API key in `X-API-Key`. The text becomes no post: nothing of it is stored, and it counts against no quota. The site's lexicon is spoken.",
  tag: 'Audio',
  access: 'key',
  body: SpeechBody,
  bodyExample: { input: 'The lighthouse is open again.', voice: 'Alder', response_format: 'mp3' },
  answers: {
    200: {
      description: 'The MP3',
      content: { type: 'audio/mpeg', schema: Type.String({ format: 'binary' }) },
    },
  },
  errors: ['plan_restriction', 'busy'],
});

/** Speech without a post. */
export function speechRoutes({ catalog, saying, aliasesOf, byKey, limits }: SpeechDeps) {
  return new Elysia({ name: 'speech' }).post(
    '/v1/audio/speech',
    async ({ request }) => {
      const site = await byKey(request);
      const { input, voice, speed } = validate(
        SpeechBody,
        await readJsonBody(request, limits.bodyByteMax),
      );
      const chosen = await namedVoice(catalog, site, voice);
      factsOf(request).allowIdle(idleMaxS);
      const { files, speaker, language, sample_rate_hz } = chosen;
      const gainDb = await catalog.gainOf(chosen);
      const aliases = await aliasesOf(site.id, language);
      const mp3 = await saying.say(
        { files, speaker, gainDb, language, sampleRateHz: sample_rate_hz },
        { content: input, title: null, speed: speed ?? 1, aliases },
        request.signal,
      );
      if (mp3 === undefined) throw wrong('input', 'has no speakable text');
      return new Response(mp3, {
        headers: { 'content-type': 'audio/mpeg', 'cache-control': 'no-store' },
      });
    },
    speechOperation,
  );
}

/** @throws AppError `validation_failed` (unknown, disabled), `plan_restriction` */
async function namedVoice(
  catalog: Catalog,
  site: Site,
  nameOrId: string | number,
): Promise<InstalledVoice> {
  const voices = (await catalog.voices()).filter(({ enabled }) => enabled === 1);
  const wanted = String(nameOrId).toLowerCase();
  const found =
    voices.find(({ id }) => String(id) === wanted) ??
    voices.find(({ name, stem }) => [name, stem].some((one) => one.toLowerCase() === wanted));
  if (found === undefined) throw wrong('voice', `there is no voice ${nameOrId}`);
  return chooseVoice(catalog, site, { voiceId: found.id, language: null });
}

function wrong(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}
