import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useAction } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { fromInputValue, PostFields, type PostFieldValues, postFieldNames, toInputValue } from './post-fields.tsx';
import { isUnfinished, type PostDetail, updatePost } from './posts-api.ts';

interface PostSettingsProps {
  readonly post: PostDetail;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Settings of a post. */
export function PostSettings({ post, onDone, onClose }: PostSettingsProps) {
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
