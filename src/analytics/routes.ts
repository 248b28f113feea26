import type { TSchema } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { allowRequestOrigin, parseHostName } from '../auth/domain-access.ts';
import type { DeviceClass, EventSource } from '../database/feature-schema.ts';
import type { Site } from '../database/schema.ts';
import { AppError, throwIfInvalid } from '../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../http/endpoint.ts';
import { readJsonBody } from '../http/request-body.ts';
import { warnOfUnknownMembers } from '../http/request-context.ts';
import { findFieldErrors, getQueryParam, parseIsoTimestamp, parsePrimaryLanguage } from '../http/validation.ts';
import type { Services } from '../services.ts';
import {
  AcceptedEvents,
  Event,
  EventBatch,
  type ParsedEvent,
  PublicEventsBody,
  PublicEventsQuery,
  TrackBody,
} from './schema.ts';

/** Of a `User-Agent` only this class is stored. */
function parseDeviceClass(headers: Headers): DeviceClass {
  const agent = headers.get('user-agent') ?? '';
  if (/iPad|Tablet|PlayBook|Silk|Kindle/i.test(agent)) return 'tablet';
  if (/Android/i.test(agent)) return /Mobile/i.test(agent) ? 'phone' : 'tablet';
  if (/iPhone|iPod|Mobi|Windows Phone/i.test(agent)) return 'phone';
  if (headers.get('sec-ch-ua-mobile') === '?1') return 'phone';
  if (/bot\b|crawl|spider/i.test(agent)) return 'other';
  return /Windows NT|Macintosh|X11|CrOS|Linux/i.test(agent) ? 'desktop' : 'other';
}

/**
 * @param body the parsed JSON body: an event, or a batch of them
 * @throws AppError `validation_failed` with all invalid fields, in a batch such as `events.3.type`
 */
function parseEvents(body: unknown): ParsedEvent[] {
  const isBatch = typeof body === 'object' && body !== null && 'events' in body;
  const fieldErrors = findFieldErrors(isBatch ? EventBatch : Event, body);
  throwIfInvalid(fieldErrors);
  const events = isBatch ? (body as { events: Event[] }).events : [body as Event];
  const checked = events.map((event, index) =>
    parseEvent(event, (field, problem) => {
      fieldErrors[isBatch ? `events.${index}.${field}` : field] = [problem];
    }),
  );
  throwIfInvalid(fieldErrors);
  return checked;
}

function parseEvent(event: Event, addError: (field: string, problem: string) => void): ParsedEvent {
  for (const field of ['post_id', 'session_id', 'event_id', 'value'] as const) {
    if (!isPrintable(event[field])) addError(field, 'must contain only printable characters');
  }
  const language = event.language == null ? null : parsePrimaryLanguage(event.language);
  if (language === undefined) addError('language', 'must be a language code such as en or de');
  const occurredAt = event.occurred_at == null ? null : parseIsoTimestamp(event.occurred_at);
  if (occurredAt === undefined) addError('occurred_at', 'must be an ISO 8601 date and time');
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

/** SQLite does not return control characters and lone surrogates as they were. */
function isPrintable(value: unknown): boolean {
  return typeof value !== 'string' || (!/\p{Cc}/u.test(value) && value.isWellFormed());
}

/** Holds the largest batch in any script. Without credentials 64 KB are enough for the batches of a player. */
const maxBodyBytes = 512 * 1024;
/** `navigator.sendBeacon` sends `text/plain`, which needs no CORS preflight. */
const bodyTypes = ['application/json', 'text/plain'];

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
const responses = {
  202: {
    description: 'Stored',
    message: 'Events accepted',
    data: AcceptedEvents,
    example: { accepted: 2, duplicates: 0 },
  },
};
const batchDescription =
  'One event or a batch of up to 100; a batch is accepted or rejected as a whole. The monthly quota (UTC, by time of receipt) counts only new events.';

const publicSpec = endpointSpec({
  summary: 'Send events from a page',
  description: `${batchDescription} Also accepted as \`text/plain\`, as \`navigator.sendBeacon\` sends it. No IP address or user agent is stored. At most 64 KB. One address may store 2,000 events a minute for a domain (a setting).`,
  tag: 'Events',
  access: 'domain',
  query: PublicEventsQuery,
  body: PublicEventsBody,
  bodyExample: { domain: 'www.example.org', events: exampleEvents },
  bodyTypes,
  responses,
  errors: ['analytics_quota_exceeded', 'events_waiting', 'disk_space_low'],
});

const trackSpec = endpointSpec({
  summary: 'Send events from a server',
  description: `${batchDescription} Counted separately from public events, with the same quota.`,
  tag: 'Events',
  access: 'key',
  body: TrackBody,
  bodyExample: { events: exampleEvents },
  bodyTypes,
  responses,
  errors: ['analytics_quota_exceeded', 'events_waiting', 'disk_space_low'],
});

/**
 * Not mounted by `endpoint()`: the domain of a page may be in the body, and events of servers have their own rate limit.
 */
export function eventsRoutes(services: Services) {
  const { intake, addressLimits, diskSpace, requireApiKey, requireDomain, preflight } = services;
  const accept = async (request: Request, { id, time_zone }: Site, source: EventSource, events: ParsedEvent[]) =>
    intake.accept({ siteId: id, timeZone: time_zone, source, device: parseDeviceClass(request.headers), events });
  const respond = (result: AcceptedEvents) => Response.json(envelope(responses[202].message, result), { status: 202 });
  const requirePageDomain = async (request: Request, domain: string | undefined): Promise<Site> => {
    try {
      return await requireDomain(request, domain, 'events');
    } catch (error) {
      const isUnknown = error instanceof AppError && error.code === 'unknown_domain';
      if (isUnknown) await addressLimits.countUnknownDomain(request);
      throw error;
    }
  };
  const acceptPublic = async (request: Request, site: Site, domain: string | undefined, body: unknown) => {
    const events = parseEvents(body);
    const host = parseHostName(domain ?? '') ?? '';
    const takeBack = await addressLimits.countEvents(request, site, host, events.length);
    try {
      const result = await accept(request, site, 'public', events);
      await takeBack(result.duplicates);
      return respond(result);
    } catch (error) {
      await takeBack(events.length);
      throw error;
    }
  };
  return new Elysia({ name: 'events' })
    .post(
      '/v1/public/events',
      async ({ request }) => {
        const domain = getQueryParam(request, 'domain');
        if (domain !== undefined) {
          const site = await requirePageDomain(request, domain);
          diskSpace.requireRoom('events');
          return acceptPublic(request, site, domain, await readBody(request, PublicEventsBody));
        }
        allowRequestOrigin(request);
        const body = await readBody(request, PublicEventsBody);
        const domainInBody = parseDomain(body);
        const site = await requirePageDomain(request, domainInBody);
        diskSpace.requireRoom('events');
        return acceptPublic(request, site, domainInBody, body);
      },
      toEndpointHook(publicSpec),
    )
    .options('/v1/public/events', ({ request }) => preflight(request, 'POST'))
    .post(
      '/v1/events/track',
      async ({ request }) => {
        const site = await requireApiKey(request, { budget: 'track' });
        diskSpace.requireRoom('events');
        return respond(await accept(request, site, 'key', parseEvents(await readBody(request, TrackBody))));
      },
      toEndpointHook(trackSpec),
    );
}

async function readBody(request: Request, schema: TSchema): Promise<unknown> {
  const body = await readJsonBody(request, maxBodyBytes, bodyTypes);
  warnOfUnknownMembers(request, schema, body);
  return body;
}

function parseDomain(body: unknown): string | undefined {
  const domain = typeof body === 'object' && body !== null && 'domain' in body ? body.domain : undefined;
  return typeof domain === 'string' ? domain : undefined;
}
