import { Elysia } from 'elysia';
import type { Site } from '../database/schema.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { readJsonBody } from '../http/request-body.ts';
import { validate } from '../http/validation.ts';
import { toVoiceRecord } from '../voices/schema.ts';
import { allowedVoices } from '../voices/store.ts';
import { type SiteDeps, updateSiteForUser } from './routes.ts';
import { SiteParams, SiteVoices, UpdateSiteVoicesBody } from './schema.ts';

const maxBodyBytes = 10_000;

const exampleVoices = {
  default_voice_id: 1,
  allow_switch: true,
  extra_voices: [2],
  voices: [
    {
      id: 1,
      name: 'Alder',
      type: 'neural',
      language: 'en',
      gender: 'male',
      plan_required: 'starter',
    },
    {
      id: 2,
      name: 'Linden',
      type: 'neural',
      language: 'en',
      gender: 'female',
      plan_required: 'starter',
    },
  ],
};

const showOperation = endpointSpec({
  summary: 'Get voice settings',
  tag: 'Sites',
  access: 'session',
  params: SiteParams,
  responses: {
    200: {
      description: 'Voice settings and the voices available to the site',
      message: 'OK',
      data: SiteVoices,
      example: exampleVoices,
    },
  },
  errors: ['not_found'],
});

const updateOperation = endpointSpec({
  summary: 'Update voice settings',
  description: 'Requires the editor role. Existing audio is not changed.',
  tag: 'Sites',
  access: 'session',
  params: SiteParams,
  body: UpdateSiteVoicesBody,
  bodyExample: { default_voice_id: 1, allow_switch: true, extra_voices: [2] },
  responses: {
    200: {
      description: 'The updated voice settings',
      message: 'Voices updated',
      data: SiteVoices,
      example: exampleVoices,
    },
  },
  errors: ['not_found', 'not_allowed', 'plan_restriction'],
});

/** Which voice speaks a site's posts, and which others its listeners may switch to. */
export function siteVoiceRoutes(deps: Pick<SiteDeps, 'database' | 'catalog' | 'requireSession'>) {
  const { catalog, requireSession } = deps;
  const shown = async (site: Site) => ({
    default_voice_id: site.default_voice_id,
    allow_switch: site.allow_switch === 1,
    extra_voices: JSON.parse(site.extra_voices) as number[],
    voices: allowedVoices(await catalog.voices(), site).map(toVoiceRecord),
  });
  return new Elysia({ name: 'site-voices', prefix: '/v1/sites/:site/voices' })
    .get(
      '',
      async ({ request, params }) => {
        const { site } = await requireSession.site(request, params.site, 'viewer');
        return envelope('OK', await shown(site));
      },
      toEndpointHook(showOperation),
    )
    .patch(
      '',
      async ({ request, params }) => {
        const signedIn = await requireSession.site(request, params.site, 'editor');
        const body = validate(UpdateSiteVoicesBody, await readJsonBody(request, maxBodyBytes));
        const site = await updateSiteForUser(deps, signedIn, {
          defaultVoiceId: body.default_voice_id,
          allowSwitch: body.allow_switch,
          extraVoices: body.extra_voices,
        });
        return envelope('Voices updated', await shown(site));
      },
      toEndpointHook(updateOperation),
    );
}
