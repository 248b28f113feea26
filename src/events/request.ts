import type { DeviceClass, EventSource } from '../database/event-tables.ts';
import { AppError, type FieldErrors } from '../errors.ts';
import { primaryLanguage } from '../http/language-code.ts';
import { readTimestamp } from '../http/timestamp.ts';
import { problemsOf } from '../http/validate.ts';
import { Event, EventBatch, type EventType } from './schema.ts';

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
export function readEvents(body: unknown): CheckedEvent[] {
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
