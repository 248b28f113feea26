import { request } from '../../api.ts';
import { ActionButton, type ButtonAction } from '../../components/actions.tsx';
import { Collection } from '../../components/collection.tsx';
import { formDialog } from '../../components/form.tsx';
import { Chip, Status } from '../../components/page.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { formatLanguage } from '../../format.ts';
import { AffectedPostsDialog } from './affected-posts-dialog.tsx';
import {
  bodyOf,
  type Entry,
  type EntryBody,
  entriesOf,
  entryOf,
  fetchEntrySpeech,
  type Pronunciations,
} from './pronunciations-api.ts';

/** Words with their pronunciations. */
export function WordList({ of, add }: { readonly of: Pronunciations; readonly add: ButtonAction | false }) {
  const { site, canEdit, changes } = of;
  return (
    <Collection
      title="Pronunciations"
      load={(query) => request(() => entriesOf(site).get({ query }))}
      dependencies={[site, changes]}
      keyOf={({ id }) => id}
      search="Word or pronunciation"
      filters={[{ name: 'language', label: 'Language', options: listLanguages(of) }]}
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
          cell: ({ language }) => <span class="sub">{language ? formatLanguage(language) : 'All languages'}</span>,
        },
      ]}
      actions={(entry) => [
        canEdit && { label: 'Edit', icon: 'pencil', dialog: entryDialog(of, entry) },
        canEdit && {
          label: 'Posts with it',
          icon: 'newspaper',
          dialog: ({ onClose }) => <AffectedPostsDialog site={site} entry={entry} onClose={onClose} />,
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
        action: add && <ActionButton {...add} onDone={of.onChanged} />,
      }}
    />
  );
}

/** The languages of voices, with their names. */
function listLanguages({ voices }: Pronunciations, other = ''): Record<string, string> {
  const codes = [...new Set([...voices.map(({ language }) => language), other])].filter((code) => code !== '').sort();
  return Object.fromEntries(codes.map((code) => [code, formatLanguage(code)]));
}

/** Form for a pronunciation. @param entry undefined: a new one */
export function entryDialog(of: Pronunciations, entry?: Entry) {
  const { site, voices } = of;
  const nothing = { word: '', alias: '', language: '', match_case: false };
  return formDialog<EntryBody>({
    title: entry === undefined ? 'Add word' : 'Edit pronunciation',
    initial: entry === undefined ? nothing : bodyOf(entry),
    fields: [
      {
        name: 'word',
        label: 'Word',
        hint: 'One or more words as written. Only whole words match.',
        input: { maxLength: 100 },
      },
      { name: 'alias', label: 'Pronounced as', hint: <AboutAlias />, input: { maxLength: 200 } },
      {
        name: 'language',
        label: 'Language',
        options: { '': 'All languages', ...listLanguages(of, entry?.language) },
      },
      { name: 'match_case', label: 'Match case', kind: 'check', hint: 'For acronyms: “US”, not “us”.' },
    ],
    canSubmit: ({ word = '', alias = '' }) => word.trim() !== '' && alias.trim() !== '',
    submit: entry === undefined ? 'Add word' : 'Save',
    send: (body) =>
      request(() => (entry === undefined ? entriesOf(site).post(body) : entryOf(site, entry).patch(body))),
    children: ({ word = '', alias = '', language = '' }) => {
      const speaker = voices.find((voice) => language === '' || voice.language === language);
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
  const voice = voices.find(
    (voice) =>
      (language === '' || voice.language === language) && !lacking.some(({ voice_id }) => voice_id === voice.id),
  );
  return (
    <PlayButton
      id={`word ${id} ${isBefore}`}
      label={isBefore ? `${word} as written` : `${word} as ${alias}`}
      source={voice && (() => fetchEntrySpeech(site, word, isBefore ? word : alias, voice.id))}
    />
  );
}
