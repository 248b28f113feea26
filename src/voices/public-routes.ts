import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Site, Voice } from '../database/schema.ts';
import { endpointSpec } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { toVoiceRecord, VoiceList } from './schema.ts';
import { allowedVoices, selectDefaultVoice } from './store.ts';

const voicesSpec = endpointSpec({
  summary: 'List the voices of a site',
  description: 'Enabled voices included in the plan of the site.',
  tag: 'Public',
  access: 'domain',
  query: Type.Object({ domain: Type.String({ description: 'A domain of the site' }) }),
  cacheControl: 'public, max-age=60',
  responses: {
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
    304: { description: 'Not modified' },
  },
});

/** The voices that a player offers. */
export function publicVoicesRoutes({ endpoint, catalog, preflight }: Services) {
  return new Elysia({ name: 'public-voices' })
    .get('/v1/public/voices', ...endpoint(voicesSpec, async ({ site }) => toVoiceList(await catalog.voices(), site)))
    .options('/v1/public/voices', ({ request }) => preflight(request, 'GET, HEAD'));
}

function toVoiceList(voices: readonly Voice[], site: Site): VoiceList {
  const allowed = allowedVoices(voices, site);
  return {
    voices: allowed.map(toVoiceRecord),
    default_voice_id: selectDefaultVoice(allowed, site)?.id ?? null,
    allow_switch: site.allow_switch === 1,
  };
}
