import { Elysia } from 'elysia';
import type { DomainAccess, Preflight } from '../../auth/domain-access.ts';
import type { Database } from '../../database/open.ts';
import type { AudioStatus, Site } from '../../database/schema.ts';
import { AppError } from '../../errors.ts';
import { described, envelope } from '../../http/endpoint.ts';
import { conditionalAnswer } from '../../http/static-assets.ts';
import { queryValue, readQuery } from '../../http/validation.ts';
import type { Catalog } from '../../voices/catalog.ts';
import { askedLanguage } from '../choose-voice.ts';
import { AudioRecord, PublicAudio, PublicAudioQuery, PublicStatusQuery } from '../schema.ts';
import { audioRecord, pageAddress } from '../store.ts';
import { findPublicAudio, findPublicStatus, publicAudio, type Wanted } from './published-audio.ts';

export interface PublicAudioDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly byDomain: DomainAccess;
  readonly preflight: Preflight;
  readonly baseUrl: string;
}

const readyRecord = {
  id: 1,
  post_id: 'news/4711',
  status: 'ready',
  progress_percent: 100,
  audio_url: 'https://audio.example.org/v1/media/3kTMd1bA2s0PzXoW9uYqLr7c.mp3',
  duration_seconds: 151,
  language: 'en',
  voice_id: 1,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:09.000Z',
};
const etagHeader = { ETag: 'For `If-None-Match`' };
const unchanged = { description: 'Unchanged since the ETag that was sent' };

const statusOperation = described({
  summary: 'Status of a post, for its page',
  description:
    'What the status of a key shows. Private posts, and those whose `publish_at` is to come, are not found.',
  tag: 'Public',
  access: 'domain',
  query: PublicStatusQuery,
  answers: {
    200: {
      description: 'The audio record',
      message: 'OK',
      data: AudioRecord,
      example: readyRecord,
      headers: etagHeader,
    },
    304: unchanged,
  },
  errors: ['post_not_found'],
});

const audioOperation = described({
  summary: 'Everything a player shows of a post',
  description:
    'Named by `post_id` or by the address of its page. Of several posts on one page the newest is shown.',
  tag: 'Public',
  access: 'domain',
  query: PublicAudioQuery,
  answers: {
    200: {
      description: 'The audio, and what may be played instead of it',
      message: 'OK',
      data: PublicAudio,
      example: {
        ...readyRecord,
        title: 'Harbor town reopens its lighthouse',
        url: 'https://www.example.org/news/4711',
        voice: { id: 1, name: 'Alder', language: 'en' },
        segments_url: 'https://audio.example.org/v1/media/3kTMd1bA2s0PzXoW9uYqLr7c.json',
        last_ready: null,
        variants: [
          {
            language: 'en',
            voice: { id: 2, name: 'Linden', language: 'en' },
            audio_url: 'https://audio.example.org/v1/media/Yc2vUe9QpR4sT7wX1zB5nM8k.mp3',
            duration_seconds: 149,
            segments_url: 'https://audio.example.org/v1/media/Yc2vUe9QpR4sT7wX1zB5nM8k.json',
          },
        ],
      },
      headers: etagHeader,
    },
    304: unchanged,
  },
  errors: ['post_not_found'],
});

/** What pages and players ask: by a domain of the site, without a key. */
export function publicAudioRoutes(deps: PublicAudioDeps) {
  const { database, catalog, byDomain, preflight, baseUrl } = deps;
  const siteOf = (request: Request) => byDomain(request, queryValue(request, 'domain'), 'page');
  return new Elysia({ name: 'public-audio' })
    .get(
      '/v1/public/audio/status',
      async ({ request }) => {
        const site = await siteOf(request);
        const query = readQuery(PublicStatusQuery, request);
        const language = await askedLanguage(catalog, query);
        const audio = await findPublicStatus(database.read, site.id, query.post_id, language);
        if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
        const body = envelope('OK', audioRecord(audio, baseUrl));
        return conditionalAnswer(request, body, cacheControl(audio.status));
      },
      statusOperation,
    )
    .options('/v1/public/audio/status', ({ request }) => preflight(request, 'GET, HEAD'))
    .get(
      '/v1/public/audio',
      async ({ request }) => {
        const site = await siteOf(request);
        const query = readQuery(PublicAudioQuery, request);
        const wanted = await readWanted(catalog, site, query);
        const audio = await findPublicAudio(database.read, wanted);
        if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
        const data = await publicAudio(database.read, site, audio, baseUrl);
        return conditionalAnswer(request, envelope('OK', data), cacheControl(audio.status));
      },
      audioOperation,
    )
    .options('/v1/public/audio', ({ request }) => preflight(request, 'GET, HEAD'));
}

/** A page may be read by more people in a minute than the budget of its site: caches between answer most of them. */
function cacheControl(status: AudioStatus): string {
  return `public, max-age=${status === 'ready' ? 60 : 3}`;
}

/** @throws AppError `validation_failed` */
async function readWanted(catalog: Catalog, site: Site, query: PublicAudioQuery): Promise<Wanted> {
  const post = readPost(query);
  const { voice_id: voiceId = null } = query;
  const namesLanguage = (query.lang ?? query.language) !== undefined;
  // A voice speaks one language: whoever names it needn't name that too.
  const language = voiceId === null || namesLanguage ? await askedLanguage(catalog, query) : null;
  if (voiceId !== null && (await catalog.find(voiceId)) === undefined) {
    throw wrong('voice_id', `there is no voice ${voiceId}`);
  }
  return { siteId: site.id, post, language, voiceId, mainOnly: site.allow_switch === 0 };
}

function readPost({ post_id: postId, url }: PublicAudioQuery): Wanted['post'] {
  if (postId !== undefined) return { postId };
  if (url === undefined) throw wrong('post_id', 'is required, or url instead');
  const page = pageAddress(url);
  if (page === null) throw wrong('url', 'must be an http(s) URL');
  return { page };
}

function wrong(field: string, problem: string): AppError {
  return new AppError('validation_failed', 'Validation failed', { [field]: [problem] });
}
