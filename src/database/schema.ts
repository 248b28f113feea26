import type { Generated, Insertable, Selectable } from 'kysely';
import type { SiteSettings } from '../sites/settings.ts';
import type { Column } from './columns.ts';
import type { EventTables, FeedTables, PronunciationTables, WebhookTables } from './feature-schema.ts';
import type { InstallationTables, UserTables } from './installation-schema.ts';

/** ISO 8601 UTC, millisecond precision: sorts as text. */
type Timestamp = string;
/** SQLite has no boolean: 0 or 1. */
type Flag = number;

export type Plan = 'starter' | 'growth' | 'enterprise';
export type AudioStatus = 'pending' | 'generating' | 'ready' | 'failed';
export type Priority = 'high' | 'normal' | 'low';
export type FailureCode = 'no_text' | 'language' | 'voice' | 'speech' | 'internal';

/** Objects hold only what differs from their default. */
type SettingColumns = { [Name in keyof SiteSettings]: Generated<Column<SiteSettings[Name]>> };

interface SiteTable extends SettingColumns {
  id: Generated<number>;
  slug: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** Set: the site is not found any more. It can be restored until `purge_at`; then its rows are deleted. */
  deleted_at: Generated<Timestamp | null>;
  /** Null also for a site that an earlier version deletes, at once. */
  purge_at: Generated<Timestamp | null>;
}

interface SiteDomainTable {
  domain: string;
  site_id: number;
  /** 0 is the primary domain. */
  position: number;
}

/** A host that an editor has requested for a site. It gives no access, and several sites may request the same. */
interface DomainClaimTable {
  site_id: number;
  domain: string;
  /** The editor's e-mail address at that time. */
  requested_by: string;
  requested_at: Timestamp;
}

interface ApiKeyTable {
  id: Generated<number>;
  site_id: number;
  name: string;
  /** The first characters of the key, to recognize it by. */
  prefix: string;
  /** SHA-256 of the whole key, hex. */
  hash: string;
  created_at: Timestamp;
  last_used_at: Timestamp | null;
  revoked_at: Timestamp | null;
}

interface VoiceTable {
  id: Generated<number>;
  /** SHA-256 over model and config, hex: the voice's identity, with `speaker`. */
  content_hash: string;
  speaker: number;
  name: string;
  language: string;
  locale: string;
  quality: string;
  gender: 'female' | 'male' | 'neutral';
  sample_rate_hz: number;
  /** Brings the voice to −16 LUFS; null until it was measured. */
  gain_db: number | null;
  license: string | null;
  source: string | null;
  plan_required: Plan;
  enabled: Flag;
  installed_at: Timestamp;
  /** Seconds of work for a second of sound; null until it was measured. */
  real_time_factor: Generated<number | null>;
  /** Who accepted a license that is not free: an e-mail address or `command line`; null: not accepted, or free. */
  license_accepted_by: Generated<string | null>;
  license_accepted_at: Generated<Timestamp | null>;
  license_accepted_text: Generated<string | null>;
  /** File name of a built-in voice without `.onnx`: the same in each version of Lectern. Null: user-installed. */
  builtin: Generated<string | null>;
  /** The voice that speaks in its place, as this one is gone for good. */
  replaced_by: Generated<number | null>;
  /** Set: the voice is not found any more. Its removal can be undone for a minute; then its files are deleted, and this is null. */
  deleted_at: Generated<Timestamp | null>;
}

/** With PostgreSQL, the files of a user-installed voice, for the machines that do not have them. */
interface StoredVoiceTable {
  content_hash: string;
  /** File name without `.onnx`. */
  stem: string;
  /** SHA-256 of a shared model, else the content hash. */
  model_key: string;
  /** Of the model. */
  byte_count: number;
  /** Of the model; null: it is in `stored_voice_part`. */
  object_key: string | null;
  config: Uint8Array;
  /** Null: it is installed. Else the machines that have the files delete them. */
  removed_at: Timestamp | null;
  /** When its model was found missing or damaged; null: it is there. A machine that has the model stores it again. */
  lost_at: Timestamp | null;
}

/** Since when a machine needs a voice that no machine has stored. */
interface MissingVoiceTable {
  content_hash: string;
  since: Timestamp;
}

/** A piece of the model of stored voices. */
interface StoredVoicePartTable {
  model_key: string;
  position: number;
  content: Uint8Array;
}

/** The full model card or license of a voice. */
interface VoiceLicenseTextTable {
  content_hash: string;
  text: string;
}

interface VoiceSampleTable {
  voice_id: number;
  mp3: Uint8Array;
}

/** The inspection result of a voice file, so that an unchanged file is not inspected again. */
interface VoiceFileTable {
  path: string;
  /** Byte counts and modification times of model and config. */
  stamp: string;
  content_hash: string | null;
  /** Content hash when it last was a usable voice. */
  usable_hash: Generated<string | null>;
  /** Why the file is not a usable voice, in one line; null if it is. */
  problem: string | null;
}

interface PostTable {
  id: Generated<number>;
  site_id: number;
  /** The client's own `post_id`. */
  external_id: string;
  url: string | null;
  /** Host and path of `url`. */
  canonical_url: string | null;
  visibility: 'public' | 'private';
  publish_at: Timestamp | null;
  /** Of its main audios, kept by triggers: `failed` if one needs attention, else `generating` if one does not have its audio yet. */
  audio_state: Generated<'none' | 'ready' | 'generating' | 'failed'>;
  /** Its title, else its id; kept by triggers, compared without case. */
  sort_title: Generated<string>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A deleted post, without audio, until it is purged. */
interface DeletedPostTable {
  /** The row id that the post had, and has again when it is restored. */
  id: number;
  site_id: number;
  external_id: string;
  title: string | null;
  url: string | null;
  visibility: 'public' | 'private';
  publish_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** JSON: a `DeletedAudio` for each language. */
  audios: string;
  deleted_at: Timestamp;
}

interface AudioTable {
  id: Generated<number>;
  post_id: number;
  language: string;
  voice_id: number;
  /** 1: the main audio of its language, used by status and quota. 0: an extra voice of the same text. */
  is_main: Flag;
  status: AudioStatus;
  progress_percent: number;
  /** One plain sentence while `status` is failed. */
  error: string | null;
  /** The kind of failure; null also for failures of versions that did not record it. */
  error_code: Generated<FailureCode | null>;
  /** JSON of `ContentCounts` for the failure `no_text`; else null. */
  content_counts: Generated<string | null>;
  /** When an editor decided that the failed audio is not needed. */
  dismissed_at: Generated<Timestamp | null>;
  title: string | null;
  content: string;
  /** Null: HTML or plain text. */
  content_type: Generated<'text/plain' | 'text/markdown' | null>;
  /** SHA-256 over content, title and voice of the newest accepted request, hex. */
  request_hash: string;
  priority: Priority;
  /** Counts the accepted changes; work for an older revision is cancelled. */
  revision: number;
  /** Place in the queue: finish time within the site. */
  virtual_time: number;
  /** The site of its post, for the index of the queue. Null: it was finished before version 48 of the schema. */
  queue_site_id: Generated<number | null>;
  /** The machine that generates it; null: none, or a server on SQLite. */
  claimed_by: Generated<number | null>;
  /** Counts the claims of machines: what an earlier one writes is refused. */
  fence: Generated<number>;
  /** The version that is served. */
  version_id: number | null;
  /** When retention removed its MP3; `status` is failed until it is generated again. */
  removed_at: Generated<Timestamp | null>;
  /** Whether the voice that was asked for is gone, and another one speaks. */
  voice_replaced: Generated<Flag>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A version of an audio: its plan, and once ready its MP3. */
interface RenditionTable {
  id: Generated<number>;
  audio_id: number;
  revision: number;
  voice_id: number;
  title: string | null;
  sample_rate_hz: number;
  bit_rate_kbps: number;
  /** JSON: excluded text with its reasons. */
  left_out: string;
  /** The unguessable name in the media address; null until ready. */
  media_key: string | null;
  /** ID3 tag and Info frame; null until ready. */
  header: Uint8Array | null;
  /** Whole MP3, header included. */
  byte_count: number | null;
  duration_ms: number | null;
  /** Float64 array: offset of each segment in the file, in bytes. */
  byte_starts: Uint8Array | null;
  /** Later changes of pronunciations and settings are not in it. */
  started_at: Timestamp | null;
  ready_at: Timestamp | null;
  /** JSON of a `Provenance`: the part of the certificate that no other column has. */
  provenance: string | null;
  /** Of the certificate when the version became ready, hex. */
  certificate_sha256: string | null;
  /** Its URL returns 410 after this time; null for the current version. */
  expires_at: Timestamp | null;
  /** JSON of its `WordCount`s; null: none, an extra voice, or from before version 31 of the schema. */
  unknown_words: Generated<string | null>;
  /** Of the object that has its whole MP3; null: its segments have the frames. */
  object_key: Generated<string | null>;
  /** Null: it is not planned to its end, or was before version 49 of the schema. */
  segment_count: Generated<number | null>;
}

interface PlannedSegmentTable {
  version_id: number;
  position: number;
  hash: string;
  kind: string;
  text: string;
  source_field: 'intro' | 'title' | 'content' | 'outro' | 'disclosure';
  source_start: number;
  source_end: number;
  spoken: string | null;
  /** Audible phonemes. */
  phoneme_count: number | null;
  /** Silence after it, at the speed of its version. */
  pause_ms: number | null;
  /** Null: the voice of the version. */
  voice_id: number | null;
  /** Key of its sentence; null: the next plan must not reuse it. */
  plan_key: string | null;
  /** UTF-16 offsets in the text of its sentence. */
  sentence_start: number | null;
  sentence_end: number | null;
  /** Uint16 array: offsets in `text` and phoneme ids of each word (`packWords`); null: unknown. */
  words: Uint8Array | null;
}

interface SegmentTable {
  hash: string;
  site_id: number;
  /** Empty when an object has them. */
  frames: Uint8Array;
  frame_count: number;
  byte_count: number;
  /** Speech without the pause after it. */
  speech_ms: number;
  /** Hex. */
  frames_sha256: string | null;
  /** Uint16 array: start of each phoneme id, in ms; null if the voice gives no durations. */
  id_starts: Uint8Array | null;
  created_at: Timestamp;
  /** Of the newest object that has its frames; null: the row has them. */
  object_key: Generated<string | null>;
  /** Offset of the frames in the object, in bytes. */
  object_start: Generated<number | null>;
}

/** The MP3 of a version in the bucket. */
interface ObjectTable {
  key: string;
  /** The row outlives the site. */
  site_id: number;
  byte_count: number;
  /** `writing`: no version has it yet. `deleting`: no version has it any more; it is deleted after a time. */
  state: 'writing' | 'live' | 'deleting';
  changed_at: Timestamp;
}

/** English posts that count against a month's quota; kept when the post is deleted. */
interface PostQuotaTable {
  site_id: number;
  external_id: string;
  /** `2026-11`, in UTC. */
  month: string;
  /** Whether it was ready once: a delivered post is not refunded. */
  delivered: Generated<Flag>;
}

/** Number of rows of a site, kept by triggers. */
interface SiteCounterTable {
  site_id: number;
  /** See `audio/counters.ts`. */
  name: string;
  amount: number;
}

/** Keys of deleted MP3s, whose URLs return 410. */
interface DeletedMediaTable {
  media_key: string;
  deleted_at: Timestamp;
}

/** Full-text index of posts: id, titles of their audio, URL. Kept by triggers. */
interface PostSearchTable {
  rowid: number;
  /** The whole row in a `match`. */
  post_search: string;
}

export interface Tables
  extends EventTables,
    FeedTables,
    InstallationTables,
    PronunciationTables,
    UserTables,
    WebhookTables {
  site: SiteTable;
  site_domain: SiteDomainTable;
  domain_claim: DomainClaimTable;
  api_key: ApiKeyTable;
  voice: VoiceTable;
  voice_file: VoiceFileTable;
  voice_license_text: VoiceLicenseTextTable;
  voice_sample: VoiceSampleTable;
  stored_voice: StoredVoiceTable;
  stored_voice_part: StoredVoicePartTable;
  missing_voice: MissingVoiceTable;
  post: PostTable;
  post_search: PostSearchTable;
  deleted_post: DeletedPostTable;
  audio: AudioTable;
  version: RenditionTable;
  planned_segment: PlannedSegmentTable;
  segment: SegmentTable;
  object: ObjectTable;
  post_quota: PostQuotaTable;
  site_counter: SiteCounterTable;
  deleted_media: DeletedMediaTable;
}

export type Site = Selectable<SiteTable>;
export type ApiKey = Selectable<ApiKeyTable>;
export type Voice = Selectable<VoiceTable>;
export type NewVoice = Insertable<VoiceTable>;
export type Post = Selectable<PostTable>;
export type Audio = Selectable<AudioTable>;
export type Rendition = Selectable<RenditionTable>;
export type PlannedSegment = Selectable<PlannedSegmentTable>;
export type NewPlannedSegment = Insertable<PlannedSegmentTable>;
export type User = Selectable<UserTables['user']>;
export type UserRole = User['role'];
export type SiteRole = UserTables['membership']['role'];
export type AuditEntry = Selectable<UserTables['audit_entry']>;
