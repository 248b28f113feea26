import bucheConfig from '../../voices/de_DE-buche-medium.onnx.json' with { type: 'file' };
import aspenConfig from '../../voices/en_US-aspen-medium.onnx.json' with { type: 'file' };
import cedarConfig from '../../voices/en_US-cedar-medium.onnx.json' with { type: 'file' };
import encinaConfig from '../../voices/es_ES-encina-medium.onnx.json' with { type: 'file' };
import robleConfig from '../../voices/es_ES-roble-medium.onnx.json' with { type: 'file' };
import sauleConfig from '../../voices/fr_FR-saule-medium.onnx.json' with { type: 'file' };
import lecternModel from '../../voices/lectern-medium.onnx' with { type: 'file' };
import { insertAuditEntry } from '../auth/audit-log.ts';
import { releaseEmbeddedPages } from '../build/release-pages.ts';
import type { Database, Queries } from '../database/database.ts';
import { listNumbers } from '../database/dialect.ts';
import type { NewVoice, Voice } from '../database/schema.ts';
import { AppError } from '../errors.ts';
import { parseVoiceConfig } from '../speech/synthesize/voice-config.ts';
import { createVoiceHasher, readVoiceFile, type VoiceFiles } from '../speech/synthesize/voice-model.ts';
import { buildVoiceRows, formatDisplayName } from './inspect.ts';
import { listVoices, updateVoice, upsertVoice } from './store.ts';

/** A voice inside the executable, with the facts a Piper config has no place for. */
export interface BuiltinVoice {
  /** Its file name without `.onnx`. */
  readonly stem: string;
  readonly modelPath: string;
  readonly configPath: string;
  /** Speaker number in the model. */
  readonly speaker: number;
  readonly gender: 'female' | 'male';
  readonly license: string;
  readonly source: string;
  /** As a worker measures it; a test compares. */
  readonly gainDb: number;
}

/** Six speakers of one model; each has a config of its own, with its language. */
const lecternVoices = [
  { stem: 'en_US-aspen-medium', config: aspenConfig, speaker: 0, gender: 'female', gainDb: 7.33 },
  { stem: 'en_US-cedar-medium', config: cedarConfig, speaker: 1, gender: 'male', gainDb: 10.4 },
  { stem: 'fr_FR-saule-medium', config: sauleConfig, speaker: 2, gender: 'female', gainDb: 3.91 },
  { stem: 'es_ES-encina-medium', config: encinaConfig, speaker: 3, gender: 'female', gainDb: 9.98 },
  { stem: 'es_ES-roble-medium', config: robleConfig, speaker: 4, gender: 'male', gainDb: 9.7 },
  {
    stem: 'de_DE-buche-medium',
    config: bucheConfig,
    speaker: 5,
    gender: 'female',
    gainDb: 9.35,
    source: 'Made for Lectern: distilled from Kokoro-82M, adapted to recordings of Kerstin (CC0 1.0)',
  },
] as const;

/** The first is the default. */
export const builtinVoices: readonly BuiltinVoice[] = lecternVoices.map(({ config, ...voice }) => ({
  source: 'Made for Lectern: distilled from Kokoro-82M',
  ...voice,
  license: 'Apache License 2.0: voices/LICENSE.md',
  modelPath: lecternModel,
  // With `type: 'file'` a .json import is the path; TypeScript types it as the contents.
  configPath: String(config),
}));

/** Where a built-in voice is. */
export interface BuiltinPlace extends Pick<BuiltinVoice, 'stem' | 'speaker'> {
  readonly files: VoiceFiles;
}

interface LocatedBuiltin {
  readonly voice: BuiltinVoice;
  readonly place: BuiltinPlace;
  readonly configBytes: Uint8Array;
}

/**
 * Stores the built-in voices. One of an earlier version keeps its id, name, plan and whether it is enabled, with the model of
 * this version; one that this version no longer has is replaced by one of its language.
 */
export async function registerBuiltins(database: Database): Promise<BuiltinPlace[]> {
  const located = locateBuiltins();
  if (!isRegistered(await listVoices(database.read), located)) {
    await database.write('server', (db) => register(db, located));
  }
  releaseEmbeddedPages();
  return located.map(({ place }) => place);
}

function locateBuiltins(): LocatedBuiltin[] {
  return [...Map.groupBy(builtinVoices, (voice) => voice.modelPath)].flatMap(([modelPath, voices]) => {
    const { hashWith } = createVoiceHasher(readVoiceFile(modelPath, 'model'));
    return voices.map((voice) => {
      const { stem, speaker, configPath } = voice;
      const configBytes = readVoiceFile(configPath, 'config');
      const files = { modelPath, configPath, contentHash: hashWith(configBytes) };
      return { voice, place: { stem, speaker, files }, configBytes };
    });
  });
}

function isRegistered(rows: readonly Voice[], located: readonly LocatedBuiltin[]): boolean {
  const areCurrent = located.every(({ place }) => rows.some((row) => isCurrent(row, place)));
  return areCurrent && listGone(rows, located).every(({ replaced_by }) => replaced_by !== null);
}

/** @returns built-in voices of earlier versions that one of this version can replace */
function listGone(rows: readonly Voice[], located: readonly LocatedBuiltin[]): Voice[] {
  const languages = new Set(
    rows.flatMap((row) => (located.some(({ place }) => isCurrent(row, place)) ? row.language : [])),
  );
  return rows.filter(
    (row) => row.builtin !== null && languages.has(row.language) && !located.some(({ place }) => isCurrent(row, place)),
  );
}

function isCurrent(row: Voice, { stem, speaker, files }: BuiltinPlace): boolean {
  return hasContent(row, files.contentHash, speaker) && row.builtin === stem && row.replaced_by === null;
}

function hasContent(row: Voice, contentHash: string, speaker: number): boolean {
  return row.content_hash === contentHash && row.speaker === speaker;
}

async function register(db: Queries, located: readonly LocatedBuiltin[]): Promise<void> {
  const before = await listVoices(db);
  for (const builtin of located) {
    const { stem, speaker, files } = builtin.place;
    const known =
      before.find((row) => hasContent(row, files.contentHash, speaker)) ??
      before.findLast((row) => row.builtin === stem && row.replaced_by === null);
    const row = buildBuiltinRow(builtin);
    if (known === undefined) await upsertVoice(db, { ...row, ...findInherited(before, located, row) });
    else await updateModel(db, known, row);
  }
  const rows = await listVoices(db);
  for (const gone of listGone(rows, located)) {
    const current = rows.filter((row) => located.some(({ place }) => isCurrent(row, place)));
    const successor = findSuccessor(gone, current);
    if (successor !== undefined && gone.replaced_by !== successor.id) await replaceVoice(db, gone, successor);
  }
}

function buildBuiltinRow({ voice, place, configBytes }: LocatedBuiltin): NewVoice {
  const config = parseVoiceConfig(new TextDecoder().decode(configBytes));
  const { stem, gender, license, source, speaker } = voice;
  const row = buildVoiceRows(stem, place.files.contentHash, config)[speaker];
  if (row === undefined) throw new AppError('bad_voice', `Built-in voice ${stem} has no speaker ${speaker}`);
  const name = formatDisplayName(stem);
  return { ...row, name, gender, license, source, gain_db: voice.gainDb, builtin: stem, replaced_by: null };
}

/** @returns what an admin has set for the voice that a new one replaces */
function findInherited(
  rows: readonly Voice[],
  located: readonly LocatedBuiltin[],
  { language, gender }: NewVoice,
): Partial<Pick<Voice, 'enabled' | 'plan_required'>> {
  const stems = new Set(located.map(({ place }) => place.stem));
  const gone = rows.find(
    (row) =>
      row.builtin !== null &&
      !stems.has(row.builtin) &&
      row.replaced_by === null &&
      row.language === language &&
      row.gender === gender,
  );
  return gone === undefined ? {} : { enabled: gone.enabled, plan_required: gone.plan_required };
}

/** An enabled voice of the same language, rather one of the same gender. A voice that was replaced before keeps its successor. */
function findSuccessor(gone: Voice, current: readonly Voice[]): Voice | undefined {
  const rank = (row: Voice): number =>
    (row.id === gone.replaced_by ? 8 : 0) +
    (row.builtin === gone.builtin ? 4 : 0) +
    (row.enabled === 1 ? 2 : 0) +
    (row.gender === gone.gender ? 1 : 0);
  return current.filter(({ language }) => language === gone.language).toSorted((a, b) => rank(b) - rank(a))[0];
}

/** Gives a voice another model. It keeps its id, name, plan and whether it is enabled. */
async function updateModel(db: Queries, voice: Voice, next: NewVoice): Promise<void> {
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
async function replaceVoice(db: Queries, gone: Voice, successor: Voice): Promise<void> {
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
