import type { Generated, Insertable, Selectable } from 'kysely';
import type { EventTables, FeedTables, PronunciationTables, WebhookTables } from './feature-schema.ts';

/** ISO 8601 UTC, millisecond precision: sorts as text. */
type Timestamp = string;
/** SQLite has no boolean: 0 or 1. */
type Flag = number;

export type Plan = 'starter' | 'growth' | 'enterprise';
export type Subscription = 'active' | 'trialing' | 'inactive';
export type AudioStatus = 'pending' | 'generating' | 'ready' | 'failed';
export type Priority = 'high' | 'normal' | 'low';

interface SiteTable {
  id: Generated<number>;
  slug: string;
  name: string;
  plan: Plan;
  subscription: Subscription;
  trial_ends_at: Timestamp | null;
  active: Flag;
  default_voice_id: number | null;
  allow_switch: Flag;
  bit_rate_kbps: number;
  timings_text: Flag;
  /** JSON list of voice ids: what is made beside the main voice. */
  extra_voices: Generated<string>;
  /** JSON of what differs from the usual `NarrationSettings`. */
  reading: Generated<string>;
  /** JSON of what differs from the usual `FeedSettings`. */
  feed: Generated<string>;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** Set: nobody finds the site any more, and what it has is being deleted. */
  deleted_at: Generated<Timestamp | null>;
}

interface SiteDomainTable {
  domain: string;
  site_id: number;
  /** 0 is the primary domain. */
  position: number;
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
  /** Who accepted a licence that is not free: an e-mail address or `command line`; null: nobody, or it was not needed. */
  license_accepted_by: Generated<string | null>;
  license_accepted_at: Generated<Timestamp | null>;
  /** The words that were accepted. */
  license_accepted_text: Generated<string | null>;
}

/** The model card or licence that came with a voice, whole. */
interface VoiceLicenseTextTable {
  content_hash: string;
  text: string;
}

/** A sentence of a voice as MP3. */
interface VoiceSampleTable {
  voice_id: number;
  mp3: Uint8Array;
}

/** What a voice file was found to be, so that an unchanged file is not examined again. */
interface VoiceFileTable {
  path: string;
  /** Byte counts and modification times of model and config. */
  stamp: string;
  content_hash: string | null;
  /** Why the file is no voice, in one line; null for a good one. */
  problem: string | null;
}

interface PostTable {
  id: Generated<number>;
  site_id: number;
  /** The client's own `post_id`. */
  external_id: string;
  url: string | null;
  /** Host and path of `url`: what a page is found by. */
  page: string | null;
  visibility: 'public' | 'private';
  publish_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface AudioTable {
  id: Generated<number>;
  post_id: number;
  language: string;
  voice_id: number;
  /** The one of its language that status and quota see; others are further voices of the same text. */
  is_main: Flag;
  status: AudioStatus;
  progress_percent: number;
  /** One plain sentence while `status` is failed. */
  error: string | null;
  title: string | null;
  content: string;
  /** SHA-256 over content, title and voice of the newest accepted request, hex. */
  request_hash: string;
  priority: Priority;
  /** Counts the accepted changes; work for an older generation is dropped. */
  generation: number;
  /** Place in the queue: virtual finish time within the site. */
  turn: number;
  /** The version that is served. */
  version_id: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** One making of an audio: the plan, and once ready the MP3. */
interface RenditionTable {
  id: Generated<number>;
  audio_id: number;
  generation: number;
  voice_id: number;
  title: string | null;
  sample_rate_hz: number;
  bit_rate_kbps: number;
  /** JSON: what is not spoken, and why. */
  left_out: string;
  /** The unguessable name in the media address; null until ready. */
  media_key: string | null;
  /** ID3 tag and Info frame; null until ready. */
  header: Uint8Array | null;
  /** Whole MP3, header included. */
  byte_count: number | null;
  duration_ms: number | null;
  /** Float64 array: where each segment begins in the file, in bytes. */
  byte_starts: Uint8Array | null;
  /** What was changed since, in the lexicon or the settings, is not in it. Null: before this was written down. */
  began_at: Timestamp | null;
  ready_at: Timestamp | null;
  /** JSON of a `Provenance`: what the certificate says beyond what stands here; null in versions of before. */
  provenance: string | null;
  /** Of the certificate as it was when the version became ready, hex. */
  certificate_sha256: string | null;
  /** From then on its address answers 410; null while it is the current one. */
  expires_at: Timestamp | null;
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
  /** The words that are said; null, like the two below, in plans of before the first certificates. */
  spoken: string | null;
  /** Phonemes that are heard. */
  phoneme_count: number | null;
  /** Silence after it, at the speed of its version. */
  pause_ms: number | null;
  /** Who speaks it; null: the voice of the version. */
  voice_id: number | null;
  /** What its sentence was planned from; null: the next plan must not take it over. */
  plan_key: string | null;
  /** Where it lies in the text of its sentence: UTF-16 offsets; null, like the key, in plans of before there was one. */
  sentence_start: number | null;
  sentence_end: number | null;
}

interface SegmentTable {
  hash: string;
  site_id: number;
  frames: Uint8Array;
  frame_count: number;
  byte_count: number;
  /** Speech without the pause after it. */
  speech_ms: number;
  /** Hex; null in rows of before the first certificates. */
  frames_sha256: string | null;
  created_at: Timestamp;
}

/** English posts that count against a month's quota; kept when the post is deleted. */
interface PostQuotaTable {
  site_id: number;
  external_id: string;
  /** `2026-11`, in UTC. */
  month: string;
  /** Whether it was ready once: only before that can it be given back. */
  delivered: Generated<Flag>;
}

/** Addresses of deleted audio, to answer that it is gone. */
interface DeletedMediaTable {
  media_key: string;
  gone_at: Timestamp;
}

/** The words posts are found by: their id, the titles of their audio, the address of their page. Triggers keep it. */
interface PostSearchTable {
  rowid: number;
  /** Stands for the whole row in a `match`. */
  post_search: string;
}

/** One row while the queue is paused, else none. */
interface QueuePauseTable {
  id: number;
  since: Timestamp;
  /** An e-mail address or `command line`. */
  paused_by: string;
}

/** One row that is written to see whether the database can be. */
interface ProbeTable {
  id: number;
  at: Timestamp;
}

export interface Tables extends EventTables, FeedTables, PronunciationTables, UserTables, WebhookTables {
  probe: ProbeTable;
  site: SiteTable;
  site_domain: SiteDomainTable;
  api_key: ApiKeyTable;
  voice: VoiceTable;
  voice_file: VoiceFileTable;
  voice_license_text: VoiceLicenseTextTable;
  voice_sample: VoiceSampleTable;
  post: PostTable;
  post_search: PostSearchTable;
  audio: AudioTable;
  version: RenditionTable;
  planned_segment: PlannedSegmentTable;
  segment: SegmentTable;
  post_quota: PostQuotaTable;
  gone_media: DeletedMediaTable;
  queue_pause: QueuePauseTable;
}

export type Site = Selectable<SiteTable>;
export type ApiKey = Selectable<ApiKeyTable>;
export type Voice = Selectable<VoiceTable>;
export type NewVoice = Insertable<VoiceTable>;
export type Audio = Selectable<AudioTable>;
export type Rendition = Selectable<RenditionTable>;
export type PlannedSegment = Selectable<PlannedSegmentTable>;
export type NewPlannedSegment = Insertable<PlannedSegmentTable>;
export type NewSegment = Insertable<SegmentTable>;

export type UserRole = 'admin' | 'member';
export type SiteRole = 'editor' | 'viewer';

interface UserTable {
  id: Generated<number>;
  /** In lower case. */
  email: string;
  /** Argon2id with its own parameters and salt. */
  password_hash: string;
  role: UserRole;
  disabled_at: Timestamp | null;
  last_sign_in_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** The part that a member has in a site; admins need none. */
interface MembershipTable {
  user_id: number;
  site_id: number;
  role: SiteRole;
}

interface SessionTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the token, hex. */
  token_hash: string;
  created_at: Timestamp;
  /** Written now and then, not at each request. */
  last_seen_at: Timestamp;
  expires_at: Timestamp;
}

/** Lets whoever holds the setup link make the first admin. */
interface SetupTokenTable {
  /** SHA-256 of the token, hex. */
  hash: string;
  expires_at: Timestamp;
}

interface AuditEntryTable {
  id: Generated<number>;
  at: Timestamp;
  /** Null for what was done by command line. */
  user_id: number | null;
  /** The user's e-mail address at that time, or `command line`. */
  actor: string;
  /** Like `key.rotated`. */
  action: string;
  site_id: number | null;
  /** What was changed, as a person would name it. */
  subject: string | null;
  /** JSON of the members that changed. */
  before: string | null;
  after: string | null;
}

interface UserTables {
  user: UserTable;
  membership: MembershipTable;
  session: SessionTable;
  setup_token: SetupTokenTable;
  audit_entry: AuditEntryTable;
}

export type User = Selectable<UserTable>;
export type AuditEntry = Selectable<AuditEntryTable>;
