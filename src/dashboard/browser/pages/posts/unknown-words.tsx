import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { PreviewButton } from '../../components/preview-button.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useSite } from '../../site.tsx';
import { EntryDialog } from '../pronunciations/entry-dialog.tsx';
import { fetchSpeech, type Preview } from './posts-api.ts';

type Word = Preview['unknown_words'][number];

const shownAtOnce = 12;

interface UnknownWordsProps {
  readonly preview: Preview;
  /** Called after a pronunciation was added: the preview needs an update. */
  readonly onAdded: () => void;
}

/** Names and acronyms without a pronunciation, with a button to add one. */
export function UnknownWords({ preview, onAdded }: UnknownWordsProps) {
  const { site, canEdit } = useSite();
  const tell = useToast();
  const [adding, setAdding] = useState<Word>();
  const [isAll, setIsAll] = useState(false);
  const { unknown_words: words, language, voice_id } = preview;
  return (
    <div class="preview-part">
      <h3>Names and acronyms</h3>
      <p class="hint">Words without a pronunciation. Check how they sound.</p>
      <ul class="unknown-words">
        {words.slice(0, isAll ? undefined : shownAtOnce).map((word) => (
          <li key={word.word}>
            <span>
              <strong>{word.word}</strong>
              {word.count > 1 && <span class="soft"> × {word.count}</span>} <code>{word.phonemes}</code>
            </span>
            <span class="actions">
              <PreviewButton label={word.word} load={() => fetchSpeech(site.slug, { text: word.word, voice_id })} />
              {canEdit && (
                <Button
                  kind="quiet"
                  class="compact"
                  aria-label={`Add pronunciation: ${word.word}`}
                  onClick={() => setAdding(word)}
                >
                  Add pronunciation
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {!isAll && words.length > shownAtOnce && (
        <Button kind="quiet" onClick={() => setIsAll(true)}>
          Show all {words.length} words
        </Button>
      )}
      {adding !== undefined && (
        <EntryDialog
          of={site.slug}
          start={{ word: adding.word, language }}
          saidNow={adding.phonemes}
          onSaved={({ word }) => {
            tell(`Pronunciation of ${word} added`);
            onAdded();
          }}
          onClose={() => setAdding(undefined)}
        />
      )}
    </div>
  );
}
