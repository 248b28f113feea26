import type { AudioRecord, Timings } from '../../../../audio/schema.ts';
import { ApiError, api, encodeSegment, fetchApi, request, toJsonRequest, toSameOrigin } from '../../api.ts';
import type { ListQuery } from '../../components/collection.tsx';

/** Slug or ID. */
type SiteName = string | number;

export type PostPage = Awaited<ReturnType<typeof fetchPostPage>>;
export type Post = PostPage['items'][number];
export type BulkAction = Parameters<ReturnType<typeof postsOf>['bulk']['post']>[0]['action'];
export type PostAudio = AudioRecord;
export type PostDetail = Awaited<ReturnType<typeof fetchPost>>;
export type AudioDetail = PostDetail['audio'][number];
export type Preview = Awaited<ReturnType<typeof fetchPreview>>;
export type Certificate = Awaited<ReturnType<typeof fetchCertificate>>;

export function fetchPostPage(site: SiteName, query: ListQuery) {
  return request(() => postsOf(site).get({ query }));
}

/** @throws ApiError where none of the posts could be changed */
export async function changePosts(site: SiteName, action: BulkAction, postIds: readonly string[]): Promise<void> {
  const { done, refused } = await request(() => postsOf(site).bulk.post({ action, post_ids: [...postIds] }));
  const [first] = refused;
  if (done.length === 0 && first !== undefined) throw new ApiError(409, first.reason);
}

/** Also of a post that is deleted already. */
export function deletePostForGood(site: SiteName, postId: string) {
  return request(() => postOf(site, postId).delete(undefined, { query: { permanently: true } }));
}

export function fetchPost(site: SiteName, postId: string) {
  return request(() => postOf(site, postId).get());
}

export function createPost(site: SiteName, body: Parameters<ReturnType<typeof postsOf>['post']>[0]) {
  return request(() => postsOf(site).post(body));
}

export function updatePost(site: SiteName, postId: string, changes: Parameters<ReturnType<typeof postOf>['patch']>[0]) {
  return request(() => postOf(site, postId).patch(changes));
}

/** @param language deletes only this one; undefined: the whole post */
export function retryPost(site: SiteName, postId: string, language?: string) {
  return request(() => postOf(site, postId).retry.post(undefined, { query: only(language) }));
}

export function regeneratePost(site: SiteName, postId: string, language?: string) {
  return request(() => postOf(site, postId).remake.post(undefined, { query: only(language) }));
}

export function deletePost(site: SiteName, postId: string, language?: string) {
  return request(() => postOf(site, postId).delete(undefined, { query: only(language) }));
}

/** @param from a day like `2026-11-21` */
export function fetchListening(site: SiteName, postId: string, from: string) {
  return request(() => api.sites({ site: encodeSegment(site) }).analytics.get({ query: { post_id: postId, from } }));
}

/** @param furtherVoiceId extra voice of the audio; undefined: the main audio */
export function fetchCertificate(site: SiteName, postId: string, language: string, furtherVoiceId: number | undefined) {
  const query = { language, ...(furtherVoiceId !== undefined && { voice_id: furtherVoiceId }) };
  return request(() => postOf(site, postId).certificate.get({ query }));
}

/** A sentence of an MP3 with its times. */
export type TimedSentence = Timings['segments'][number];

export async function fetchTimings(segmentsUrl: string): Promise<readonly TimedSentence[]> {
  const answer = await fetch(toSameOrigin(segmentsUrl));
  if (!answer.ok) throw new Error('Loading the text of this audio failed. Try again.');
  const { segments } = (await answer.json()) as Timings;
  return segments;
}

export function fetchPreview(site: SiteName, body: Parameters<typeof api.speech.preview.post>[0]) {
  return request(() => api.speech.preview.post(body, { query: { site: String(site) } }));
}

/** Body of `POST /v1/speech/say`. */
export interface SpeechRequest {
  readonly text: string;
  readonly voice_id?: number;
  readonly language?: string;
  /** Replacement for the text. */
  readonly alias?: string;
}

/** @returns an MP3 with the pronunciations and settings of the site */
export function fetchSpeech(site: SiteName, said: SpeechRequest): Promise<Response> {
  return fetchApi(`/speech/say?site=${encodeSegment(site)}`, toJsonRequest('POST', said));
}

/** Whether the audio is queued or generating. */
export function isUnfinished({ status }: { readonly status: PostAudio['status'] }): boolean {
  return status === 'pending' || status === 'generating';
}

function postsOf(site: SiteName) {
  return api.sites({ site: encodeSegment(site) }).posts;
}

function postOf(site: SiteName, postId: string) {
  return postsOf(site)({ post_id: encodeSegment(postId) });
}

function only(language: string | undefined) {
  return language === undefined ? {} : { language };
}
