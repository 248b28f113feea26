import { useState } from 'preact/hooks';
import { runInBackground } from '../../background.ts';
import { Button } from '../../components/button.tsx';
import { CheckField } from '../../components/field.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Card } from '../../components/page.tsx';
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
  /** Sentences of the existing audio in the same voice; undefined: unknown. */
  readonly spoken?: ReadonlySet<string> | undefined;
  /** Language of the text; undefined: that of the voice. */
  readonly language?: string | undefined;
}

/** Preview of the narration of a text. */
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
    <Card
      title="Narration preview"
      about="The preview generates and stores no audio."
      actions={
        <Button onClick={again} isBusy={look.isRunning} disabled={content.trim() === ''}>
          {shown === undefined ? 'Preview' : 'Update preview'}
        </Button>
      }
    >
      <ErrorNotice problem={look.problem} />
      {shown === undefined && look.problem === undefined && (
        <p class="preview-teaser">
          The preview shows each sentence as written and as spoken, excluded text with reasons, and words that may need
          a pronunciation.
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
                  label="Show only sentences spoken differently than written"
                  isChecked={onlyOtherwise}
                  onChecked={setOnlyOtherwise}
                />
                <CheckField label="Show phonemes" isChecked={hasPhonemes} onChecked={setHasPhonemes} />
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
    </Card>
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
        {formatCount(sentences.length, 'sentence')} spoken
        {anew !== undefined && (anew === 0 ? ', none new or changed' : `, ${anew} new or changed`)}
        {leftOut.length > 0 && `, ${formatCount(leftOut.length, 'passage')} excluded`}.
      </p>
      {phonemes.length > 0 && (
        <Notice kind="warning">The voice does not support {phonemes.join(', ')} and omits these sounds.</Notice>
      )}
    </>
  );
}
