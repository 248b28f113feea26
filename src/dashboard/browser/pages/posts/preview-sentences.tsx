import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { PreviewButton } from '../../components/preview-button.tsx';
import { formatCount } from '../../format.ts';
import { useSite } from '../../site.tsx';
import { fetchSpeech, type Preview } from './posts-api.ts';

type Sentence = Preview['sentences'][number];

const shownAtOnce = 100;

interface PreviewSentencesProps {
  readonly sentences: readonly Sentence[];
  readonly isOnlyOtherwise: boolean;
  readonly hasPhonemes: boolean;
}

/** The sentences as written and as spoken. */
export function PreviewSentences(props: PreviewSentencesProps) {
  const { sentences, isOnlyOtherwise, hasPhonemes } = props;
  const [shownMax, setShownMax] = useState(shownAtOnce);
  const chosen = isOnlyOtherwise ? sentences.filter(isSaidOtherwise) : sentences;
  const hidden = chosen.length - shownMax;
  if (chosen.length === 0) return <p class="soft">Every sentence is spoken as written.</p>;
  return (
    <>
      <table class="sentences">
        <caption class="unseen">Sentences: written and spoken</caption>
        <thead>
          <tr>
            <th scope="col">Written</th>
            <th scope="col">Spoken</th>
            <th scope="col">
              <span class="unseen">Listen</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {chosen.slice(0, shownMax).map((sentence, index) => (
            <SentenceRow
              key={`${sentence.field} ${sentence.start}`}
              sentence={sentence}
              number={index + 1}
              isBlockStart={sentence.block !== chosen[index - 1]?.block}
              hasPhonemes={hasPhonemes}
            />
          ))}
        </tbody>
      </table>
      {hidden > 0 && (
        <p class="more">
          <Button onClick={() => setShownMax(shownMax + 5 * shownAtOnce)}>
            Show more ({formatCount(hidden, 'sentence')} left)
          </Button>
        </p>
      )}
    </>
  );
}

interface SentenceRowProps {
  readonly sentence: Sentence;
  readonly number: number;
  readonly isBlockStart: boolean;
  readonly hasPhonemes: boolean;
}

function SentenceRow({ sentence, number, isBlockStart, hasPhonemes }: SentenceRowProps) {
  const { site } = useSite();
  const { kind, text, phonemes, pieces, voice_id } = sentence;
  const isMarked = isSaidOtherwise(sentence);
  return (
    <tr class={isBlockStart ? `${kind} first` : kind}>
      <td>
        {isBlockStart && kind !== 'paragraph' && <small class="kind">{kind}</small>}
        <Pieces pieces={pieces} side="text" />
      </td>
      <td class={isMarked ? 'said' : 'said alike'}>
        <Pieces pieces={pieces} side="spoken" />
        {hasPhonemes && <code class="phonemes">{phonemes}</code>}
      </td>
      <td>
        <PreviewButton label={`sentence ${number}`} load={() => fetchSpeech(site.slug, { text, voice_id })} />
      </td>
    </tr>
  );
}

interface PiecesProps {
  readonly pieces: Sentence['pieces'];
  readonly side: 'text' | 'spoken';
}

/** Marks what is spoken differently than written, on both sides. */
function Pieces({ pieces, side }: PiecesProps) {
  return (
    <>{pieces.map((piece) => (isOtherwise(piece) ? <mark key={piece.start}>{piece[side]}</mark> : piece[side]))}</>
  );
}

function isSaidOtherwise({ pieces }: Sentence): boolean {
  return pieces.some(isOtherwise);
}

/** Punctuation alone is spoken as a pause. */
function isOtherwise({ text, spoken }: Sentence['pieces'][number]): boolean {
  return wordsOf(text) !== wordsOf(spoken);
}

function wordsOf(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
}
