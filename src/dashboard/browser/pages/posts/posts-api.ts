import type { AudioRecord, Timings } from '../../../../audio/schema.ts';
import {
  ApiError,
  type api,
  type DataOf,
  fetchApi,
  type ItemOf,
  request,
  siteRoutes,
  toJsonRequest,
  toSameOrigin,
} from '../../api.ts';
import type { PageAction } from '../../components/actions.tsx';
import { formatDateTime } from '../../format.ts';
import type { SiteRoutes } from '../../site.tsx';

type PostRoutes = ReturnType<typeof postOf>;

export type PostPage = DataOf<SiteRoutes['posts']['get']>;
export type Post = ItemOf<SiteRoutes['posts']>;
export type BulkAction = Parameters<SiteRoutes['posts']['bulk']['post']>[0]['action'];
export type PostAudio = AudioRecord;
export type PostDetail = DataOf<PostRoutes['get']>;
export type AudioDetail = PostDetail['audio'][number];
export type Certificate = DataOf<PostRoutes['certificate']['get']>;
export type Preview = DataOf<typeof api.speech.preview.post>;

/** @param site slug or ID @returns the route of a post */
export function postOf(site: string | number, postId: string) {
  return siteRoutes(site).posts({ post_id: encodeURIComponent(postId) });
}

/** @throws ApiError where none of the posts could be changed */
export async function changePosts(site: string, action: BulkAction, postIds: readonly string[]): Promise<void> {
  const { done, refused } = await request(() => siteRoutes(site).posts.bulk.post({ action, post_ids: [...postIds] }));
  const [first] = refused;
  if (done.length === 0 && first !== undefined) throw new ApiError(409, first.reason);
}

/** What editors do with a post, in a list and on its page. */
export function actionsOf(slug: string, { post_id, visibility }: Pick<Post, 'post_id' | 'visibility'>) {
  const act = (action: BulkAction) => () => changePosts(slug, action, [post_id]);
  const isPrivate = visibility === 'private';
  return {
    regenerate: {
      label: 'Regenerate',
      icon: 'refresh-cw',
      run: act('regenerate'),
      done: 'Regenerating. The current audio is served until then.',
    },
    toggle: {
      label: isPrivate ? 'Make public' : 'Make private',
      icon: isPrivate ? 'lock-open' : 'lock',
      run: act(isPrivate ? 'make_public' : 'make_private'),
      done: isPrivate ? 'The post is public' : 'The post is private',
      undo: act(isPrivate ? 'make_private' : 'make_public'),
    },
    remove: {
      label: 'Delete post',
      icon: 'trash-2',
      isDanger: true,
      run: act('delete'),
      done: 'Post deleted',
      undo: act('restore'),
    },
  } satisfies Readonly<Record<string, PageAction>>;
}

/** A sentence of an MP3 with its times. */
export type TimedSentence = Timings['segments'][number];

export async function fetchTimings(segmentsUrl: string): Promise<readonly TimedSentence[]> {
  const answer = await fetch(toSameOrigin(segmentsUrl));
  if (!answer.ok) throw new Error('Loading the text of this audio failed. Try again.');
  const { segments } = (await answer.json()) as Timings;
  return segments;
}

/** @returns an MP3 with the pronunciations and settings of the site */
export function fetchSpeech(site: string, said: Parameters<typeof api.speech.say.post>[0]): Promise<Response> {
  return fetchApi(`/speech/say?site=${encodeURIComponent(site)}`, toJsonRequest('POST', said));
}

/** Whether the audio is queued or generating. */
export function isUnfinished({ status }: { readonly status: PostAudio['status'] }): boolean {
  return status === 'pending' || status === 'generating';
}

/** A version that is served. */
export type ServedAudio = NonNullable<AudioDetail['last_ready']>;

/** @returns the newest ready version */
export function servedOf(audio: AudioDetail): ServedAudio | undefined {
  const { audio_url, segments_url, duration_seconds, last_ready } = audio;
  if (audio_url !== null && segments_url !== null && duration_seconds !== null) {
    return { audio_url, segments_url, duration_seconds };
  }
  return last_ready ?? undefined;
}

type Publicity = Pick<Post, 'visibility' | 'publish_at'>;

export function isScheduled({ publish_at: at }: Pick<Publicity, 'publish_at'>): boolean {
  return at !== null && Date.parse(at) > Date.now();
}

/** Whether public pages can play it now. */
export function isPublicNow(post: Publicity): boolean {
  return post.visibility === 'public' && !isScheduled(post);
}

/** @returns who may hear a post, in words */
export function publicityOf(post: PostDetail): string {
  if (post.visibility === 'private') return 'private';
  return `${isPublicNow(post) ? 'public since' : 'scheduled for'} ${formatDateTime(post.publish_at ?? post.created_at)}`;
}
