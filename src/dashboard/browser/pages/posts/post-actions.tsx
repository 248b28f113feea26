import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Button, LinkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatLanguage } from '../../format.ts';
import { links } from '../../links.ts';
import { useAction } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { PostSettings } from './post-settings.tsx';
import { type AudioDetail, deletePost, type PostDetail, regeneratePost } from './posts-api.ts';

interface PostActionsProps {
  readonly post: PostDetail;
  readonly audio: AudioDetail;
  readonly reload: () => void;
}

/** Actions of editors on a post. */
export function PostActions({ post, audio, reload }: PostActionsProps) {
  const { site } = useSite();
  const [open, setOpen] = useState<'settings' | 'remake' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <LinkButton href={`#${links.postText(site.slug, post.post_id, audio.language)}`}>Edit text</LinkButton>
      <Button onClick={() => setOpen('settings')}>Edit settings</Button>
      <Button onClick={() => setOpen('remake')}>Regenerate audio</Button>
      <Button kind="danger" onClick={() => setOpen('delete')}>
        {' '}
        Delete post
      </Button>
      {open === 'settings' && <PostSettings post={post} onDone={reload} onClose={close} />}
      {open === 'remake' && <Remake post={post} reload={reload} onClose={close} />}
      {open === 'delete' && <Delete post={post} audio={audio} reload={reload} onClose={close} />}
    </>
  );
}

interface RemakeProps {
  readonly post: PostDetail;
  readonly reload: () => void;
  readonly onClose: () => void;
}

function Remake({ post, reload, onClose }: RemakeProps) {
  const { site } = useSite();
  const tell = useToast();
  const remake = useAction(async () => {
    const { audios } = await regeneratePost(site.slug, post.post_id);
    tell(audios === 0 ? 'No audio was queued: the queue is full. Try again later.' : 'Regeneration queued');
    reload();
  });
  return (
    <ConfirmDialog title="Regenerate audio?" confirmLabel="Regenerate audio" action={remake} onClose={onClose}>
      <p>
        Regenerates all languages and voices of the post with the current pronunciations and settings. Only changed
        sentences are synthesized.
      </p>
      <p>The current audio is served until the new audio is ready. Regenerating does not use quota.</p>
    </ConfirmDialog>
  );
}

interface DeleteProps extends RemakeProps {
  readonly audio: AudioDetail;
}

function Delete({ post, audio, reload, onClose }: DeleteProps) {
  const { site } = useSite();
  const tell = useToast();
  const [, navigate] = useLocation();
  const languages = [...new Set(post.audio.map(({ language }) => language))];
  const [only, setOnly] = useState(false);
  const isOne = only && languages.length > 1;
  const remove = useAction(async () => {
    await deletePost(site.slug, post.post_id, isOne ? audio.language : undefined);
    tell(isOne ? `${formatLanguage(audio.language)} audio deleted` : 'Post deleted');
    if (isOne) reload();
    else navigate(`${links.ofSite(site.slug, '/posts')}`);
  });
  return (
    <ConfirmDialog
      title={`Delete “${post.title ?? post.post_id}”?`}
      confirmLabel={isOne ? `Delete ${formatLanguage(audio.language)} audio` : 'Delete post'}
      action={remove}
      onClose={onClose}
    >
      {languages.length > 1 && (
        <p class="field check">
          <input
            id="delete-one"
            type="checkbox"
            checked={only}
            onChange={(event) => setOnly(event.currentTarget.checked)}
          />
          <label for="delete-one">Delete only the audio in {formatLanguage(audio.language)}</label>
        </p>
      )}
      <p>This takes effect immediately and cannot be undone:</p>
      <ul class="bullets">
        <li>The MP3 URLs return “410 Gone”.</li>
        <li>Players no longer show the post.</li>
        <li>The podcast feed no longer lists it.</li>
      </ul>
      <p>The post still counts toward the quota of its month. You can submit it again later.</p>
    </ConfirmDialog>
  );
}
