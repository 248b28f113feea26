import { randomBytes } from 'node:crypto';
import type { AudioEventHandler } from '../audio/events.ts';
import { timestamp } from '../clock.ts';
import { afterCommit, type Queries } from '../database/database.ts';

const messageIdByteCount = 18;

export const testEventType = 'webhook.test';

export interface NewMessage {
  readonly siteId: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Writes a message for each subscribed endpoint, in the transaction of the change.
 * @param mediaUrl address of an MP3 by its media key
 * @param wake starts the delivery
 */
export function createOutboxHandler(mediaUrl: (mediaKey: string) => string, wake: () => void): AudioEventHandler {
  return async (db, change) => {
    const endpointIds = await listSubscribedEndpointIds(db, change.siteId, change.type);
    if (endpointIds.length === 0) return;
    const messageId = await insertMessage(db, {
      siteId: change.siteId,
      type: change.type,
      data: {
        id: change.audioId,
        post_id: change.postId,
        language: change.language,
        status: change.status,
        audio_url: change.mediaKey === null ? null : mediaUrl(change.mediaKey),
        duration_seconds: change.durationMs === null ? null : Math.round(change.durationMs / 1000),
        error: change.error,
      },
    });
    const now = timestamp();
    for (const endpoint_id of endpointIds) {
      await db
        .insertInto('webhook_delivery')
        .values({
          ...{ endpoint_id, message_id: messageId, state: 'pending' },
          ...{ attempt_count: 0, failure_count: 0 },
          ...{ next_attempt_at: now, created_at: now, updated_at: now },
        })
        .execute();
    }
    afterCommit(db, wake);
  };
}

/** @returns id of the message, the same at every attempt to deliver it */
export async function insertMessage(db: Queries, message: NewMessage): Promise<string> {
  const id = `msg_${randomBytes(messageIdByteCount).toString('base64url')}`;
  const created_at = timestamp();
  const { slug } = await db
    .selectFrom('site')
    .select('slug')
    .where('id', '=', message.siteId)
    .executeTakeFirstOrThrow();
  const { type, data } = message;
  await db
    .insertInto('webhook_message')
    .values({
      ...{ id, type, created_at },
      site_id: message.siteId,
      body: JSON.stringify({ type, timestamp: created_at, data: { site: slug, ...data } }),
    })
    .execute();
  return id;
}

/** Also deleted endpoints: their messages are sent if the deletion is undone. */
async function listSubscribedEndpointIds(db: Queries, siteId: number, type: string): Promise<number[]> {
  const endpoints = await db
    .selectFrom('webhook_endpoint')
    .select(['id', 'event_types'])
    .where('site_id', '=', siteId)
    .where('active', '=', 1)
    .orderBy('id')
    .execute();
  return endpoints
    .filter(({ event_types }) => (JSON.parse(event_types) as string[]).includes(type))
    .map(({ id }) => id);
}
