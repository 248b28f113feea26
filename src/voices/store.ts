import type { Queries } from '../database/open.ts';
import type { NewVoice, Voice } from '../database/tables.ts';

/** What a voice file was found to be when it was last looked at. */
export interface KnownFile {
  readonly path: string;
  readonly stamp: string;
  readonly content_hash: string | null;
  readonly problem: string | null;
}

/** Adds a voice, or leaves it as it is when the same bytes and speaker are known: the id stays. */
export async function keepVoice(db: Queries, voice: NewVoice): Promise<Voice> {
  await db
    .insertInto('voice')
    .values(voice)
    .onConflict((conflict) => conflict.columns(['content_hash', 'speaker']).doNothing())
    .execute();
  return db
    .selectFrom('voice')
    .selectAll()
    .where('content_hash', '=', voice.content_hash)
    .where('speaker', '=', voice.speaker)
    .executeTakeFirstOrThrow();
}

export function listVoices(db: Queries): Promise<Voice[]> {
  return db.selectFrom('voice').selectAll().orderBy('id').execute();
}

export async function setGain(db: Queries, voiceId: number, gainDb: number): Promise<void> {
  await db.updateTable('voice').set({ gain_db: gainDb }).where('id', '=', voiceId).execute();
}

export function findKnownFile(db: Queries, path: string): Promise<KnownFile | undefined> {
  return db.selectFrom('voice_file').selectAll().where('path', '=', path).executeTakeFirst();
}

export async function keepKnownFile(db: Queries, file: KnownFile): Promise<void> {
  await db
    .insertInto('voice_file')
    .values(file)
    .onConflict((conflict) => conflict.column('path').doUpdateSet(file))
    .execute();
}
