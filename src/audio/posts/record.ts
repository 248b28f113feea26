import type { Queries } from '../../database/open.ts';
import { findLastReady, type PlayableVersion } from '../public/store.ts';
import { audioRecord, mediaUrl } from '../record.ts';
import type { AudioDetail, PostDetail, PostRecord } from './schema.ts';
import {
  type DetailedAudio,
  detailedAudios,
  mainAudios,
  type PostAudio,
  type PostRow,
} from './store.ts';

const titleLanguage = 'en';

/** @returns posts as a list shows them, in the order given */
export async function postRecords(
  db: Queries,
  posts: readonly PostRow[],
  baseUrl: string,
): Promise<PostRecord[]> {
  const audios = await mainAudios(
    db,
    posts.map(({ id }) => id),
  );
  return posts.map((post) => {
    const own = audios.filter((audio) => audio.post_row_id === post.id);
    return { ...postFacts(post, own), audio: own.map((audio) => audioRecord(audio, baseUrl)) };
  });
}

/** A post with everything that was made of it. */
export async function postDetail(db: Queries, post: PostRow, baseUrl: string): Promise<PostDetail> {
  const audios = await detailedAudios(db, post.id);
  const mains = audios.filter(({ is_main }) => is_main === 1);
  return {
    ...postFacts(post, mains),
    audio: await Promise.all(audios.map((audio) => audioDetail(db, audio, baseUrl))),
  };
}

/** Of several languages the English title, else the first one. */
function postFacts(post: PostRow, audios: readonly PostAudio[]) {
  const { external_id, url, visibility, publish_at, created_at, updated_at } = post;
  const titled = audios.filter(({ title }) => title !== null);
  const audio = titled.find(({ language }) => language === titleLanguage) ?? titled[0];
  const title = audio?.title ?? null;
  return { post_id: external_id, title, url, visibility, publish_at, created_at, updated_at };
}

async function audioDetail(
  db: Queries,
  audio: DetailedAudio,
  baseUrl: string,
): Promise<AudioDetail> {
  const record = audioRecord(audio, baseUrl);
  const isReady = record.audio_url !== null && audio.media_key !== null;
  const lastReady = isReady ? undefined : await findLastReady(db, audio.id);
  const isMain = audio.is_main === 1;
  return {
    ...record,
    main: isMain,
    title: audio.title,
    ...(isMain ? { content: audio.content } : {}),
    voice: { id: audio.voice_id, name: audio.voice_name, language: audio.voice_language },
    segments_url: isReady ? mediaUrl(baseUrl, audio.media_key ?? '', 'json') : null,
    last_ready: lastReady === undefined ? null : playable(lastReady, baseUrl),
  };
}

function playable({ media_key, duration_ms }: PlayableVersion, baseUrl: string) {
  return {
    audio_url: mediaUrl(baseUrl, media_key, 'mp3'),
    duration_seconds: Math.round(duration_ms / 1000),
    segments_url: mediaUrl(baseUrl, media_key, 'json'),
  };
}
