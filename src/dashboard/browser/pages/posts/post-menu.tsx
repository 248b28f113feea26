import { request } from '../../api.ts';
import { deletion, type PageAction, type PageActions } from '../../components/actions.tsx';
import { formDialog } from '../../components/form.tsx';
import { formatLanguage } from '../../format.ts';
import { links, navigate } from '../../location.ts';
import { fromInputValue, toInputValue } from '../../time-zone.ts';
import { type AudioDetail, changePosts, isUnfinished, type PostDetail, postOf } from './posts-api.ts';
import { listPostFields, type PostValues } from './text-draft.ts';

/** What editors do with a post besides its text. */
export function listPostActions(slug: string, post: PostDetail, audio: AudioDetail): PageActions {
  return [...changesOf(slug, post), ...removalsOf(slug, post, audio)];
}

function changesOf(slug: string, post: PostDetail): PageAction[] {
  const route = postOf(slug, post.post_id);
  const isPrivate = post.visibility === 'private';
  const setVisibility = (visibility: 'public' | 'private') => request(() => route.patch({ visibility }));
  return [
    {
      label: 'Regenerate',
      icon: 'refresh-cw',
      run: () => request(() => route.remake.post()),
      done: 'Regenerating. The current audio is served until then.',
    },
    { label: 'Settings', icon: 'settings', dialog: settingsDialog(slug, post) },
    {
      label: isPrivate ? 'Make public' : 'Make private',
      icon: isPrivate ? 'eye' : 'eye-off',
      run: () => setVisibility(isPrivate ? 'public' : 'private'),
      done: isPrivate ? 'The post is public' : 'The post is private',
      undo: () => setVisibility(post.visibility),
    },
  ];
}

function removalsOf(slug: string, post: PostDetail, { language }: AudioDetail): PageActions {
  const route = postOf(slug, post.post_id);
  const isOneOfSeveral = post.audio.some((audio) => audio.language !== language);
  const named = formatLanguage(language);
  return [
    isOneOfSeveral && {
      ...deletion(`${named} audio`, route),
      label: `Delete ${named} audio`,
      confirm: {
        title: `Delete the ${named} audio?`,
        text: (
          <p>
            Its MP3 answers “410 Gone” at once. The other languages stay. This cannot be undone; you can post it again.
          </p>
        ),
      },
      run: () => request(() => route.delete(undefined, { query: { language } })),
    },
    {
      ...deletion('Post', route),
      run: async () => {
        await request(() => route.delete());
        navigate(links.ofSite(slug, '/posts'));
      },
      undo: async () => {
        await changePosts(slug, 'restore', [post.post_id]);
        navigate(links.post(slug, post.post_id));
      },
    },
  ];
}

function settingsDialog(slug: string, post: PostDetail) {
  const initial: PostValues = {
    post_url: post.url ?? '',
    publish_at: toInputValue(post.publish_at),
    visibility: post.visibility,
    priority: 'normal',
  };
  return formDialog<PostValues>({
    title: 'Settings',
    fields: listPostFields(post.audio.some(isUnfinished)),
    initial,
    submit: 'Save',
    send: ({ post_url, publish_at, visibility, priority }) => {
      const [url, publishAt] = [post_url.trim() || null, fromInputValue(publish_at)];
      const queued = priority === initial.priority ? {} : { priority };
      const changes = { post_url: url, publish_at: publishAt, visibility, ...queued };
      return request(() => postOf(slug, post.post_id).patch(changes));
    },
    done: 'Settings saved',
  });
}
