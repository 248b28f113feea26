import { Link } from 'wouter-preact';
import { type ApiError, api, ask, encodeSegment } from '../../api.ts';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { useToast } from '../../components/toasts.tsx';
import { links } from '../../links.ts';
import { useAction } from '../../query.ts';
import type { Voice } from './voices.ts';

interface RemoveVoiceProps {
  readonly voice: Voice;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

/** Confirms the removal; lists the users of a voice that cannot be removed. */
export function RemoveVoice({ voice, onClose, onRemoved }: RemoveVoiceProps) {
  const tell = useToast();
  const remove = useAction(async () => {
    await ask(() => api.voices({ id: encodeSegment(voice.id) }).delete());
    tell(`${voice.name} removed`);
    onRemoved();
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
  return (
    <Notice kind="problem">
      <p>{problem.message}.</p>
      {sites.length > 0 && (
        <>
          <p>Select another voice for these sites first:</p>
          <ul>
            {sites.map((site) => (
              <li key={site}>
                <Place name={site} to={links.ofSite(site, '/voices')} isLink={isSlug(site)} />
              </li>
            ))}
          </ul>
        </>
      )}
      {posts.length > 0 && (
        <>
          <p>Regenerate these posts in another voice, or delete them:</p>
          <ul>
            {posts.map((post) => {
              const [, postId = '', site = ''] = /^(.*) \((\S+)\)$/s.exec(post) ?? [];
              return (
                <li key={post}>
                  <Place name={post} to={links.post(site, postId)} isLink={site !== ''} />
                </li>
              );
            })}
          </ul>
        </>
      )}
    </Notice>
  );
}

function Place({ name, to, isLink }: { readonly name: string; readonly to: string; readonly isLink: boolean }) {
  return isLink ? <Link href={to}>{name}</Link> : <span>{name}</span>;
}

/** False for the last line of a long list, which counts the remaining ones. */
function isSlug(name: string): boolean {
  return !name.includes(' ');
}
