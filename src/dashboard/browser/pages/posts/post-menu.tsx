import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { Menu } from '../../components/popover.tsx';
import { type RowAction, toMenu, useRowActions } from '../../components/row-actions.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatLanguage } from '../../format.ts';
import { links } from '../../links.ts';
import { navigate } from '../../location.ts';
import { useAction } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { fromInputValue, toInputValue } from '../../time-zone.ts';
import { PostFields, type PostFieldValues, postFieldNames } from './post-fields.tsx';
import {
  type AudioDetail,
  changePosts,
  deletePost,
  isUnfinished,
  type PostDetail,
  regeneratePost,
  updatePost,
} from './posts-api.ts';

interface PostMenuProps {
  readonly post: PostDetail;
  readonly audio: AudioDetail;
  readonly reload: () => void;
}

/** What editors do with a post besides its text. */
export function PostMenu({ post, audio, reload }: PostMenuProps) {
  const { site } = useSite();
  const { run, dialog } = useRowActions(reload);
  const actions = [...changesOf(site.slug, post), ...removalsOf(site.slug, post, audio)];
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

function removalsOf(slug: string, post: PostDetail, { language }: AudioDetail): RowAction[] {
  const isOneOfSeveral = new Set(post.audio.map((audio) => audio.language)).size > 1;
  const named = formatLanguage(language);
  const one: RowAction = {
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
  };
  const whole: RowAction = {
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
  };
  return isOneOfSeveral ? [one, whole] : [whole];
}

interface PostSettingsProps {
  readonly post: PostDetail;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Settings of a post. */
function PostSettings({ post, onDone, onClose }: PostSettingsProps) {
  const { site } = useSite();
  const tell = useToast();
  const initial: PostFieldValues = {
    url: post.url ?? '',
    publishAt: toInputValue(post.publish_at),
    visibility: post.visibility,
    priority: 'normal',
  };
  const [values, setValues] = useState(initial);
  const save = useAction(async () => {
    await updatePost(site.slug, post.post_id, {
      post_url: values.url.trim() === '' ? null : values.url.trim(),
      publish_at: fromInputValue(values.publishAt),
      visibility: values.visibility,
      ...(values.priority !== initial.priority && { priority: values.priority }),
    });
    tell('Settings saved');
    onDone();
  });
  return (
    <Dialog title="Settings" onClose={onClose}>
      <Form action={save} submit="Save" fields={postFieldNames} onCancel={onClose}>
        <PostFields
          values={values}
          onChange={(changes) => setValues({ ...values, ...changes })}
          problem={save.problem}
          hasPriority={post.audio.some(isUnfinished)}
        />
      </Form>
    </Dialog>
  );
}
