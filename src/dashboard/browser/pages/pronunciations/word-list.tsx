import { useState } from 'preact/hooks';
import { type DataOf, request } from '../../api.ts';
import { Button, PageLink } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { formDialog } from '../../components/form.tsx';
import { Chip, ErrorNotice, Notice, QueryView, Status } from '../../components/page.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { formatCount, formatLanguage, listLanguages } from '../../format.ts';
import { links } from '../../location.ts';
import { useAction, useQuery } from '../../query.ts';
import type { SiteRoutes } from '../../site.tsx';
import {
  bodyOf,
  type Entry,
  type EntryBody,
  entriesOf,
  entryOf,
  fetchEntrySpeech,
  type Pronunciations,
  speakerOf,
} from './pronunciations-api.ts';

/** Polling interval of affected posts; each request searches all posts. */
const pollMs = 5_000;

/** Words with their pronunciations. */
export function WordList({ of }: { readonly of: Pronunciations }) {
  const { site, canEdit, changes } = of;
  return (
    <Collection
      title="Pronunciations"
      load={(query) => request(() => entriesOf(site).get({ query }))}
      dependencies={[site, changes]}
      keyOf={({ id }) => id}
      search="Word or pronunciation"
      filters={[{ name: 'language', label: 'Language', options: listLanguages(of.voices) }]}
      columns={[
        {
          title: 'Before',
          isNarrow: true,
          phone: 'hidden',
          cell: (entry) => <HearEntry {...{ of, entry }} isBefore />,
        },
        {
          title: 'Word',
          phone: 'main',
          cell: ({ word, match_case }) => (
            <span class="row">
              <b class="headline">{word}</b>
              {match_case && <Chip>Match case</Chip>}
            </span>
          ),
        },
        { title: 'After', isNarrow: true, cell: (entry) => <HearEntry {...{ of, entry }} /> },
        {
          title: 'Pronounced as',
          phone: 'line',
          cell: ({ alias, lacking }) => (
            <>
              {alias.includes('[[') ? <code>{alias}</code> : alias}
              {lacking.length > 0 && (
                <span class="line">
                  <Status tone="warn">Not in {lacking.map(({ name }) => name).join(', ')}: spoken as written</Status>
                </span>
              )}
            </>
          ),
        },
        {
          title: 'Language',
          phone: 'hidden',
          cell: ({ language }) => <LanguageName of={language} />,
        },
      ]}
      actions={(entry) => [
        canEdit && { label: 'Edit', icon: 'pencil', dialog: entryDialog(of, entry) },
        canEdit && {
          label: 'Posts with it',
          icon: 'newspaper',
          dialog: ({ onClose }) => <AffectedPosts {...{ site, entry, onClose }} />,
        },
        canEdit && {
          label: 'Delete',
          icon: 'trash-2',
          isDanger: true,
          run: () => request(() => entryOf(site, entry).delete()),
          done: `“${entry.word}” deleted. New audio speaks it as written.`,
          undo: () => request(() => entriesOf(site).post(bodyOf(entry))),
        },
      ]}
      empty={{
        title: 'No pronunciations yet',
        children:
          'Say how a name is pronounced, and every post pronounces it so. Drop a CSV or PLS file here to import many.',
      }}
    />
  );
}

/** Words that were deleted, which can be restored for a time. */
export function DeletedWords({ of: { site, canEdit, onChanged } }: { readonly of: Pronunciations }) {
  return (
    <Collection
      title="Deleted pronunciations"
      load={() => request(() => entriesOf(site).deleted.get())}
      dependencies={[site]}
      keyOf={({ word, language, match_case }) => `${language} ${match_case} ${word}`}
      columns={[
        { title: 'Word', phone: 'main', cell: ({ word }) => <b class="headline">{word}</b> },
        { title: 'Pronounced as', phone: 'line', cell: ({ alias }) => alias },
        { title: 'Language', phone: 'hidden', cell: ({ language }) => <LanguageName of={language} /> },
        { title: 'Deleted', at: ({ deleted_at }) => deleted_at },
      ]}
      actions={(entry) => [
        canEdit && {
          label: 'Restore',
          icon: 'undo-2',
          run: async () => {
            await request(() => entriesOf(site).post(bodyOf(entry)));
            onChanged();
          },
          done: `“${entry.word}” restored`,
        },
      ]}
      empty={{ title: 'Nothing deleted' }}
    />
  );
}

function LanguageName({ of }: { readonly of: string }) {
  return <span class="sub">{of ? formatLanguage(of) : 'All languages'}</span>;
}

/** Form for a pronunciation. @param entry undefined: a new one */
export function entryDialog(of: Pronunciations, entry?: Entry) {
  const { site, voices } = of;
  const initial = entry === undefined ? { word: '', alias: '', language: '', match_case: false } : bodyOf(entry);
  return formDialog<EntryBody>({
    title: entry === undefined ? 'Add word' : 'Edit pronunciation',
    initial,
    fields: {
      word: {
        label: 'Word',
        hint: 'One or more words as written. Only whole words match.',
        input: { maxLength: 100 },
      },
      alias: { label: 'Pronounced as', hint: <AboutAlias />, input: { maxLength: 200 } },
      language: { label: 'Language', options: { '': 'All languages', ...listLanguages([...voices, initial]) } },
      match_case: { label: 'Match case', kind: 'check', hint: 'For acronyms: “US”, not “us”.' },
    },
    canSubmit: ({ word, alias }) => word.trim() !== '' && alias.trim() !== '',
    submit: entry === undefined ? 'Add word' : 'Save',
    send: (body) =>
      request(() => (entry === undefined ? entriesOf(site).post(body) : entryOf(site, entry).patch(body))),
    children: ({ word, alias, language }) => {
      const speaker = speakerOf(voices, language);
      if (speaker === undefined || word.trim() === '') return null;
      const hear = (as: string) => () => fetchEntrySpeech(site, word, as, speaker.id);
      return (
        <p class="row">
          <PlayButton label={`${word} as written`} source={hear(word)} />
          <span class="sub">As written</span>
          {alias.trim() !== '' && <PlayButton label={`${word} as ${alias}`} source={hear(alias)} />}
          {alias.trim() !== '' && <span class="sub">{`As you write it (${speaker.name})`}</span>}
        </p>
      );
    },
  });
}

function AboutAlias() {
  return (
    <>
      Written as it sounds, capitals are stress: <code>KAH-kor-tok</code>. Or phonemes in double brackets:{' '}
      <code>[[ʃɪvˈɔːn]]</code>.
    </>
  );
}

interface HearEntryProps {
  readonly of: Pronunciations;
  readonly entry: Entry;
  /** As it is spoken without the entry. */
  readonly isBefore?: boolean;
}

function HearEntry({ of: { site, voices }, entry, isBefore = false }: HearEntryProps) {
  const { id, word, alias, language, lacking } = entry;
  const able = voices.filter((voice) => !lacking.some(({ voice_id }) => voice_id === voice.id));
  const voice = speakerOf(able, language);
  return (
    <PlayButton
      id={`word ${id} ${isBefore}`}
      label={isBefore ? `${word} as written` : `${word} as ${alias}`}
      source={voice && (() => fetchEntrySpeech(site, word, isBefore ? word : alias, voice.id))}
    />
  );
}

interface AffectedPostsProps {
  readonly site: string | undefined;
  readonly entry: Entry;
  readonly onClose: () => void;
}

/** The posts that contain a word, and how many of their audios use an older pronunciation of it. */
function AffectedPosts({ site, entry, onClose }: AffectedPostsProps) {
  const [begun, setBegun] = useState<{ readonly outdated: number; readonly complete: boolean }>();
  const affected = useQuery(
    () => request(() => entriesOf(site).preview.post(bodyOf(entry))),
    [site, entry.id],
    (now) => (begun !== undefined && now !== undefined && now.outdated > 0 ? pollMs : undefined),
  );
  const regenerate = useAction(async () => {
    const { complete } = await request(() => entryOf(site, entry).remake.post());
    setBegun({ outdated: affected.value?.outdated ?? 0, complete });
    affected.reload();
  });
  return (
    <Dialog title={`Posts with “${entry.word}”`} onClose={onClose}>
      <QueryView of={affected}>
        {({ posts, outdated, complete, first }) => (
          <div class="stack tight">
            {posts === 0 ? (
              <p>No post contains this word{complete ? '' : ' among those searched'}.</p>
            ) : (
              <p>
                {complete ? '' : 'At least '}
                <strong>{formatCount(posts, 'post')}</strong> {posts === 1 ? 'contains' : 'contain'} it.{' '}
                {outdated === 0
                  ? 'All audio uses this pronunciation.'
                  : `${formatCount(outdated, 'audio file does', 'audio files do')} not use this pronunciation yet.`}
              </p>
            )}
            {first.length > 0 && <FirstPosts {...{ site, posts, first }} />}
            {begun !== undefined && <Progress begun={begun} left={outdated} />}
            {begun === undefined && outdated > 0 && (
              <>
                <p class="hint">
                  Only sentences with the word are synthesized. New posts go first. The existing audio is served until
                  then. Regeneration does not use quota.
                </p>
                <div class="actions">
                  <Button kind="quiet" onClick={onClose} label="Keep existing audio" />
                  <Button
                    kind="primary"
                    action={regenerate}
                    label={`Regenerate ${formatCount(outdated, 'audio file')}`}
                  />
                </div>
              </>
            )}
            <ErrorNotice problem={regenerate.problem} />
          </div>
        )}
      </QueryView>
    </Dialog>
  );
}

type FirstPostsProps = Pick<AffectedPostsProps, 'site'> &
  Pick<DataOf<SiteRoutes['pronunciations']['preview']['post']>, 'posts' | 'first'>;

function FirstPosts({ site, posts, first }: FirstPostsProps) {
  return (
    <ul role="list" class="rows tight">
      {first.map(({ site_id, post_id, language, outdated, sentence }) => (
        <li key={`${site_id} ${post_id} ${language}`} class="column">
          <span class="row">
            <PageLink to={links.post(site ?? site_id, post_id)} text={post_id} />
            {outdated && <Status tone="warn">Old pronunciation</Status>}
          </span>
          <span class="serif sub">{sentence}</span>
        </li>
      ))}
      {posts > first.length && <li class="hint">and {formatCount(posts - first.length, 'more post')}</li>}
    </ul>
  );
}

interface ProgressProps {
  readonly begun: { readonly outdated: number; readonly complete: boolean };
  readonly left: number;
}

function Progress({ begun, left }: ProgressProps) {
  const done = Math.max(0, begun.outdated - left);
  return (
    <div role="status">
      <p>{left === 0 ? 'Regenerated, or being regenerated.' : 'Regeneration queued.'}</p>
      <progress aria-label="Regeneration progress" value={begun.outdated === 0 ? 1 : done} max={begun.outdated || 1} />
      {!begun.complete && <Notice kind="warning">The queue is full. Try again when it is shorter.</Notice>}
    </div>
  );
}
