import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Chip, ErrorNotice, Notice } from '../../components/page.tsx';
import { PlayAllButton, PlayButton, useSound } from '../../components/play-button.tsx';
import type { Anchor } from '../../components/popover.tsx';
import { replaceMarks } from '../../components/written-field.tsx';
import { capitalize, formatCount, formatTimeSpan } from '../../format.ts';
import type { useTypedQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { nameLeftOut } from './left-out.ts';
import { fetchSpeech, type Preview } from './posts-api.ts';
import { findWords } from './word-popover.tsx';

type Sentence = Preview['sentences'][number];
type NumberedSentence = Sentence & { readonly number: number };
type LeftOut = Preview['left_out'][number];

/** Spoken characters in a second, about. */
const charactersPerSecond = 15;
const shownAtOnce = 100;
/** Nobody sees them in an article. */
const invisible = new Set(['script', 'style', 'broken markup', 'shortcode']);

interface SoundPreviewProps {
  readonly of: ReturnType<typeof useTypedQuery<Preview>>;
  readonly voices: ComponentChildren;
  readonly onWord: (word: string, anchor: Anchor) => void;
  /** @returns undefined if the passage cannot be read */
  readonly readIt: (passage: LeftOut) => (() => void) | undefined;
}

/** How a text will sound, sentence by sentence. */
export function SoundPreview({ of, voices, onWord, readIt }: SoundPreviewProps) {
  const { site } = useSite();
  const preview = of.value;
  const sentences = (preview?.sentences ?? []).map((sentence, number) => ({ ...sentence, number }));
  const seconds = sentences.reduce((sum, { spoken }) => sum + spoken.length, 0) / charactersPerSecond;
  const sounds = sentences.map((sentence) => ({ key: keyOf(sentence), source: sourceOf(site.slug, sentence) }));
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
        <Rows {...{ preview, sentences, onWord, readIt }} />
      )}
    </section>
  );
}

interface RowsProps extends Pick<SoundPreviewProps, 'onWord' | 'readIt'> {
  readonly preview: Preview;
  readonly sentences: readonly NumberedSentence[];
}

function Rows({ preview, sentences, onWord, readIt }: RowsProps) {
  const [isAll, setIsAll] = useState(false);
  const { unknown_phonemes: phonemes } = preview;
  const leftOut = preview.left_out.filter(({ text, reason }) => text !== '' && !invisible.has(reason));
  const rows = [...sentences, ...leftOut].sort(byPlace);
  const words = preview.unknown_words.map(({ word }) => word);
  return (
    <>
      {sentences.length === 0 && <Notice kind="warning">Nothing in this text can be spoken.</Notice>}
      <ul role="list" class="rows card sentences">
        {rows
          .slice(0, isAll ? undefined : shownAtOnce)
          .map((row) =>
            'number' in row ? (
              <SentenceRow key={row.number} sentence={row} words={words} onWord={onWord} />
            ) : (
              <LeftOutRow key={`${row.field} ${row.start}`} passage={row} read={readIt(row)} />
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

type Placed = Pick<Sentence, 'field' | 'start'>;

const fields = ['intro', 'title', 'content', 'outro', 'disclosure'];

/** In the order of speech, with excluded text in its place. */
function byPlace(a: Placed, b: Placed): number {
  return fields.indexOf(a.field) - fields.indexOf(b.field) || a.start - b.start;
}

interface SentenceRowProps extends Pick<SoundPreviewProps, 'onWord'> {
  readonly sentence: NumberedSentence;
  readonly words: readonly string[];
}

/** A sentence whose new names open their card. */
function SentenceRow({ sentence, words, onWord }: SentenceRowProps) {
  const { site } = useSite();
  const { kind, pieces, text, language } = sentence;
  const isPlaying = useSound(keyOf(sentence)) === 'playing';
  const spoken = pieces.map((piece, index) => {
    if (!isSaidOtherwise(piece)) {
      return replaceMarks(piece.text, findWords(piece.text, words), ({ word }) => (
        <button
          type="button"
          class="unknown"
          title="Say it differently"
          onClick={({ currentTarget }) => onWord(word, currentTarget)}
        >
          {word}
        </button>
      ));
    }
    return (
      <mark key={piece.start} title={`Written: ${piece.text}`}>
        {showSpoken(piece.spoken, pieces[index + 1]?.spoken ?? '')}
      </mark>
    );
  });
  return (
    <li>
      <PlayButton id={keyOf(sentence)} label={text} source={sourceOf(site.slug, sentence)} />
      <span class={kind === 'title' || kind === 'heading' ? 'grow strong' : 'grow'} lang={language}>
        <span class={isPlaying ? 'now' : ''}>{spoken}</span>
      </span>
    </li>
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
function keyOf({ number }: NumberedSentence): string {
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
