import type { ComponentChildren } from 'preact';
import { Collection } from '../../components/collection.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { Chip, Status } from '../../components/status.tsx';
import { formatLanguage } from '../../format.ts';
import { AffectedPostsDialog } from './affected-posts-dialog.tsx';
import { EntryDialog } from './entry-dialog.tsx';
import {
  bodyOf,
  createEntry,
  deleteEntry,
  type Entry,
  fetchEntries,
  fetchEntrySpeech,
  type PreviewVoice,
  type PronunciationScope,
} from './pronunciations-api.ts';

interface WordListProps {
  readonly of: PronunciationScope;
  readonly canEdit: boolean;
  /** Voices for previews. */
  readonly voices: readonly PreviewVoice[];
  /** Loads again when it changes. */
  readonly changes: number;
  /** Adds a word. */
  readonly add: ComponentChildren;
}

/** Words with their pronunciations. */
export function WordList({ of, canEdit, voices, changes, add }: WordListProps) {
  const languages = [...new Set(voices.map(({ language }) => language))].sort();
  return (
    <Collection
      title="Pronunciations"
      load={(query) => fetchEntries(of, query)}
      dependencies={[of, changes]}
      keyOf={({ id }) => id}
      search="Word or pronunciation"
      filters={[
        {
          name: 'language',
          label: 'Any language',
          options: Object.fromEntries(languages.map((code) => [code, formatLanguage(code)])),
        },
      ]}
      columns={[
        {
          title: 'Before',
          isNarrow: true,
          phone: 'hidden',
          cell: (entry) => <HearEntry of={of} entry={entry} voices={voices} isBefore />,
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
        { title: 'After', isNarrow: true, cell: (entry) => <HearEntry of={of} entry={entry} voices={voices} /> },
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
          cell: ({ language }) => (
            <span class="sub">{language === '' ? 'All languages' : formatLanguage(language)}</span>
          ),
        },
      ]}
      actions={(entry) =>
        canEdit
          ? [
              {
                label: 'Edit',
                icon: 'pencil',
                dialog: (opened) => <EntryDialog {...{ of, voices, entry }} {...opened} />,
              },
              {
                label: 'Posts with it',
                icon: 'newspaper',
                dialog: ({ onClose }) => <AffectedPostsDialog of={of} entry={entry} onClose={onClose} />,
              },
              {
                label: 'Delete',
                icon: 'trash-2',
                isDanger: true,
                run: () => deleteEntry(of, entry.id),
                done: `“${entry.word}” deleted. New audio speaks it as written.`,
                undo: () => createEntry(of, bodyOf(entry)),
              },
            ]
          : []
      }
      empty={{
        title: 'No pronunciations yet',
        children:
          'Say how a name is pronounced, and every post pronounces it so. Drop a CSV or PLS file here to import many.',
        action: canEdit && add,
      }}
    />
  );
}

interface HearEntryProps {
  readonly of: PronunciationScope;
  readonly entry: Entry;
  readonly voices: readonly PreviewVoice[];
  /** As it is spoken without the entry. */
  readonly isBefore?: boolean;
}

function HearEntry({ of, entry, voices, isBefore = false }: HearEntryProps) {
  const { id, word, alias, language, lacking } = entry;
  const voice = voices.find(
    (voice) =>
      (language === '' || voice.language === language) && !lacking.some(({ voice_id }) => voice_id === voice.id),
  );
  return (
    <PlayButton
      id={`word ${id} ${isBefore}`}
      label={isBefore ? `${word} as written` : `${word} as ${alias}`}
      source={voice && (() => fetchEntrySpeech(of, { word, alias: isBefore ? word : alias }, voice.id))}
    />
  );
}
