import { insertAuditEntry } from '../auth/audit-log.ts';
import type { Queries } from '../database/database.ts';
import { listNumbers } from '../database/dialect.ts';
import type { NewVoice, Voice } from '../database/schema.ts';
import { updateVoice, upsertVoice } from './store.ts';

/** Gives a voice another model. It keeps its id, name, plan and whether it is enabled. */
export async function updateModel(db: Queries, voice: Voice, next: NewVoice): Promise<void> {
  const {
    content_hash,
    speaker,
    language,
    locale,
    quality,
    gender,
    sample_rate_hz,
    license = null,
    source = null,
  } = next;
  const isSameModel = content_hash === voice.content_hash && speaker === voice.speaker;
  if (!isSameModel) await db.deleteFrom('voice_sample').where('voice_id', '=', voice.id).execute();
  await updateVoice(db, voice.id, {
    ...{ content_hash, speaker, language, locale, quality, gender, sample_rate_hz, license, source },
    ...{ builtin: next.builtin ?? null, replaced_by: null },
    ...(!isSameModel && {
      ...{ license_accepted_by: null, license_accepted_at: null, license_accepted_text: null },
      ...{ gain_db: next.gain_db, real_time_factor: null },
    }),
  });
}

/** Names the voice that speaks in place of one that is gone, also in the settings of sites and feed sources. */
export async function replaceVoice(db: Queries, gone: Voice, successor: Voice): Promise<void> {
  await updateVoice(db, gone.id, { replaced_by: successor.id });
  // Its own predecessors, too: a successor has none itself.
  await db.updateTable('voice').set({ replaced_by: successor.id }).where('replaced_by', '=', gone.id).execute();
  await db
    .updateTable('site')
    .set({ default_voice_id: successor.id })
    .where('default_voice_id', '=', gone.id)
    .execute();
  await db.updateTable('feed_source').set({ voice_id: successor.id }).where('voice_id', '=', gone.id).execute();
  for (const column of ['default_voices', 'extra_voices'] as const) {
    const sites = await db
      .selectFrom('site')
      .select(['id', `${column} as voices`])
      .where((row) =>
        row.exists(
          row
            .selectFrom(listNumbers(db, `site.${column}`).as('voice'))
            .select('voice.value')
            .where('voice.value', '=', gone.id),
        ),
      )
      .execute();
    for (const { id, voices } of sites) {
      const ids = (JSON.parse(voices) as number[]).map((voiceId) => (voiceId === gone.id ? successor.id : voiceId));
      const changes = { [column]: JSON.stringify([...new Set(ids)]) };
      await db.updateTable('site').set(changes).where('id', '=', id).execute();
    }
  }
  await insertAuditEntry(db, {
    ...{ userId: null, action: 'voice.replaced', subject: gone.name },
    ...{ before: { id: gone.id, name: gone.name }, after: { id: successor.id, name: successor.name } },
  });
}

/**
 * Moves the speakers of a changed file to its new model, if they still speak the same language.
 * @param previousHash content hash of the file before
 * @param rows the speakers of the new model
 */
export async function updateFileVoices(db: Queries, previousHash: string, rows: readonly NewVoice[]): Promise<void> {
  for (const row of rows) {
    const find = (contentHash: string) =>
      db
        .selectFrom('voice')
        .selectAll()
        .where('content_hash', '=', contentHash)
        .where('speaker', '=', row.speaker)
        .where('language', '=', row.language)
        .executeTakeFirst();
    const before = await find(previousHash);
    if (before === undefined) continue;
    const known = await find(row.content_hash);
    if (known === undefined) await updateModel(db, before, row);
    else await replaceVoice(db, before, await upsertVoice(db, row));
  }
}

/** @returns for each voice the ids of those that it has replaced */
export function listFormerIds(rows: readonly Voice[]): Map<number, number[]> {
  const former = new Map<number, number[]>();
  for (const { id, replaced_by } of rows) {
    if (replaced_by !== null) former.set(replaced_by, [...(former.get(replaced_by) ?? []), id]);
  }
  return former;
}
