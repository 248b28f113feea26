import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useAction } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { fromInputValue, toInputValue } from './datetime-input.ts';
import { isUnfinished, type PostDetail, updatePost } from './posts-api.ts';

export const visibilities = [
  { value: 'public', label: 'Public: available to pages and the feed' },
  { value: 'private', label: 'Private: dashboard and API key only' },
] as const;

export const priorities = [
  { value: 'high', label: 'High: first' },
  { value: 'normal', label: 'Normal' },
  { value: 'low', label: 'Low: last' },
] as const;

const unchanged = { value: '', label: 'Keep current' } as const;

interface PostSettingsProps {
  readonly post: PostDetail;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Settings of a post. */
export function PostSettings({ post, onDone, onClose }: PostSettingsProps) {
  const { site } = useSite();
  const tell = useToast();
  const [url, setUrl] = useState(post.url ?? '');
  const [publishAt, setPublishAt] = useState(toInputValue(post.publish_at));
  const [visibility, setVisibility] = useState(post.visibility);
  const [priority, setPriority] = useState<'' | (typeof priorities)[number]['value']>('');
  const isWaiting = post.audio.some(isUnfinished);
  const save = useAction(async () => {
    await updatePost(site.slug, post.post_id, {
      url: url.trim() === '' ? null : url,
      publish_at: fromInputValue(publishAt),
      visibility,
      ...(priority !== '' && { priority }),
    });
    tell('Settings saved');
    onDone();
    onClose();
  });
  return (
    <Dialog title="Post settings" onClose={onClose}>
      <Form
        action={save}
        submit="Save settings"
        fields={['url', 'publish_at', 'visibility', 'priority']}
        onCancel={onClose}
      >
        <SelectField
          label="Visibility"
          name="visibility"
          problem={save.problem}
          value={visibility}
          options={visibilities}
          onValue={(value) => setVisibility(value === 'private' ? 'private' : 'public')}
        />
        <TextField
          label="Publish at"
          hint="The post is not public before this time. Empty: immediately."
          type="datetime-local"
          name="publish_at"
          problem={save.problem}
          value={publishAt}
          onValue={setPublishAt}
        />
        <TextField
          label="Article URL"
          hint="A player without post-id finds the post by this URL."
          type="url"
          name="url"
          problem={save.problem}
          value={url}
          onValue={setUrl}
        />
        {isWaiting && (
          <SelectField
            label="Queue priority"
            name="priority"
            problem={save.problem}
            value={priority}
            options={[unchanged, ...priorities]}
            onValue={(value) => setPriority(priorities.find((one) => one.value === value)?.value ?? '')}
          />
        )}
      </Form>
    </Dialog>
  );
}
