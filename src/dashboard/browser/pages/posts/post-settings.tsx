import { useState } from 'preact/hooks';
import { useAction } from '../../loading.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { useSite } from '../../site.tsx';
import { asMoment, asTyped } from './moment-typed.ts';
import { changePost, isUnfinished, type PostDetail } from './posts-api.ts';

export const visibilities = [
  { value: 'public', label: 'Public: pages and the feed have it' },
  { value: 'private', label: 'Private: only here and by API key' },
] as const;

export const priorities = [
  { value: 'high', label: 'High: before the others' },
  { value: 'normal', label: 'Normal' },
  { value: 'low', label: 'Low: when nothing else waits' },
] as const;

const unchanged = { value: '', label: 'As it is' } as const;

interface PostSettingsProps {
  readonly post: PostDetail;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** What a post is beside its text. */
export function PostSettings({ post, onDone, onClose }: PostSettingsProps) {
  const { site } = useSite();
  const tell = useToast();
  const [url, setUrl] = useState(post.url ?? '');
  const [publishAt, setPublishAt] = useState(asTyped(post.publish_at));
  const [visibility, setVisibility] = useState(post.visibility);
  const [priority, setPriority] = useState<'' | (typeof priorities)[number]['value']>('');
  const isWaiting = post.audio.some(isUnfinished);
  const save = useAction(async () => {
    await changePost(site.slug, post.post_id, {
      url: url.trim() === '' ? null : url,
      publish_at: asMoment(publishAt),
      visibility,
      ...(priority !== '' && { priority }),
    });
    tell('Settings saved');
    onDone();
    onClose();
  });
  return (
    <Dialog title="Settings of the post" onClose={onClose}>
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
          hint="Until then pages and the feed know nothing of it. Empty: at once."
          type="datetime-local"
          name="publish_at"
          problem={save.problem}
          value={publishAt}
          onValue={setPublishAt}
        />
        <TextField
          label="Address of the article"
          hint="By it a player without a post-id finds the post."
          type="url"
          name="url"
          problem={save.problem}
          value={url}
          onValue={setUrl}
        />
        {isWaiting && (
          <SelectField
            label="Priority in the queue"
            name="priority"
            problem={save.problem}
            value={priority}
            options={[unchanged, ...priorities]}
            onValue={(value) =>
              setPriority(priorities.find((one) => one.value === value)?.value ?? '')
            }
          />
        )}
      </Form>
    </Dialog>
  );
}
