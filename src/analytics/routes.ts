import { Elysia } from 'elysia';
import type { KeyAccess } from '../auth/api-keys.ts';
import { allowReading, type DomainAccess, type Preflight } from '../auth/domain-access.ts';
import type { DeviceClass, EventSource } from '../database/feature-schema.ts';
import { AppError, type FieldErrors } from '../errors.ts';
import { described, envelope } from '../http/endpoint.ts';
import { readJsonBody } from '../http/request-body.ts';
import { primaryLanguage, problemsOf, queryValue, readTimestamp } from '../http/validation.ts';
import type { Intake } from './intake.ts';
import {
  Event,
  EventBatch,
  EventsAnswer,
  type EventType,
  PublicEventsBody,
  PublicEventsQuery,
  TrackBody,
} from './schema.ts';

/** @returns the coarse class of the device that sent a request: all that is kept of its `User-Agent` */
function deviceOf(headers: Headers): DeviceClass {
  const agent = headers.get('user-agent') ?? '';
  if (/iPad|Tablet|PlayBook|Silk|Kindle/i.test(agent)) return 'tablet';
  if (/Android/i.test(agent)) return /Mobile/i.test(agent) ? 'phone' : 'tablet';
  if (/iPhone|iPod|Mobi|Windows Phone/i.test(agent)) return 'phone';
  if (headers.get('sec-ch-ua-mobile') === '?1') return 'phone';
  if (/bot\b|crawl|spider/i.test(agent)) return 'other';
  return /Windows NT|Macintosh|X11|CrOS|Linux/i.test(agent) ? 'desktop' : 'other';
}

/** An event that has passed every check that needs no database. */
export interface CheckedEvent {
  readonly type: EventType;
  readonly postId: string;
  /** BCP 47 primary code. */
  readonly language: string | null;
  readonly voiceId: number | null;
  readonly sessionId: string | null;
  readonly positionS: number | null;
  readonly heardS: number | null;
  readonly value: string | null;
  /** ISO 8601 UTC, as the sender says. */
  readonly occurredAt: string | null;
  readonly eventId: string | null;
}

/** The events of one request. */
export interface Submission {
  readonly siteId: number;
  readonly source: EventSource;
  readonly device: DeviceClass;
  readonly events: readonly CheckedEvent[];
}

/**
 * @param body the parsed JSON body: an event, or a batch of them
 * @throws AppError `validation_failed` naming every field that is wrong, in a batch like `events.3.type`
 */
function readEvents(body: unknown): CheckedEvent[] {
  const isBatch = typeof body === 'object' && body !== null && 'events' in body;
  const found = problemsOf(isBatch ? EventBatch : Event, body);
  throwAny(found);
  const events = isBatch ? (body as { events: Event[] }).events : [body as Event];
  const checked = events.map((event, index) =>
    check(event, (field, problem) => {
      found[isBatch ? `events.${index}.${field}` : field] = [problem];
    }),
  );
  throwAny(found);
  return checked;
}

function check(event: Event, tell: (field: string, problem: string) => void): CheckedEvent {
  for (const field of ['post_id', 'session_id', 'event_id', 'value'] as const) {
    if (!isPrintable(event[field])) tell(field, 'must hold printable characters only');
  }
  const language = event.language == null ? null : primaryLanguage(event.language);
  if (language === undefined) tell('language', 'must be a language code like en or de');
  const occurredAt = event.occurred_at == null ? null : readTimestamp(event.occurred_at);
  if (occurredAt === undefined) tell('occurred_at', 'must be an ISO 8601 date and time');
  return {
    type: event.type,
    postId: event.post_id,
    language: language ?? null,
    voiceId: event.voice_id ?? null,
    sessionId: event.session_id ?? null,
    positionS: event.position_seconds ?? null,
    heardS: event.heard_seconds ?? null,
    value: event.value == null ? null : String(event.value),
    occurredAt: occurredAt ?? null,
    eventId: event.event_id ?? null,
  };
}

function throwAny(found: FieldErrors): void {
  if (Object.keys(found).length > 0) {
    throw new AppError('validation_failed', 'Validation failed', found);
  }
}

/** What SQLite would not give back as it was, or nobody can read, names nothing. */
function isPrintable(value: unknown): boolean {
  return typeof value !== 'string' || (!/\p{Cc}/u.test(value) && value.isWellFormed());
}

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
