import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Preflight, RequireDomain } from '../auth/domain-access.ts';
import type { Site, Voice } from '../database/schema.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { conditionalJsonResponse } from '../http/static-assets.ts';
import { getQueryParam } from '../http/validation.ts';
import type { Catalog } from './catalog.ts';
import { toVoiceRecord, VoiceList } from './schema.ts';
import { allowedVoices, selectDefaultVoice } from './store.ts';

/** Voices seldom change. */
const cacheControl = 'public, max-age=60';

export interface PublicVoicesDeps {
  readonly catalog: Catalog;
  readonly requireDomain: RequireDomain;
  readonly preflight: Preflight;
}

const voicesEndpoint = endpointSpec({
  summary: 'List the voices of a site',
  description: 'Enabled voices included in the plan of the site.',
  tag: 'Public',
  access: 'domain',
  query: Type.Object({ domain: Type.String({ description: 'A domain of the site' }) }),
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

/** What a player offers its listeners. */
export function publicVoicesRoutes({ catalog, requireDomain, preflight }: PublicVoicesDeps) {
  return new Elysia({ name: 'public-voices' })
    .get(
      '/v1/public/voices',
      async ({ request }) => {
        const site = await requireDomain(request, getQueryParam(request, 'domain'), 'page');
        const body = envelope('OK', toVoiceList(await catalog.voices(), site));
        return conditionalJsonResponse(request, body, cacheControl);
      },
      toEndpointHook(voicesEndpoint),
    )
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
