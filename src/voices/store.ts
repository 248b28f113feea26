import type { Selectable } from 'kysely';
import { insertAuditEntry } from '../auth/audit-log.ts';
import type { Queries } from '../database/database.ts';
import { listNumbers } from '../database/dialect.ts';
import { prepareQuery } from '../database/query-cache.ts';
import type { NewVoice, Site, Tables, Voice } from '../database/schema.ts';
import { auditLicenseAcceptance, buildLicenseAcceptance, classifyLicense } from './license.ts';

const planRank = { starter: 0, growth: 1, enterprise: 2 };

/** Whether the plan of a site includes a voice. */
export function isUnlocked(voice: Voice, site: Pick<Site, 'plan'>): boolean {
  return planRank[voice.plan_required] <= planRank[site.plan];
}

/** @returns the voices that a site may use, in their order */
export function allowedVoices<V extends Voice>(voices: readonly V[], site: Pick<Site, 'plan'>): V[] {
  return voices.filter((voice) => voice.enabled === 1 && isUnlocked(voice, site));
}

/** The settings of a site that decide which voice reads a post. */
export type DefaultVoices = Pick<Site, 'plan' | 'default_voice_id' | 'default_voices'>;

/**
 * @param language undefined: that of the site's default voice, or of the first voice
 * @returns the voice that reads posts of the site in a language; undefined: none speaks it
 */
export function selectDefaultVoice<V extends Voice>(
  allowed: readonly V[],
  site: Omit<DefaultVoices, 'plan'>,
  language?: string,
): V | undefined {
  const defaultVoice = allowed.find(({ id }) => id === site.default_voice_id);
  const wanted = language ?? (defaultVoice ?? allowed[0])?.language;
  if (defaultVoice?.language === wanted) return defaultVoice;
  const chosen = JSON.parse(site.default_voices) as number[];
  const speaking = allowed.filter((voice) => voice.language === wanted);
  return speaking.find(({ id }) => chosen.includes(id)) ?? speaking[0];
}

/** Undefined members stay unchanged. */
export interface VoiceChanges {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly planRequired?: Voice['plan_required'] | undefined;
  /** For all speakers of the model. */
  readonly acceptLicense?: boolean | undefined;
}

/** Updates a voice with an audit entry. @param userId null: by command line */
export async function updateVoiceAudited(
  db: Queries,
  voiceId: number,
  changes: VoiceChanges,
  userId: number | null,
): Promise<Voice> {
  const before = await findVoice(db, voiceId);
  const after = await updateVoice(db, voiceId, {
    enabled: changes.enabled === undefined ? before.enabled : Number(changes.enabled),
    ...(changes.name !== undefined && { name: changes.name }),
    ...(changes.planRequired !== undefined && { plan_required: changes.planRequired }),
  });
  if (!Bun.deepEquals(toAuditSettings(before), toAuditSettings(after))) {
    await insertAuditEntry(db, {
      ...{ userId, action: 'voice.updated', subject: before.name },
      ...{ before: toAuditSettings(before), after: toAuditSettings(after) },
    });
  }
  if (changes.acceptLicense !== true || after.license_accepted_text !== null) return after;
  const named = { license: after.license, status: classifyLicense(after.license) };
  const accepted = await buildLicenseAcceptance(db, named, userId);
  await auditLicenseAcceptance(db, await updateSpeakers(db, after.content_hash, accepted), userId);
  return findVoice(db, voiceId);
}

function toAuditSettings({ name, enabled, plan_required }: Voice): object {
  return { name, plan_required, enabled: enabled === 1 };
}

/** Result of the last inspection of a voice file. */
export type InspectedFile = Selectable<Tables['voice_file']>;

/** Inserts a voice. A known one with the same content and speaker keeps its id and settings, and speaks again if it was replaced or removed. */
export async function upsertVoice(db: Queries, voice: NewVoice): Promise<Voice> {
  const { builtin = null, replaced_by = null } = voice;
  await db
    .insertInto('voice')
    .values(voice)
    .onConflict((conflict) =>
      conflict
        .columns(['content_hash', 'speaker'])
        .doUpdateSet({ builtin, replaced_by, deleted_at: null })
        .where((voice) =>
          voice.or([voice('voice.replaced_by', 'is not', null), voice('voice.deleted_at', 'is not', null)]),
        ),
    )
    .execute();
  return db
    .selectFrom('voice')
    .selectAll()
    .where('content_hash', '=', voice.content_hash)
    .where('speaker', '=', voice.speaker)
    .executeTakeFirstOrThrow();
}

export function listVoices(db: Queries): Promise<Voice[]> {
  return queryVoices(db, {});
}

const queryVoices = prepareQuery((db) => db.selectFrom('voice').selectAll().orderBy('id'));

/** @returns the content hashes of voices that were removed before a time, and whose files may be there */
export async function listRemovedContents(db: Queries, before: string): Promise<string[]> {
  const rows = await db
    .selectFrom('voice')
    .select('content_hash')
    .distinct()
    .where('deleted_at', '<=', before)
    .execute();
  return rows.map(({ content_hash }) => content_hash);
}

/** @returns the gain of the first speaker in dB; undefined: not measured */
export async function findGain(db: Queries, contentHash: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('voice')
    .select('gain_db')
    .where('content_hash', '=', contentHash)
    .where('speaker', '=', 0)
    .executeTakeFirst();
  return row?.gain_db ?? undefined;
}

export function findInspectedFile(db: Queries, path: string): Promise<InspectedFile | undefined> {
  return db.selectFrom('voice_file').selectAll().where('path', '=', path).executeTakeFirst();
}

/** @returns whether one of the files has this content */
export async function hasFileWithContent(db: Queries, contentHash: string, paths: readonly string[]): Promise<boolean> {
  const files = db.selectFrom('voice_file').select('path').where('content_hash', '=', contentHash);
  return (await files.execute()).some(({ path }) => paths.includes(path));
}

export async function upsertInspectedFile(db: Queries, file: InspectedFile): Promise<void> {
  await db
    .insertInto('voice_file')
    .values(file)
    .onConflict((conflict) => conflict.column('path').doUpdateSet(file))
    .execute();
}

export async function deleteInspectedFile(db: Queries, path: string): Promise<void> {
  await db.deleteFrom('voice_file').where('path', '=', path).execute();
}

function findVoice(db: Queries, voiceId: number): Promise<Voice> {
  return db.selectFrom('voice').selectAll().where('id', '=', voiceId).executeTakeFirstOrThrow();
}

/** @param changes at least one */
export function updateVoice(db: Queries, voiceId: number, changes: Partial<Voice>): Promise<Voice> {
  return db.updateTable('voice').set(changes).where('id', '=', voiceId).returningAll().executeTakeFirstOrThrow();
}

export async function updateMeasurements(
  db: Queries,
  voiceId: number,
  measured: Pick<Voice, 'gain_db' | 'real_time_factor'>,
): Promise<void> {
  await db.updateTable('voice').set(measured).where('id', '=', voiceId).execute();
}

/** @param text model card or license; null: none */
export async function replaceLicenseText(db: Queries, contentHash: string, text: string | null): Promise<void> {
  await db.deleteFrom('voice_license_text').where('content_hash', '=', contentHash).execute();
  if (text === null) return;
  await db.insertInto('voice_license_text').values({ content_hash: contentHash, text }).execute();
}

export async function findLicenseText(db: Queries, contentHash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('voice_license_text')
    .select('text')
    .where('content_hash', '=', contentHash)
    .executeTakeFirst();
  return row?.text;
}

export async function upsertSample(db: Queries, voiceId: number, mp3: Uint8Array): Promise<void> {
  await db
    .insertInto('voice_sample')
    .values({ voice_id: voiceId, mp3 })
    .onConflict((conflict) => conflict.column('voice_id').doUpdateSet({ mp3 }))
    .execute();
}

export async function findSample(db: Queries, voiceId: number): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom('voice_sample').select('mp3').where('voice_id', '=', voiceId).executeTakeFirst();
  return row?.mp3;
}

/** Deletes the samples and license text of all speakers of a model. */
export async function deleteSoundData(db: Queries, contentHash: string): Promise<void> {
  await db.deleteFrom('voice_sample').where('voice_id', 'in', selectSpeakerIds(db, contentHash)).execute();
  await db.deleteFrom('voice_license_text').where('content_hash', '=', contentHash).execute();
}

function selectSpeakerIds(db: Queries, contentHash: string) {
  return db.selectFrom('voice').select('id').where('content_hash', '=', contentHash);
}

/** Changes all speakers of a model. @param changes at least one */
export function updateSpeakers(db: Queries, contentHash: string, changes: Partial<Voice>): Promise<Voice[]> {
  return db.updateTable('voice').set(changes).where('content_hash', '=', contentHash).returningAll().execute();
}

const maxNamedUsers = 20;

/** The first users of a voice by name, and the number of all. */
interface VoiceUsers {
  readonly names: readonly string[];
  readonly count: number;
}

/** @returns the sites with any speaker of a voice as default or extra voice, and the posts with audio or a language span in it */
export async function findVoiceUses(
  db: Queries,
  contentHash: string,
): Promise<{ sites: VoiceUsers; posts: VoiceUsers }> {
  const speakers = selectSpeakerIds(db, contentHash);
  const sites = db
    .selectFrom('site')
    .where('deleted_at', 'is', null)
    .where((row) =>
      row.or([
        row('default_voice_id', 'in', speakers),
        ...(['site.default_voices', 'site.extra_voices'] as const).map((column) =>
          row.exists(
            row
              .selectFrom(listNumbers(db, column).as('voice'))
              .select('voice.value')
              .where('voice.value', 'in', speakers),
          ),
        ),
      ]),
    );
  const posts = db
    .selectFrom('audio')
    .innerJoin('post', 'post.id', 'audio.post_id')
    .innerJoin('site', 'site.id', 'post.site_id')
    .where('site.deleted_at', 'is', null)
    .where((row) =>
      row.or([
        row('audio.voice_id', 'in', speakers),
        // Passages in another language than the post's, in the version that is served or made.
        row(
          'audio.id',
          'in',
          row
            .selectFrom('planned_segment')
            .innerJoin('version', 'version.id', 'planned_segment.version_id')
            .select('version.audio_id')
            .where('version.expires_at', 'is', null)
            .where('planned_segment.voice_id', 'in', speakers),
        ),
      ]),
    );
  const siteNames = await sites.select('slug').orderBy('slug').limit(maxNamedUsers).execute();
  const siteCount = await sites.select((all) => all.fn.countAll<number>().as('count')).execute();
  const postNames = await posts
    .select(['post.id', 'post.external_id', 'site.slug'])
    .distinct()
    .orderBy('post.id')
    .limit(maxNamedUsers)
    .execute();
  const postCount = await posts.select((all) => all.fn.count<number>('post.id').distinct().as('count')).execute();
  return {
    sites: { names: siteNames.map(({ slug }) => slug), count: siteCount[0]?.count ?? 0 },
    posts: {
      names: postNames.map(({ external_id, slug }) => `${external_id} (${slug})`),
      count: postCount[0]?.count ?? 0,
    },
  };
}
