import { type ApiError, api, encodeSegment, request } from '../../api.ts';
import { PageLink } from '../../components/button.tsx';
import { ConfirmDialog, type DialogHandlers } from '../../components/dialog.tsx';
import { Notice } from '../../components/page.tsx';
import { useToast } from '../../components/toasts.tsx';
import { links } from '../../location.ts';
import { useAction } from '../../query.ts';
import type { Voice } from './voices.ts';

interface RemoveVoiceProps extends DialogHandlers {
  readonly voice: Voice;
}

/** Confirms the removal; lists the users of a voice that cannot be removed. */
export function RemoveVoice({ voice, onClose, onDone }: RemoveVoiceProps) {
  const tell = useToast();
  const remove = useAction(async () => {
    await request(() => api.voices({ id: encodeSegment(voice.id) }).delete());
    tell(`${voice.name} removed`);
    onDone();
  });
  const uses = remove.problem?.status === 409 ? remove.problem : undefined;
  return (
    <ConfirmDialog
      title={`Remove ${voice.name}?`}
      confirmLabel="Remove voice"
      action={uses === undefined ? remove : { ...remove, problem: undefined }}
      onClose={onClose}
    >
      {uses === undefined ? (
        <p>Deletes the model with all its speakers from this server. To use the voice again, import its files.</p>
      ) : (
        <Uses problem={uses} />
      )}
    </ConfirmDialog>
  );
}

/** @param problem its fields name the first sites and posts */
function Uses({ problem }: { readonly problem: ApiError }) {
  const { sites = [], posts = [] } = problem.fields;
  const placeOfPost = (post: string) => {
    const [, postId = '', site = ''] = /^(.*) \((\S+)\)$/s.exec(post) ?? [];
    return site === '' ? undefined : links.post(site, postId);
  };
  return (
    <Notice kind="problem">
      <p>{problem.message}.</p>
      <Places
        title="Select another voice for these sites first:"
        of={sites}
        // The last line of a long list counts the remaining ones.
        toPath={(site) => (site.includes(' ') ? undefined : links.ofSite(site, '/voices'))}
      />
      <Places title="Regenerate these posts in another voice, or delete them:" of={posts} toPath={placeOfPost} />
    </Notice>
  );
}

interface PlacesProps {
  readonly title: string;
  readonly of: readonly string[];
  /** @returns undefined where there is no page */
  readonly toPath: (name: string) => string | undefined;
}

function Places({ title, of, toPath }: PlacesProps) {
  if (of.length === 0) return null;
  return (
    <>
      <p>{title}</p>
      <ul>
        {of.map((name) => {
          const path = toPath(name);
          return <li key={name}>{path === undefined ? name : <PageLink to={path} text={name} />}</li>;
        })}
      </ul>
    </>
  );
}
