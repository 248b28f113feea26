import type { KeyRequestCounter } from './analytics/aggregate.ts';
import type { AddressLimits, Intake } from './analytics/intake.ts';
import type { SynthesisPool } from './audio/ad-hoc/synthesis-pool.ts';
import type { PostDeletion } from './audio/deletion.ts';
import type { AudioUpdates } from './audio/events.ts';
import type { LiveUpdates } from './audio/live-updates.ts';
import type { MediaFiles } from './audio/media/media-files.ts';
import type { ListenerLimiter, Sound } from './audio/media/sound.ts';
import type { AudioQueue } from './audio/queue.ts';
import type { SiteDeletion } from './audio/site-deletion.ts';
import type { KeyUsageTracker } from './auth/api-keys.ts';
import type { Preflight, RequireDomainAnyOrigin } from './auth/domain-access.ts';
import type { Authentication, Endpoint } from './auth/endpoint.ts';
import type { SessionLifetime } from './auth/sessions.ts';
import type { PasswordHasher, SignInLimits } from './auth/sign-in.ts';
import type { Jobs } from './background.ts';
import type { BackupManager } from './backup/manager.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import type { DiskSpace } from './disk-space.ts';
import type { OutboundGuard } from './http/outbound-guard.ts';
import type { CreateWindowCounter } from './http/rate-limit.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { FeedPoller } from './sources/poller.ts';
import type { FindAliases } from './speech/pronunciation/replacer.ts';
import type { WorkerPool } from './speech/worker-pool.ts';
import type { Catalog } from './voices/catalog.ts';
import type { VoiceInstaller } from './voices/installer.ts';
import type { WebhookDispatcher } from './webhooks/delivery.ts';

/** What every route may use. The server builds it once; only files of routes take all of it. */
export interface Services extends Authentication {
  readonly config: Config;
  /** Address that clients see. */
  readonly baseUrl: string;
  readonly database: Database;
  readonly log: Log;
  readonly jobs: Jobs;
  /** Whether the server was told to stop. It may still take requests. */
  readonly isDraining: () => boolean;
  readonly diskSpace: DiskSpace;

  /** Mounts a handler behind its spec. */
  readonly endpoint: Endpoint;
  readonly requireDomainAnyOrigin: RequireDomainAnyOrigin;
  readonly preflight: Preflight;
  readonly keyUsage: KeyUsageTracker;
  readonly passwords: PasswordHasher;
  readonly sessionLifetime: SessionLifetime;
  readonly createWindowCounter: CreateWindowCounter;
  readonly signInLimits: SignInLimits;

  readonly workers: WorkerPool;
  readonly catalog: Catalog;
  readonly voiceInstaller: VoiceInstaller;
  readonly getAliases: FindAliases;
  /** Unknown words that are right as they are spoken. */
  readonly getAcceptedWords: (siteId: number) => Promise<string[]>;
  readonly synthesisPool: SynthesisPool;

  readonly queue: AudioQueue;
  readonly sound: Sound;
  readonly mediaFiles: MediaFiles;
  readonly audioUpdates: AudioUpdates;
  readonly listenerLimiter: ListenerLimiter;
  readonly liveUpdates: LiveUpdates;
  /** Of listeners to live updates. */
  readonly liveLimiter: ListenerLimiter;
  readonly postDeletion: PostDeletion;
  readonly siteDeletion: SiteDeletion;

  readonly intake: Intake;
  readonly addressLimits: AddressLimits;
  readonly keyRequestCounter: KeyRequestCounter;
  readonly webhookDispatcher: WebhookDispatcher;
  readonly webhookGuard: OutboundGuard;
  readonly feedPoller: FeedPoller;
  readonly feedGuard: OutboundGuard;
  readonly backups: BackupManager;
  readonly metrics: Metrics;
}
