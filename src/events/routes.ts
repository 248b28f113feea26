import { Elysia } from 'elysia';
import { envelope } from '../http/envelope.ts';
import { readJsonBody } from '../http/json-body.ts';
import { described } from '../http/operation.ts';
import { queryValue } from '../http/query-value.ts';
import type { KeyAccess } from '../sites/access.ts';
import { allowReading, type DomainAccess, type Preflight } from '../sites/domain-access.ts';
import { deviceOf } from './device.ts';
import type { Intake } from './intake.ts';
import { readEvents } from './request.ts';
import { EventsAnswer, PublicEventsBody, PublicEventsQuery, TrackBody } from './schema.ts';

/** The largest batch fits, whatever letters it is written in. */
const bodyByteMax = 512 * 1024;
/** What `navigator.sendBeacon` calls a text; a browser asks no leave for it. */
const bodyTypes = ['application/json', 'text/plain'];

export interface EventsDeps {
  readonly intake: Intake;
  readonly byKey: KeyAccess;
  readonly byDomain: DomainAccess;
  readonly preflight: Preflight;
}

const exampleEvents = [
  {
    type: 'play',
    post_id: 'news/4711',
    session_id: 'k3Jx0a',
    position_seconds: 0,
    event_id: 'k3Jx0a-1',
  },
  {
    type: 'progress',
    post_id: 'news/4711',
    session_id: 'k3Jx0a',
    position_seconds: 30,
    heard_seconds: 30,
    event_id: 'k3Jx0a-2',
  },
];
const answers = {
  202: {
    description: 'Stored',
    message: 'Events accepted',
    data: EventsAnswer,
    example: { accepted: 2, duplicates: 0 },
  },
};
const whole =
  'One event or a batch of up to 100, which is taken whole or refused whole. The quota of a month (UTC, by receipt) counts new events only.';

const publicOperation = described({
  summary: 'Tell what listeners of a page do',
  description: `${whole} Also accepted as \`text/plain\`, as \`navigator.sendBeacon\` sends it. No address and no user agent is stored.`,
  tag: 'Events',
  access: 'domain',
  query: PublicEventsQuery,
  body: PublicEventsBody,
  bodyExample: { domain: 'www.example.org', events: exampleEvents },
  bodyTypes,
  answers,
  errors: ['analytics_quota_exceeded', 'events_waiting'],
});

const trackOperation = described({
  summary: 'Tell what listeners do, from a server',
  description: `${whole} Counted apart from public events, with the same quota.`,
  tag: 'Events',
  access: 'key',
  body: TrackBody,
  bodyExample: { events: exampleEvents },
  bodyTypes,
  answers,
  errors: ['analytics_quota_exceeded', 'events_waiting'],
});

/** Both intakes of events. */
export function eventsRoutes({ intake, byKey, byDomain, preflight }: EventsDeps) {
  const take = async (
    request: Request,
    siteId: number,
    source: 'public' | 'key',
    body: unknown,
  ): Promise<Response> => {
    const events = readEvents(body);
    const device = deviceOf(request.headers);
    const answer = await intake.accept({ siteId, source, device, events });
    return Response.json(envelope('Events accepted', answer), { status: 202 });
  };
  return new Elysia({ name: 'events' })
    .post(
      '/v1/public/events',
      async ({ request }) => {
        const named = queryValue(request, 'domain');
        if (named !== undefined) {
          const site = await byDomain(request, named, 'events');
          return take(request, site.id, 'public', await readBody(request));
        }
        allowReading(request);
        const body = await readBody(request);
        const site = await byDomain(request, domainIn(body), 'events');
        return take(request, site.id, 'public', body);
      },
      publicOperation,
    )
    .options('/v1/public/events', ({ request }) => preflight(request, 'POST'))
    .post(
      '/v1/events/track',
      async ({ request }) => {
        const site = await byKey(request, { budget: 'track' });
        return take(request, site.id, 'key', await readBody(request));
      },
      trackOperation,
    );
}

function readBody(request: Request): Promise<unknown> {
  return readJsonBody(request, bodyByteMax, bodyTypes);
}

function domainIn(body: unknown): string | undefined {
  const domain =
    typeof body === 'object' && body !== null && 'domain' in body ? body.domain : undefined;
  return typeof domain === 'string' ? domain : undefined;
}
