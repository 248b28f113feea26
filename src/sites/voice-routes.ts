import { Elysia } from 'elysia';
import type { Site } from '../database/schema.ts';
import { endpointSpec, reply } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { toVoiceRecord } from '../voices/schema.ts';
import { allowedVoices } from '../voices/store.ts';
import { updateSiteForUser } from './routes.ts';
import { SiteParams, SiteVoices, UpdateSiteVoicesBody } from './schema.ts';

const shared = { tag: 'Sites', access: 'session' } as const;

const showSpec = endpointSpec({
  ...shared,
  summary: 'Get voice settings',
  role: 'viewer',
  params: SiteParams,
  responses: reply(200, 'OK', 'Voice settings and the voices available to the site', SiteVoices),
});

const updateSpec = endpointSpec({
  ...shared,
  summary: 'Update voice settings',
  description: 'Requires the editor role. Existing audio is not changed.',
  role: 'editor',
  params: SiteParams,
  body: UpdateSiteVoicesBody,
  bodyExample: { default_voice_id: 1, allow_switch: true, extra_voices: [2] },
  responses: reply(200, 'Voices updated', 'The updated voice settings', SiteVoices),
  errors: ['plan_restriction'],
});

/** Which voice speaks a site's posts, and which others its listeners may switch to. */
export function siteVoiceRoutes(services: Services) {
  const { endpoint, catalog } = services;
  const toVoiceSettings = async (site: Site) => ({
    default_voice_id: site.default_voice_id,
    allow_switch: site.allow_switch === 1,
    extra_voices: JSON.parse(site.extra_voices) as number[],
    voices: allowedVoices(await catalog.voices(), site).map(toVoiceRecord),
  });
  return new Elysia({ name: 'site-voices', prefix: '/v1/sites/:site/voices' })
    .get('', ...endpoint(showSpec, ({ site }) => toVoiceSettings(site)))
    .patch(
      '',
      ...endpoint(updateSpec, async (caller) => {
        const site = await updateSiteForUser(services, caller, {
          defaultVoiceId: caller.body.default_voice_id,
          allowSwitch: caller.body.allow_switch,
          extraVoices: caller.body.extra_voices,
        });
        return toVoiceSettings(site);
      }),
    );
}
