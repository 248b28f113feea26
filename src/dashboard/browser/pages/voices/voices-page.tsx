import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiError, api, request } from '../../api.ts';
import { deletion, type PageAction, useActions } from '../../components/actions.tsx';
import { PageLink } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import { PageDrop } from '../../components/file-drop.tsx';
import { Card, Notice, Status } from '../../components/page.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { formatLanguage } from '../../format.ts';
import { links } from '../../location.ts';
import { planNames } from '../../plans.ts';
import { useQuery } from '../../query.ts';
import { importAction } from './import-voice.tsx';
import { VoiceDialog } from './voice-dialog.tsx';
import { fetchSample, fetchVoices, lacksLicenseConsent, speedFactorText, type Voice, voiceText } from './voices.ts';

/** The voices of the server, for admins. */
export function VoicesPage() {
  const [changes, setChanges] = useState(0);
  const onDone = () => setChanges((count) => count + 1);
  const start = useActions();
  const files = useQuery(() => request(() => api.system.get()), [changes]).value?.voices.not_usable ?? [];
  return (
    <PageDrop isDisabled={false} onFiles={(files) => start(importAction(files), onDone)}>
      <Collection
        as="page"
        title="Voice files"
        about="Every voice of this server. Drop the files of a Piper voice anywhere on this page to import it."
        head={() => [{ ...importAction([]), kind: 'primary' }]}
        load={async () => ({ items: await fetchVoices() })}
        dependencies={[changes]}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Play',
            isNarrow: true,
            cell: (voice) => (
              <PlayButton label={voice.name} id={`voice ${voice.id}`} source={() => fetchSample(voice)} />
            ),
          },
          {
            title: 'Voice',
            phone: 'main',
            cell: ({ name }) => name,
            line: (voice) => [voiceText(voice), speedFactorText(voice)].filter(Boolean).join(', '),
          },
          { title: 'Language', phone: 'line', cell: ({ locale }) => formatLanguage(locale) },
          { title: 'License', phone: 'line', cell: (voice) => <License voice={voice} /> },
          {
            title: 'Plan',
            phone: 'hidden',
            cell: (voice) => <span class="sub">{planNames[voice.plan_required]}</span>,
          },
          { title: 'State', phone: 'line', cell: ({ enabled }) => !enabled && <Status icon="ban">Disabled</Status> },
        ]}
        actions={(voice) => [
          {
            label: 'Manage',
            icon: 'sliders-horizontal',
            dialog: (opened) => <VoiceDialog voice={voice} {...opened} />,
          },
          !voice.builtin && removal(voice),
        ]}
        empty={{ title: 'No voices installed', children: 'Import a Piper voice to generate audio.' }}
      />
      <InvalidFiles of={files} />
    </PageDrop>
  );
}

/** Lists the users of a voice that cannot be removed. */
function removal(voice: Voice): PageAction {
  return deletion('Voice', api.voices({ id: encodeURIComponent(voice.id) }), {
    label: 'Remove',
    confirm: {
      title: `Remove ${voice.name}?`,
      text: <p>Deletes the model with all its speakers from this server. To use the voice again, import its files.</p>,
      label: 'Remove voice',
      explain: (problem) => (problem.status === 409 ? <Uses problem={problem} /> : undefined),
    },
    done: `${voice.name} removed`,
  });
}

function License({ voice }: { readonly voice: Voice }) {
  const { license, builtin, license_status: status } = voice;
  if (builtin) return <span class="dim">Built-in</span>;
  if (lacksLicenseConsent(voice)) return <Status tone="warn">License not accepted</Status>;
  return (
    <>
      {license ?? 'Not specified'}
      {status !== 'free' && <span class="line">{status === 'non_commercial' ? 'Non-commercial' : 'Accepted'}</span>}
    </>
  );
}

/** Files in the voices folder that are no usable voices. */
export function InvalidFiles({ of }: { readonly of: readonly { readonly file: string; readonly problem: string }[] }) {
  if (of.length === 0) return null;
  return (
    <Card
      title="Invalid voice files"
      about="These files in the voices folder are not usable voices. Replace or delete them. Other voices are not affected."
      isFlush
    >
      <ul role="list" class="rows tight" aria-label="Invalid voice files">
        {of.map(({ file, problem }) => (
          <li key={file} class="column">
            <code>{file}</code>
            <p class="sub small">{problem}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** @param problem its fields name the first sites and posts */
function Uses({ problem }: { readonly problem: ApiError }) {
  const { sites = [], posts = [] } = problem.fields;
  const lists = [
    { title: 'Select another voice for these sites first:', of: sites, toPath: toVoicesPath },
    { title: 'Regenerate these posts in another voice, or delete them:', of: posts, toPath: toPostPath },
  ];
  return (
    <Notice kind="problem">
      <p>{problem.message}.</p>
      {lists
        .filter(({ of }) => of.length > 0)
        .map(({ title, of, toPath }) => (
          <Fragment key={title}>
            <p>{title}</p>
            <ul role="list">
              {of.map((name) => {
                const path = toPath(name);
                return <li key={name}>{path === undefined ? name : <PageLink to={path} text={name} />}</li>;
              })}
            </ul>
          </Fragment>
        ))}
    </Notice>
  );
}

/** @returns undefined for the last line of a long list, which counts the remaining sites */
function toVoicesPath(site: string): string | undefined {
  return site.includes(' ') ? undefined : links.ofSite(site, '/voices');
}

function toPostPath(post: string): string | undefined {
  const [, postId = '', site = ''] = /^(.*) \((\S+)\)$/s.exec(post) ?? [];
  return site === '' ? undefined : links.post(site, postId);
}
