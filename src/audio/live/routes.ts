import { type TObject, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { endpointSpec } from '../../http/endpoint.ts';
import { streamBody } from '../../http/request-body.ts';
import type { Services } from '../../services.ts';
import { SiteParams } from '../../sites/schema.ts';
import { PostCounts } from '../posts/schema.ts';
import { LiveAudio, passes, resyncEvent } from './live-updates.ts';

const contentType = 'text/event-stream';
/** A client that was disconnected connects again after this time. */
const retryMs = 3_000;

function listMembers({ properties }: TObject): string {
  return Object.keys(properties)
    .map((name) => `\`${name}\``)
    .join(', ');
}

const description = `Server-sent events, at most a second after the change, until the client disconnects or loses its access:

- \`audio\`: an audio that changed: ${listMembers(LiveAudio)}. \`progress\` is 0 to 1, \`queue_position\` that of the 50 next ones, \`seconds_left\` an estimate.
- \`counts\`: the posts in each state, first and when they change: ${listMembers(PostCounts)}.
- \`resync\`: events are missing, as after a new connection with \`Last-Event-ID\`. Load the data again.

A comment follows every 15 seconds. The number of listeners is limited for each site.`;

const example = `retry: ${retryMs}

event: counts
data: {"all":120,"ready":117,"generating":2,"failed":1,"private":3,"deleted":2,"scheduled":4}
id: 1

event: audio
data: {"post_id":"news/4711","language":"en","voice_id":1,"main":true,"status":"generating","progress":0.62,"queue_position":null,"seconds_left":4,"error":null}
id: 2

`;

const stream = {
  tag: 'Posts',
  description,
  responses: {
    200: {
      description: 'The events',
      content: { type: contentType, schema: Type.String(), example },
      headers: { 'Cache-Control': 'private, no-store' },
    },
  },
  errors: ['too_many_listeners'],
} as const;

const siteSpec = endpointSpec({
  ...stream,
  summary: 'Listen to changes of a site',
  access: 'session',
  role: 'viewer',
  params: SiteParams,
});

const keySpec = endpointSpec({
  ...stream,
  summary: 'Listen to changes of audio',
  tag: 'Audio',
  access: 'key',
});

/** Live updates, for the dashboard and for content management systems. */
export function liveRoutes(services: Services) {
  const { endpoint, requireSession, requireApiKey } = services;
  return new Elysia({ name: 'live updates' })
    .get(
      '/v1/sites/:site/live',
      ...endpoint(siteSpec, async ({ request, site, params }) =>
        openStream(services, request, site.id, () =>
          passes(requireSession.site(request, params.site, 'viewer', { isPassive: true })),
        ),
      ),
    )
    .get(
      '/v1/audio/events',
      ...endpoint(keySpec, async ({ request, site }) =>
        openStream(services, request, site.id, () => passes(requireApiKey(request, { budget: null }))),
      ),
    );
}

function openStream(
  { liveUpdates, liveLimiter, log }: Services,
  request: Request,
  siteId: number,
  isAllowed: () => Promise<boolean>,
): Response {
  const headers = {
    'content-type': contentType,
    'cache-control': 'private, no-store',
    // Else nginx buffers the events.
    'x-accel-buffering': 'no',
  };
  if (request.method === 'HEAD') return new Response(null, { headers });
  const releaseSlot = liveLimiter.acquireSlot(siteId);
  const listener = liveUpdates.subscribe(siteId, isAllowed);
  const end = (): void => {
    listener.end();
    releaseSlot();
  };
  request.signal.addEventListener('abort', end);
  // No event follows where the client went away before.
  if (request.signal.aborted) end();
  const resync = request.headers.has('last-event-id') ? resyncEvent() : '';
  const first = new TextEncoder().encode(`retry: ${retryMs}\n\n${resync}`);
  const body = streamBody(first, listener.read(), 1, (error) => {
    end();
    if (error !== undefined) log.error({ err: error, site: siteId }, 'live updates failed');
  });
  return new Response(body, { headers });
}
