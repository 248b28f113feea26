import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { AudioPlayer } from '../../components/audio-player.tsx';
import { toast } from '../../components/dialog.tsx';
import { Notice, QueryView } from '../../components/page.tsx';
import { formatCount } from '../../format.ts';
import { runInBackground, useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { type AudioDetail, fetchTimings, type ServedAudio, type TimedSentence } from './posts-api.ts';
import { findWords, selectedWord, WordPopover } from './word-popover.tsx';

/** The element of the public player. */
type PlayerElement = HTMLElement & Pick<HTMLMediaElement, 'currentTime' | 'play' | 'pause'>;

interface TranscriptProps {
  readonly title: string;
  readonly audio: AudioDetail;
  readonly served: ServedAudio;
  /** False: another player on the page plays the audio. */
  readonly hasPlayer: boolean;
  /** A pronunciation was saved: the audio is generated again. */
  readonly onRegenerate: () => void;
}

/** The paper's player with the text: marks the sentence being spoken, plays from the one clicked, mends the word selected. */
export function Transcript({ title, audio, served, hasPlayer, onRegenerate }: TranscriptProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const { site, canEdit } = useSite();
  const timings = useQuery(() => fetchTimings(served.segments_url), [served.segments_url]);
  const [spoken, setSpoken] = useState<number>();
  const player = () => box.current?.querySelector<PlayerElement>('lectern-player') ?? undefined;
  // After the first start the player answers clicks itself.
  const start = async ({ start_ms }: ShownSentence) => {
    await customElements.whenDefined('lectern-player');
    const own = player();
    if (spoken !== undefined || own === undefined || getSelection()?.isCollapsed === false) return;
    own.currentTime = start_ms / 1000;
    await own.play();
  };
  return (
    <div ref={box} class="stack">
      {hasPlayer && (
        <div class="stuck">
          <AudioPlayer
            audioUrl={served.audio_url}
            segmentsUrl={served.segments_url}
            durationS={served.duration_seconds}
            settings={{ ...site.player, layout: 'compact', mini: false, transcript: false }}
            article={`[id="${id}"]`}
            onlectern-segment={({ detail }) => setSpoken(detail.index)}
          />
        </div>
      )}
      <QueryView of={timings}>
        {(segments) => {
          // The headline is already shown above.
          const parts = listParts(segments).filter(
            (part) => part.kind !== 'title' || textsOf(part).join(' ') !== title,
          );
          if (parts.length === 0)
            return <Notice>The timings of this site contain no text, so there is no transcript.</Notice>;
          return (
            <>
              <SelectableText
                audio={audio}
                texts={parts.flatMap(textsOf)}
                onChoose={() => player()?.pause()}
                onSaved={onRegenerate}
              >
                <article id={id} class="article" lang={audio.language}>
                  {parts.map((part, index) => (
                    <Part
                      key={index}
                      of={part}
                      spoken={spoken}
                      onStart={(sentence) => runInBackground(start(sentence))}
                    />
                  ))}
                </article>
              </SelectableText>
              <p class="hint">
                Click a sentence to hear it from there.{canEdit && ' Select a word to say it differently.'} Listening
                here is not counted.
              </p>
            </>
          );
        }}
      </QueryView>
    </div>
  );
}

interface SelectableTextProps {
  readonly audio: AudioDetail;
  /** Of the sentences. */
  readonly texts: readonly string[];
  readonly onChoose: () => void;
  readonly onSaved: () => void;
  readonly children: preact.ComponentChildren;
}

/** Text in which selecting a word opens its pronunciation. */
function SelectableText({ audio, texts, onChoose, onSaved, children }: SelectableTextProps) {
  const { canEdit } = useSite();
  const box = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<Range>();
  useEffect(() => {
    if (chosen === undefined) return undefined;
    CSS.highlights.set('chosen', new Highlight(chosen));
    return () => {
      CSS.highlights.delete('chosen');
    };
  }, [chosen]);
  const choose = () => {
    const range = canEdit ? selectedWord(getSelection(), box.current) : undefined;
    if (range === undefined) return;
    onChoose();
    setChosen(range);
  };
  const word = chosen?.toString().trim() ?? '';
  const count = texts.filter((text) => findWords(text, [word]).length > 0).length;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the selection is a text's own; Edit text offers words as buttons
    <div ref={box} onMouseUp={choose} onTouchEnd={choose} onKeyUp={choose}>
      {children}
      {chosen !== undefined && (
        <WordPopover
          key={word}
          word={word}
          language={audio.language}
          voiceId={audio.voice.id}
          anchor={chosen}
          postIds={[audio.post_id]}
          onSaved={() => {
            setChosen(undefined);
            toast(`Saved. ${formatCount(count, 'sentence is', 'sentences are')} spoken again.`);
            onSaved();
          }}
          onClose={() => setChosen(undefined)}
        />
      )}
    </div>
  );
}

/** A sentence of the transcript. */
type ShownSentence = TimedSentence & { readonly text: string };

/** A title, heading, paragraph, quote or list. */
interface SpokenPart {
  readonly kind: string;
  /** The items of a list; other parts have one. */
  readonly items: readonly (readonly ShownSentence[])[];
}

function textsOf({ items }: SpokenPart): string[] {
  return items.flat().map(({ text }) => text);
}

interface PartProps {
  readonly of: SpokenPart;
  /** Index of the sentence being spoken. */
  readonly spoken: number | undefined;
  readonly onStart: (sentence: ShownSentence) => void;
}

function Part({ of: { kind, items }, spoken = -1, onStart }: PartProps) {
  const text = items.map((sentences, at) => {
    const shown = sentences.map((sentence) => (
      // biome-ignore lint/a11y: the player has the same for the keyboard
      <span key={sentence.index} class={sentence.index < spoken ? 'said' : ''} onClick={() => onStart(sentence)}>
        {sentence.text}{' '}
      </span>
    ));
    return kind === 'list' ? <li key={at}>{shown}</li> : shown;
  });
  switch (kind) {
    case 'title':
    case 'heading':
      return <h2>{text}</h2>;
    case 'quote':
      return <blockquote>{text}</blockquote>;
    case 'list':
      return <ul>{text}</ul>;
    default:
      return <p>{text}</p>;
  }
}

/** The article as it is spoken. @param timings in order; without text if the site publishes none */
function listParts(timings: readonly TimedSentence[]): SpokenPart[] {
  const parts: { kind: string; items: ShownSentence[][] }[] = [];
  let isOpen = false;
  for (const { text, ...timing } of timings) {
    if (text === undefined) continue;
    const sentence = { ...timing, text };
    const last = parts.at(-1);
    if (isOpen) last?.items.at(-1)?.push(sentence);
    else if (timing.kind === 'list' && last?.kind === 'list') last.items.push([sentence]);
    else parts.push({ kind: timing.kind, items: [[sentence]] });
    isOpen = !timing.ends_block;
  }
  return parts;
}
