import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useListed, useLoaded, useSettled } from '../../loading.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Hear } from '../../parts/hear.tsx';
import { ListedView } from '../../parts/list.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { languageText } from '../../words.ts';
import { DeleteEntry } from './delete-entry.tsx';
import { EntryDialog } from './entry-dialog.tsx';
import { ExportSection } from './export-section.tsx';
import { ImportDialog } from './import-dialog.tsx';
import {
  type Entry,
  type LexiconOf,
  readEntries,
  readSpeakers,
  type Speaker,
  sayEntry,
} from './lexicon-api.ts';
import { RemakeChanged } from './remake-changed.tsx';
import { TouchedDialog } from './touched-dialog.tsx';
import './lexicon.css';

const everyLanguage = 'every';

type Opened =
  | { readonly what: 'add' | 'import' }
  | { readonly what: 'change' | 'touched' | 'delete'; readonly entry: Entry };

interface LexiconActions {
  readonly opened: Opened | undefined;
  readonly open: (opened: Opened | undefined) => void;
  /** For the head of the page. */
  readonly actions: ComponentChildren;
}

/** What is open on a page of a lexicon, and the buttons that open it. */
export function useLexiconActions(): LexiconActions {
  const [opened, open] = useState<Opened>();
  const actions = (
    <>
      <Button onClick={() => open({ what: 'import' })}>Import</Button>
      <Button kind="primary" onClick={() => open({ what: 'add' })}>
        Add a word
      </Button>
    </>
  );
  return { opened, open, actions };
}

interface LexiconViewProps {
  readonly of: LexiconOf;
  readonly canChange: boolean;
  readonly lexicon: LexiconActions;
}

/** The entries of one lexicon, and what is done with them. */
export function LexiconView({ of, canChange, lexicon }: LexiconViewProps) {
  const { opened, open } = lexicon;
  const [search, setSearch] = useState('');
  const [language, setLanguage] = useState('');
  const asked = useSettled(search.trim());
  const isAll = asked === '' && language === '';
  const entries = useListed(
    (cursor) => readEntries(of, { search: asked, language: codeOf(language) }, cursor),
    [of, asked, language],
  );
  const speakers = useLoaded(() => readSpeakers(of), [of]);
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
            placeholder="Word, or what is said instead"
            maxLength={200}
            value={search}
            onValue={setSearch}
          />
          <SelectField
            label="Language"
            value={language}
            options={[
              { value: '', label: 'Any' },
              { value: everyLanguage, label: 'Every language' },
              ...languages.map((code) => ({ value: code, label: languageText(code) })),
            ]}
            onValue={setLanguage}
          />
        </form>
      )}
      <ListedView
        of={entries}
        empty={isAll ? <NoEntries canChange={canChange} open={open} /> : <NoneFound />}
      >
        {(items) => (
          <Table
            caption="Entries of the lexicon"
            rows={items}
            keyOf={({ id }) => id}
            columns={columnsFor(of, speakers.value ?? [], canChange, open)}
          />
        )}
      </ListedView>
      {canChange && !isEmpty && <RemakeChanged of={of} />}
      {!isEmpty && <ExportSection of={of} languages={languages} />}
      <Dialogs of={of} opened={opened} onChanged={entries.reload} open={open} />
    </>
  );
}

interface DialogsProps {
  readonly of: LexiconOf;
  readonly opened: Opened | undefined;
  readonly open: (opened: Opened | undefined) => void;
  readonly onChanged: () => void;
}

function Dialogs({ of, opened, open, onChanged }: DialogsProps) {
  const tell = useToast();
  const close = () => open(undefined);
  const saved = (entry: Entry) => {
    tell(`${entry.word} is saved: it holds for what is made from now on`);
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
      return <TouchedDialog of={of} entry={opened.entry} onClose={close} />;
    case 'delete':
      return <DeleteEntry of={of} entry={opened.entry} onDeleted={onChanged} onClose={close} />;
  }
}

function columnsFor(
  of: LexiconOf,
  speakers: readonly Speaker[],
  canChange: boolean,
  open: (opened: Opened) => void,
): Column<Entry>[] {
  return [
    {
      title: 'Word',
      cell: ({ word, match_case }) => (
        <span class="entry-word">
          <strong>{word}</strong>
          {match_case && <Badge>These capitals only</Badge>}
        </span>
      ),
    },
    { title: 'Said instead', cell: (entry) => <Alias entry={entry} /> },
    {
      title: 'Language',
      cell: ({ language }) => (
        <span class="unbroken">{language === '' ? 'Every language' : languageText(language)}</span>
      ),
    },
    {
      title: 'Actions',
      isActions: true,
      cell: (entry) => (
        <>
          {(of !== undefined || canChange) && (
            <HearEntry of={of} entry={entry} speakers={speakers} />
          )}
          {canChange && (
            <>
              <Action
                name="Posts"
                word={entry.word}
                onClick={() => open({ what: 'touched', entry })}
              />
              <Action
                name="Change"
                word={entry.word}
                onClick={() => open({ what: 'change', entry })}
              />
              <Action
                name="Delete"
                word={entry.word}
                onClick={() => open({ what: 'delete', entry })}
              />
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

/** Phonemes look otherwise than words. */
function Alias({ entry }: { readonly entry: Entry }) {
  const { alias, lacking } = entry;
  return (
    <>
      {alias.includes('[[') ? <code class="alias">{alias}</code> : alias}
      {lacking.length > 0 && (
        <p class="hint">
          {lacking.map(({ name }) => name).join(', ')} cannot say this, and says the word as it is
          written.
        </p>
      )}
    </>
  );
}

interface HearEntryProps {
  readonly of: LexiconOf;
  readonly entry: Entry;
  readonly speakers: readonly Speaker[];
}

function HearEntry({ of, entry, speakers }: HearEntryProps) {
  const lacking = new Set(entry.lacking.map(({ voice_id }) => voice_id));
  const speaker = speakers.find(
    ({ id, language }) =>
      (entry.language === '' || language === entry.language) && !lacking.has(id),
  );
  if (speaker === undefined) return null;
  return <Hear label={entry.word} load={() => sayEntry(of, entry, speaker.id)} />;
}

interface NoEntriesProps {
  readonly canChange: boolean;
  readonly open: (opened: Opened) => void;
}

function NoEntries({ canChange, open }: NoEntriesProps) {
  return (
    <Empty
      title="No words yet"
      action={
        canChange && (
          <>
            <Button kind="primary" onClick={() => open({ what: 'add' })}>
              Add a word
            </Button>
            <Button onClick={() => open({ what: 'import' })}>Import a file</Button>
          </>
        )
      }
    >
      <p>
        An entry says how a word is spoken: “Siobhan” as “Shivawn”, or in phonemes as{' '}
        <code>[[ʃɪvˈɔːn]]</code>. Articles keep their words; only the sound changes.
      </p>
      <p>
        The preview of a new post finds names and acronyms that the lexicon does not know, and adds
        them from there.
      </p>
    </Empty>
  );
}

function NoneFound() {
  return (
    <Empty title="No entry matches">
      <p>Words and what is said instead are searched for what you typed, in any capitals.</p>
    </Empty>
  );
}

function codeOf(language: string): string | undefined {
  if (language === '') return undefined;
  return language === everyLanguage ? '' : language;
}

function languagesOf(speakers: readonly Speaker[], entries: readonly Entry[]): string[] {
  const codes = [...speakers, ...entries].map(({ language }) => language);
  return [...new Set(codes)].filter((code) => code !== '').sort();
}
