import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { links } from '../../links.ts';
import { useAction } from '../../loading.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { useSite } from '../../site.tsx';
import { languageText } from '../../words.ts';
import { PostSettings } from './post-settings.tsx';
import { type AudioDetail, deletePost, type PostDetail, remakePost } from './posts-api.ts';

interface PostActionsProps {
  readonly post: PostDetail;
  readonly audio: AudioDetail;
  readonly reload: () => void;
}

/** What editors do with a post. */
export function PostActions({ post, audio, reload }: PostActionsProps) {
  const { site } = useSite();
  const [open, setOpen] = useState<'settings' | 'remake' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <LinkButton href={`#${links.postText(site.slug, post.post_id, audio.language)}`}>
        Correct the text
      </LinkButton>
      <Button onClick={() => setOpen('settings')}>Settings</Button>
      <Button onClick={() => setOpen('remake')}>Make again</Button>
      <Button kind="danger" onClick={() => setOpen('delete')}>
        Delete
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
    const { audios } = await remakePost(site.slug, post.post_id);
    tell(audios === 0 ? 'Nothing of it could be queued now' : 'It is in the queue');
    reload();
  });
  return (
    <ConfirmDialog title="Make it again?" deed="Make again" action={remake} onClose={onClose}>
      <p>
        All languages and voices of the post are made from the text they have, with the lexicon and
        the settings as they are now. Only sentences that come out otherwise are spoken anew.
      </p>
      <p>Until it is ready, the audio of now is served. Nothing counts against the quota.</p>
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
    tell(isOne ? `${languageText(audio.language)} is deleted` : 'The post is deleted');
    if (isOne) reload();
    else navigate(`~${links.ofSite(site.slug, '/posts')}`);
  });
  return (
    <ConfirmDialog
      title={`Delete “${post.title ?? post.post_id}”?`}
      deed={isOne ? `Delete ${languageText(audio.language)}` : 'Delete post'}
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
          <label for="delete-one">Only its audio in {languageText(audio.language)}</label>
        </p>
      )}
      <p>At once, and for good:</p>
      <ul class="bullets">
        <li>the addresses of its MP3s answer “410 Gone”, wherever they were copied to;</li>
        <li>players on pages show nothing for it any more;</li>
        <li>its item goes from the podcast feed.</li>
      </ul>
      <p>It stays counted in the quota of its month. Handed in again, it is made anew.</p>
    </ConfirmDialog>
  );
}
