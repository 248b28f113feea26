import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Chip, ErrorNotice, Notice } from '../../components/page.tsx';
import { PlayAllButton, PlayButton } from '../../components/play-button.tsx';
import type { Anchor } from '../../components/popover.tsx';
import { capitalize, formatCount, formatTimeSpan } from '../../format.ts';
import type { useTypedQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { useSound } from '../../sound.ts';
import { nameLeftOut } from './left-out.ts';
import { fetchSpeech, type Preview } from './posts-api.ts';
import { findWords } from './word-popover.tsx';

type Sentence = Preview['sentences'][number];
type LeftOut = Preview['left_out'][number];

/** Spoken characters in a second, about. */
const charactersPerSecond = 15;
const shownAtOnce = 100;
/** Nobody sees them in an article. */
const invisible = new Set(['script', 'style', 'broken markup', 'shortcode']);

interface SoundPreviewProps {
  readonly of: ReturnType<typeof useTypedQuery<Preview>>;
  readonly voices: preact.ComponentChildren;
  readonly onWord: (word: string, anchor: Anchor) => void;
  /** @returns undefined if the passage cannot be read */
  readonly readIt: (passage: LeftOut) => (() => void) | undefined;
}

/** How a text will sound, sentence by sentence. */
export function SoundPreview({ of, voices, onWord, readIt }: SoundPreviewProps) {
  const { site } = useSite();
  const preview = of.value;
  const sentences = preview?.sentences ?? [];
  const seconds = sentences.reduce((sum, { spoken }) => sum + spoken.length, 0) / charactersPerSecond;
  const sounds = sentences.map((sentence, index) => ({ key: keyOf(index), source: sourceOf(site.slug, sentence) }));
  return (
    <section class="stack tight" aria-label="How it will sound">
      <div class="row wide">
        <h2>How it will sound</h2>
        <span class="small sub" role="status">
          {sentences.length > 0 && `${formatCount(sentences.length, 'sentence')} · about ${formatTimeSpan(seconds)}`}
        </span>
      </div>
      <div class="row">
        {sounds.length > 0 && <PlayAllButton label="all sentences" sounds={sounds} isBig />}
        <div class="grow">{voices}</div>
      </div>
      <ErrorNotice problem={of.problem} />
      {preview === undefined ? (
        <p class="sub">Write or paste the text: you hear each sentence here before anybody else does.</p>
      ) : (
        <Rows preview={preview} onWord={onWord} readIt={readIt} />
      )}
    </section>
  );
}

function Rows({
  preview,
  onWord,
  readIt,
}: Pick<SoundPreviewProps, 'onWord' | 'readIt'> & { readonly preview: Preview }) {
  const [isAll, setIsAll] = useState(false);
  const { sentences, unknown_words: unknown, unknown_phonemes: phonemes } = preview;
  const leftOut = preview.left_out.filter(({ text, reason }) => text !== '' && !invisible.has(reason));
  const rows = inOrder(sentences, leftOut);
  const words = unknown.map(({ word }) => word);
  return (
    <>
      {sentences.length === 0 && <Notice kind="warning">Nothing in this text can be spoken.</Notice>}
      <ul class="rows card sentences">
        {rows
          .slice(0, isAll ? undefined : shownAtOnce)
          .map((row) =>
            'pieces' in row.passage ? (
              <SentenceRow key={row.number} sentence={row.passage} number={row.number} words={words} onWord={onWord} />
            ) : (
              <LeftOutRow
                key={`${row.passage.field} ${row.passage.start}`}
                passage={row.passage}
                read={readIt(row.passage)}
              />
            ),
          )}
        {!isAll && rows.length > shownAtOnce && (
          <li>
            <Button onClick={() => setIsAll(true)} label={`Show all ${formatCount(rows.length, 'line')}`} />
          </li>
        )}
      </ul>
      <p class="hint">
        <mark>Marked</mark> words are not spoken as written.{' '}
        {words.length > 0 && (
          <>
            <span class="unknown">Underlined</span> names are new: listen to them once.
          </>
        )}
      </p>
      {phonemes.length > 0 && (
        <Notice kind="warning">The voice does not know {phonemes.join(', ')} and leaves these sounds out.</Notice>
      )}
    </>
  );
}

interface Row {
  readonly passage: Sentence | LeftOut;
  /** Of the sentence; left-out passages have none. */
  readonly number: number;
}

const fields = ['intro', 'title', 'content', 'outro', 'disclosure'];

/** Sentences in the order of speech, with excluded text in its place. */
function inOrder(sentences: readonly Sentence[], leftOut: readonly LeftOut[]): Row[] {
  const rows: Row[] = sentences.map((passage, number) => ({ passage, number }));
  rows.push(...leftOut.map((passage) => ({ passage, number: -1 })));
  const placeOf = ({ passage: { field } }: Row) => fields.indexOf(field);
  return rows.sort((a, b) => placeOf(a) - placeOf(b) || a.passage.start - b.passage.start);
}

interface SentenceRowProps {
  readonly sentence: Sentence;
  readonly number: number;
  readonly words: readonly string[];
  readonly onWord: (word: string, anchor: Anchor) => void;
}

function SentenceRow({ sentence, number, words, onWord }: SentenceRowProps) {
  const { site } = useSite();
  const { kind, pieces, text } = sentence;
  const isPlaying = useSound(keyOf(number)) === 'playing';
  const said = pieces.map((piece, index) =>
    isSaidOtherwise(piece) ? (
      <mark key={piece.start} title={`Written: ${piece.text}`}>
        {showSpoken(piece.spoken, pieces[index + 1]?.spoken ?? '')}
      </mark>
    ) : (
      <Underlined key={piece.start} text={piece.text} words={words} onWord={onWord} />
    ),
  );
  return (
    <li>
      <PlayButton id={keyOf(number)} label={text} source={sourceOf(site.slug, sentence)} />
      <span class={kind === 'title' || kind === 'heading' ? 'grow strong' : 'grow'}>
        <span class={isPlaying ? 'now' : ''}>{said}</span>
      </span>
    </li>
  );
}

interface UnderlinedProps {
  readonly text: string;
  readonly words: readonly string[];
  readonly onWord: (word: string, anchor: Anchor) => void;
}

/** Text whose new names open their card. */
function Underlined({ text, words, onWord }: UnderlinedProps) {
  let at = 0;
  const parts = findWords(text, words).map(({ word, start, end }) => {
    const before = text.slice(at, start);
    at = end;
    return (
      <>
        {before}
        <button
          key={start}
          type="button"
          class="unknown"
          title="Say it differently"
          onClick={({ currentTarget }) => onWord(word, currentTarget)}
        >
          {word}
        </button>
      </>
    );
  });
  return (
    <>
      {parts}
      {text.slice(at)}
    </>
  );
}

function LeftOutRow({ passage, read }: { readonly passage: LeftOut; readonly read: (() => void) | undefined }) {
  return (
    <li>
      <PlayButton label={passage.text} source={undefined} />
      <span class="grow">
        <s class="struck">{passage.text}</s> <Chip>{capitalize(nameLeftOut(passage.reason))}, not read</Chip>
      </span>
      {read !== undefined && <Button kind="quiet" isCompact onClick={read} label="Read it" subject={passage.text} />}
    </li>
  );
}

/** Names a sentence in the whole dashboard. */
function keyOf(number: number): string {
  return `sentence ${number}`;
}

function sourceOf(site: string, { text, voice_id, language }: Sentence) {
  return () => fetchSpeech(site, { text, voice_id, language });
}

/** @returns phonemes between slashes, and a last full stop after spoken letters: as “P.M.”, which are spoken as `P.M` */
function showSpoken(spoken: string, next: string): string {
  const shown = spoken.replace(/\[\[(.+?)\]\]/gu, '/$1/');
  return next.startsWith('.') ? shown : shown.replace(/(?<!\p{L})(?:\p{Lu}\.)+\p{Lu}(?![\p{L}.])/gu, '$&.');
}

/** Punctuation alone is spoken as a pause. */
function isSaidOtherwise({ text, spoken }: Sentence['pieces'][number]): boolean {
  return lettersOf(text) !== lettersOf(spoken);
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
}
