import { Elysia } from 'elysia';
import type { Site } from '../database/schema.ts';
import { described, envelope } from '../http/endpoint.ts';
import { readJsonBody } from '../http/request-body.ts';
import { validate } from '../http/validation.ts';
import { voiceRecord } from '../voices/schema.ts';
import { allowedVoices } from '../voices/store.ts';
import { type SiteDeps, updateForUser } from './routes.ts';
import { SiteParams, SiteVoices, UpdateSiteVoicesBody } from './schema.ts';

const bodyByteMax = 10_000;

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

const showOperation = described({
  summary: 'Voices of a site, as its editors set them',
  tag: 'Sites',
  access: 'session',
  params: SiteParams,
  answers: {
    200: {
      description: 'What is set, and what may be chosen from',
      message: 'OK',
      data: SiteVoices,
      example: exampleVoices,
    },
  },
  errors: ['not_found'],
});

const updateOperation = described({
  summary: 'Set the voices of a site',
  description: 'For editors. What has been made already stays as it is.',
  tag: 'Sites',
  access: 'session',
  params: SiteParams,
  body: UpdateSiteVoicesBody,
  bodyExample: { default_voice_id: 1, allow_switch: true, extra_voices: [2] },
  answers: {
    200: {
      description: 'What is set now',
      message: 'Voices updated',
      data: SiteVoices,
      example: exampleVoices,
    },
  },
  errors: ['not_found', 'not_allowed', 'plan_restriction'],
});

/** Which voice speaks a site's posts, and which others its listeners may switch to. */
export function siteVoiceRoutes(deps: Pick<SiteDeps, 'database' | 'catalog' | 'bySession'>) {
  const { catalog, bySession } = deps;
  const shown = async (site: Site) => ({
    default_voice_id: site.default_voice_id,
    allow_switch: site.allow_switch === 1,
    extra_voices: JSON.parse(site.extra_voices) as number[],
    voices: allowedVoices(await catalog.voices(), site).map(voiceRecord),
  });
  return new Elysia({ name: 'site-voices', prefix: '/v1/sites/:site/voices' })
    .get(
      '',
      async ({ request, params }) => {
        const { site } = await bySession.site(request, params.site, 'viewer');
        return envelope('OK', await shown(site));
      },
      showOperation,
    )
    .patch(
      '',
      async ({ request, params }) => {
        const signedIn = await bySession.site(request, params.site, 'editor');
        const body = validate(UpdateSiteVoicesBody, await readJsonBody(request, bodyByteMax));
        const site = await updateForUser(deps, signedIn, {
          defaultVoiceId: body.default_voice_id,
          allowSwitch: body.allow_switch,
          extraVoices: body.extra_voices,
        });
        return envelope('Voices updated', await shown(site));
      },
      updateOperation,
    );
}
