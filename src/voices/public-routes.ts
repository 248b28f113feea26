import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { DomainAccess, Preflight } from '../auth/domain-access.ts';
import type { Site, Voice } from '../database/schema.ts';
import { described, envelope } from '../http/endpoint.ts';
import { conditionalAnswer } from '../http/static-assets.ts';
import { queryValue } from '../http/validation.ts';
import type { Catalog } from './catalog.ts';
import { VoiceList, voiceRecord } from './schema.ts';
import { allowedVoices, defaultVoice } from './store.ts';

/** Voices seldom change. */
const cacheControl = 'public, max-age=60';

export interface PublicVoicesDeps {
  readonly catalog: Catalog;
  readonly byDomain: DomainAccess;
  readonly preflight: Preflight;
}

const voicesOperation = described({
  summary: 'Voices of a site',
  description: 'The enabled voices that the plan of the site unlocks.',
  tag: 'Public',
  access: 'domain',
  query: Type.Object({ domain: Type.String({ description: 'A domain of the site' }) }),
  answers: {
    200: {
      description: 'The voices, by id',
      message: 'OK',
      data: VoiceList,
      example: {
        voices: [
          {
            id: 1,
            name: 'Alder',
            type: 'neural',
            language: 'en',
            gender: 'male',
            plan_required: 'starter',
          },
        ],
        default_voice_id: 1,
        allow_switch: false,
      },
      headers: { ETag: 'For `If-None-Match`' },
    },
    304: { description: 'Unchanged since the ETag that was sent' },
  },
});

/** What a player offers its listeners. */
export function publicVoicesRoutes({ catalog, byDomain, preflight }: PublicVoicesDeps) {
  return new Elysia({ name: 'public-voices' })
    .get(
      '/v1/public/voices',
      async ({ request }) => {
        const site = await byDomain(request, queryValue(request, 'domain'), 'page');
        const body = envelope('OK', voiceList(await catalog.voices(), site));
        return conditionalAnswer(request, body, cacheControl);
      },
      voicesOperation,
    )
    .options('/v1/public/voices', ({ request }) => preflight(request, 'GET, HEAD'));
}

function voiceList(voices: readonly Voice[], site: Site): VoiceList {
  const allowed = allowedVoices(voices, site);
  return {
    voices: allowed.map(voiceRecord),
    default_voice_id: defaultVoice(allowed, site)?.id ?? null,
    allow_switch: site.allow_switch === 1,
  };
}
