import { Dialog, type DialogHandlers } from '../../components/dialog.tsx';
import { Form, useForm } from '../../components/form.tsx';
import { Menu } from '../../components/popover.tsx';
import { type RowAction, type RowActions, toMenu, useRowActions } from '../../components/row-actions.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatLanguage } from '../../format.ts';
import { links, navigate } from '../../location.ts';
import { useSite } from '../../site.tsx';
import { fromInputValue, toInputValue } from '../../time-zone.ts';
import {
  type AudioDetail,
  changePosts,
  deletePost,
  isUnfinished,
  type PostDetail,
  regeneratePost,
  updatePost,
} from './posts-api.ts';
import { listPostFields, type PostValues } from './text-draft.ts';

interface PostMenuProps {
  readonly post: PostDetail;
  readonly audio: AudioDetail;
  readonly reload: () => void;
}

/** What editors do with a post besides its text. */
export function PostMenu({ post, audio, reload }: PostMenuProps) {
  const { site } = useSite();
  const { run, dialog } = useRowActions(reload);
  const actions: RowActions = [...changesOf(site.slug, post), ...removalsOf(site.slug, post, audio)];
  return (
    <>
      <Menu label="More" items={toMenu(actions, run)} />
      {dialog}
    </>
  );
}

function changesOf(slug: string, post: PostDetail): RowAction[] {
  const isPrivate = post.visibility === 'private';
  const setVisibility = (visibility: 'public' | 'private') => updatePost(slug, post.post_id, { visibility });
  return [
    {
      label: 'Regenerate',
      icon: 'refresh-cw',
      run: () => regeneratePost(slug, post.post_id),
      done: 'Regenerating. The current audio is served until then.',
    },
    {
      label: 'Settings',
      icon: 'settings',
      dialog: (handlers) => <PostSettings post={post} {...handlers} />,
    },
    {
      label: isPrivate ? 'Make public' : 'Make private',
      icon: isPrivate ? 'eye' : 'eye-off',
      run: () => setVisibility(isPrivate ? 'public' : 'private'),
      done: isPrivate ? 'The post is public' : 'The post is private',
      undo: () => setVisibility(post.visibility),
    },
  ];
}

function removalsOf(slug: string, post: PostDetail, { language }: AudioDetail): RowActions {
  const isOneOfSeveral = post.audio.some((audio) => audio.language !== language);
  const named = formatLanguage(language);
  return [
    isOneOfSeveral && {
      label: `Delete ${named} audio`,
      icon: 'trash-2',
      isDanger: true,
      confirm: {
        title: `Delete the ${named} audio?`,
        text: (
          <p>
            Its MP3 answers “410 Gone” at once. The other languages stay. This cannot be undone; you can post it again.
          </p>
        ),
      },
      run: () => deletePost(slug, post.post_id, language),
      done: `${named} audio deleted`,
    },
    {
      label: 'Delete post',
      icon: 'trash-2',
      isDanger: true,
      run: async () => {
        await deletePost(slug, post.post_id);
        navigate(links.ofSite(slug, '/posts'));
      },
      done: 'Post deleted',
      undo: async () => {
        await changePosts(slug, 'restore', [post.post_id]);
        navigate(links.post(slug, post.post_id));
      },
    },
  ];
}

interface PostSettingsProps extends DialogHandlers {
  readonly post: PostDetail;
}

/** Settings of a post. */
function PostSettings({ post, onDone, onClose }: PostSettingsProps) {
  const { site } = useSite();
  const tell = useToast();
  const initial: PostValues = {
    post_url: post.url ?? '',
    publish_at: toInputValue(post.publish_at),
    visibility: post.visibility,
    priority: 'normal',
  };
  const form = useForm(initial, async ({ post_url, publish_at, visibility, priority }) => {
    await updatePost(site.slug, post.post_id, {
      post_url: post_url.trim() === '' ? null : post_url.trim(),
      publish_at: fromInputValue(publish_at),
      visibility,
      ...(priority !== initial.priority && { priority }),
    });
    tell('Settings saved');
    onDone();
  });
  return (
    <Dialog title="Settings" onClose={onClose}>
      <Form action={form} of={listPostFields(post.audio.some(isUnfinished))} submit="Save" onCancel={onClose} />
    </Dialog>
  );
}
