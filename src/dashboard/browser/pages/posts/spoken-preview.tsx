import { useState } from 'preact/hooks';
import { runInBackground } from '../../background.ts';
import { Button } from '../../components/button.tsx';
import { CheckField } from '../../components/field.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Section } from '../../components/page.tsx';
import { formatCount } from '../../format.ts';
import { useAction } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { LeftOutList } from './left-out.tsx';
import { fetchPreview, type Preview } from './posts-api.ts';
import { PreviewSentences } from './preview-sentences.tsx';
import type { TextDraft } from './text-draft.ts';
import { UnknownWords } from './unknown-words.tsx';

interface SpokenPreviewProps {
  readonly draft: Pick<TextDraft, 'title' | 'content' | 'voice'>;
  /** Sentences that are there already, in the same voice; undefined: it isn't known which. */
  readonly spoken?: ReadonlySet<string> | undefined;
  /** The language that the text is in; undefined: that of the voice. */
  readonly language?: string | undefined;
}

/** How a text would be read, before it is spoken. */
export function SpokenPreview({ draft, spoken, language }: SpokenPreviewProps) {
  const { site } = useSite();
  const [shown, setShown] = useState<{ of: string; preview: Preview }>();
  const [onlyOtherwise, setOnlyOtherwise] = useState(false);
  const [hasPhonemes, setHasPhonemes] = useState(false);
  const { title, content, voice } = draft;
  const body = {
    content,
    ...(title.trim() !== '' && { title }),
    ...(voice !== '' && { voice_id: Number(voice) }),
    ...(language !== undefined && { language }),
  };
  const now = JSON.stringify(body);
  const look = useAction(async () => {
    setShown({ of: now, preview: await fetchPreview(site.slug, body) });
  });
  const again = () => runInBackground(look.run());
  return (
    <Section
      title="Narration preview"
      about="Nothing is spoken or stored yet."
      actions={
        <Button onClick={again} isBusy={look.isRunning} disabled={content.trim() === ''}>
          {shown === undefined ? 'Preview' : 'Preview again'}
        </Button>
      }
    >
      <ErrorNotice problem={look.problem} />
      {shown === undefined && look.problem === undefined && (
        <p class="preview-teaser">
          The preview shows each sentence as it is written and as it will be said, what is left out and why, and words
          that may want an entry in the lexicon.
        </p>
      )}
      {shown !== undefined && (
        <div class="preview">
          {shown.of !== now && <Notice kind="warning">The text or voice has changed since this preview.</Notice>}
          <Summary preview={shown.preview} spoken={spoken} />
          {shown.preview.unknown_words.length > 0 && <UnknownWords preview={shown.preview} onAdded={again} />}
          {shown.preview.sentences.length > 0 && (
            <>
              <div class="preview-options">
                <CheckField
                  label="Only sentences spoken differently than written"
                  isChecked={onlyOtherwise}
                  onChecked={setOnlyOtherwise}
                />
                <CheckField label="Phonemes" isChecked={hasPhonemes} onChecked={setHasPhonemes} />
              </div>
              <PreviewSentences
                sentences={shown.preview.sentences}
                isOnlyOtherwise={onlyOtherwise}
                hasPhonemes={hasPhonemes}
              />
            </>
          )}
          {shown.preview.left_out.length > 0 && (
            <div class="preview-part">
              <h3>Excluded</h3>
              <LeftOutList items={shown.preview.left_out} />
            </div>
          )}
        </div>
      )}
    </Section>
  );
}

interface SummaryProps {
  readonly preview: Preview;
  readonly spoken: ReadonlySet<string> | undefined;
}

function Summary({ preview, spoken }: SummaryProps) {
  const { sentences, left_out: leftOut, unknown_phonemes: phonemes } = preview;
  if (sentences.length === 0) {
    return <Notice kind="warning">This text has no speakable content.</Notice>;
  }
  const anew = spoken && sentences.filter(({ text }) => !spoken.has(text)).length;
  return (
    <>
      <p role="status">
        {formatCount(sentences.length, 'sentence')} would be spoken
        {anew !== undefined && (anew === 0 ? ', none of them anew' : `, ${anew} of them anew`)}
        {leftOut.length > 0 && `, ${formatCount(leftOut.length, 'stretch', 'stretches')} left out`}.
      </p>
      {phonemes.length > 0 && (
        <Notice kind="warning">The voice never learned {phonemes.join(', ')}: it says the rest of those words.</Notice>
      )}
    </>
  );
}
