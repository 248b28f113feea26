import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { PreviewButton } from '../../components/preview-button.tsx';
import { PagedQueryView } from '../../components/query-view.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatLanguage } from '../../format.ts';
import { useDebounced, usePagedQuery, useQuery } from '../../query.ts';
import { AffectedPostsDialog } from './affected-posts-dialog.tsx';
import { DeleteEntry } from './delete-entry.tsx';
import { EntryDialog } from './entry-dialog.tsx';
import { ExportSection } from './export-section.tsx';
import { ImportDialog } from './import-dialog.tsx';
import {
  type Entry,
  fetchEntries,
  fetchEntrySpeech,
  fetchPreviewVoices,
  type PreviewVoice,
  type PronunciationScope,
} from './pronunciations-api.ts';
import { RegenerateChanged } from './regenerate-changed.tsx';
import './pronunciations.css';

const everyLanguage = 'every';

type Opened =
  | { readonly what: 'add' | 'import' }
  | { readonly what: 'change' | 'touched' | 'delete'; readonly entry: Entry };

interface LexiconActions {
  readonly opened: Opened | undefined;
  readonly open: (opened: Opened | undefined) => void;
  /** Buttons for the page header. */
  readonly actions: ComponentChildren;
}

/** State of the dialogs of a pronunciations page, and the buttons that open them. */
export function usePronunciationActions(): LexiconActions {
  const [opened, open] = useState<Opened>();
  const actions = (
    <>
      <Button onClick={() => open({ what: 'import' })}>Import file</Button>
      <Button kind="primary" onClick={() => open({ what: 'add' })}>
        Add pronunciation
      </Button>
    </>
  );
  return { opened, open, actions };
}

interface LexiconViewProps {
  readonly of: PronunciationScope;
  readonly canChange: boolean;
  readonly lexicon: LexiconActions;
}

/** The pronunciations of a site or of the installation. */
export function PronunciationsView({ of, canChange, lexicon }: LexiconViewProps) {
  const { opened, open } = lexicon;
  const [search, setSearch] = useState('');
  const [language, setLanguage] = useState('');
  const asked = useDebounced(search.trim());
  const isAll = asked === '' && language === '';
  const entries = usePagedQuery(
    (cursor) => fetchEntries(of, { search: asked, language: codeOf(language) }, cursor),
    [of, asked, language],
  );
  const speakers = useQuery(() => fetchPreviewVoices(of), [of]);
  const languages = languagesOf(speakers.value ?? [], entries.items ?? []);
  const isEmpty = isAll && entries.items?.length === 0;
  return (
    <>
      {!isEmpty && (
        // biome-ignore lint/a11y/useSemanticElements: the element "search" is unknown to the types of preact
        <form class="filter-bar two" role="search" onSubmit={(event) => event.preventDefault()}>
          <TextField
            label="Search"
            type="search"
            placeholder="Word or pronunciation"
            maxLength={200}
            value={search}
            onValue={setSearch}
          />
          <SelectField
            label="Language"
            value={language}
            options={[
              { value: '', label: 'Any' },
              { value: everyLanguage, label: 'All languages' },
              ...languages.map((code) => ({ value: code, label: formatLanguage(code) })),
            ]}
            onValue={setLanguage}
          />
        </form>
      )}
      <PagedQueryView of={entries} empty={isAll ? <NoEntries canChange={canChange} open={open} /> : <NoneFound />}>
        {(items) => (
          <Table
            caption="Pronunciations"
            rows={items}
            keyOf={({ id }) => id}
            columns={columnsFor(of, speakers.value ?? [], canChange, open)}
          />
        )}
      </PagedQueryView>
      {canChange && !isEmpty && <RegenerateChanged of={of} />}
      {!isEmpty && <ExportSection of={of} languages={languages} />}
      <Dialogs of={of} opened={opened} onChanged={entries.reload} open={open} />
    </>
  );
}

interface DialogsProps {
  readonly of: PronunciationScope;
  readonly opened: Opened | undefined;
  readonly open: (opened: Opened | undefined) => void;
  readonly onChanged: () => void;
}

function Dialogs({ of, opened, open, onChanged }: DialogsProps) {
  const tell = useToast();
  const close = () => open(undefined);
  const saved = (entry: Entry) => {
    tell(`Pronunciation of ${entry.word} saved. It applies to audio generated from now on.`);
    onChanged();
  };
  switch (opened?.what) {
    case undefined:
      return null;
    case 'add':
      return <EntryDialog of={of} onSaved={saved} onClose={close} />;
    case 'import':
      return <ImportDialog of={of} onImported={onChanged} onClose={close} />;
    case 'change':
      return <EntryDialog of={of} entry={opened.entry} onSaved={saved} onClose={close} />;
    case 'touched':
      return <AffectedPostsDialog of={of} entry={opened.entry} onClose={close} />;
    case 'delete':
      return <DeleteEntry of={of} entry={opened.entry} onDeleted={onChanged} onClose={close} />;
  }
}

function columnsFor(
  of: PronunciationScope,
  speakers: readonly PreviewVoice[],
  canChange: boolean,
  open: (opened: Opened) => void,
): Column<Entry>[] {
  return [
    {
      title: 'Word',
      cell: ({ word, match_case }) => (
        <span class="entry-word">
          <strong>{word}</strong>
          {match_case && <Badge>Match case</Badge>}
        </span>
      ),
    },
    { title: 'Pronounced as', cell: (entry) => <Alias entry={entry} /> },
    {
      title: 'Language',
      cell: ({ language }) => (
        <span class="unbroken">{language === '' ? 'All languages' : formatLanguage(language)}</span>
      ),
    },
    {
      title: 'Actions',
      isActions: true,
      cell: (entry) => (
        <>
          {(of !== undefined || canChange) && <HearEntry of={of} entry={entry} speakers={speakers} />}
          {canChange && (
            <>
              <Action name="Posts" word={entry.word} onClick={() => open({ what: 'touched', entry })} />
              <Action name="Edit" word={entry.word} onClick={() => open({ what: 'change', entry })} />
              <Action name="Delete" word={entry.word} onClick={() => open({ what: 'delete', entry })} />
            </>
          )}
        </>
      ),
    },
  ];
}

interface ActionProps {
  readonly name: string;
  readonly word: string;
  readonly onClick: () => void;
}

function Action({ name, word, onClick }: ActionProps) {
  return (
    <Button kind="quiet" aria-label={`${name}: ${word}`} onClick={onClick}>
      {name}
    </Button>
  );
}

/** Shows phonemes in a code font. */
function Alias({ entry }: { readonly entry: Entry }) {
  const { alias, lacking } = entry;
  return (
    <>
      {alias.includes('[[') ? <code class="alias">{alias}</code> : alias}
      {lacking.length > 0 && (
        <p class="hint">
          {lacking.map(({ name }) => name).join(', ')} cannot pronounce this. The word is spoken as written.
        </p>
      )}
    </>
  );
}

interface HearEntryProps {
  readonly of: PronunciationScope;
  readonly entry: Entry;
  readonly speakers: readonly PreviewVoice[];
}

function HearEntry({ of, entry, speakers }: HearEntryProps) {
  const lacking = new Set(entry.lacking.map(({ voice_id }) => voice_id));
  const speaker = speakers.find(
    ({ id, language }) => (entry.language === '' || language === entry.language) && !lacking.has(id),
  );
  if (speaker === undefined) return null;
  return <PreviewButton label={entry.word} load={() => fetchEntrySpeech(of, entry, speaker.id)} />;
}

interface NoEntriesProps {
  readonly canChange: boolean;
  readonly open: (opened: Opened) => void;
}

function NoEntries({ canChange, open }: NoEntriesProps) {
  return (
    <EmptyState
      title="No pronunciations yet"
      action={
        canChange && (
          <>
            <Button kind="primary" onClick={() => open({ what: 'add' })}>
              Add pronunciation
            </Button>
            <Button onClick={() => open({ what: 'import' })}>Import file</Button>
          </>
        )
      }
    >
      <p>
        A pronunciation defines how a word is spoken: “Siobhan” as “Shivawn”, or in phonemes as <code>[[ʃɪvˈɔːn]]</code>
        . The text of the articles does not change.
      </p>
      <p>The preview of a new post lists names and acronyms without a pronunciation.</p>
    </EmptyState>
  );
}

function NoneFound() {
  return (
    <EmptyState title="No matching pronunciations">
      <p>The search covers words and pronunciations and ignores case.</p>
    </EmptyState>
  );
}

function codeOf(language: string): string | undefined {
  if (language === '') return undefined;
  return language === everyLanguage ? '' : language;
}

function languagesOf(speakers: readonly PreviewVoice[], entries: readonly Entry[]): string[] {
  const codes = [...speakers, ...entries].map(({ language }) => language);
  return [...new Set(codes)].filter((code) => code !== '').sort();
}
