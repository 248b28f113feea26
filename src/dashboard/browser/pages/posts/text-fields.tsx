import type { ApiError } from '../../api.ts';
import { SelectField, TextArea, TextField } from '../../components/field.tsx';
import { formatLanguage, formatNumber } from '../../format.ts';
import type { SiteVoices } from '../../site-voices.ts';
import type { TextDraft } from './text-draft.ts';

const contentLengthMin = 50;

interface TextFieldsProps {
  readonly draft: TextDraft;
  readonly change: (changes: Partial<TextDraft>) => void;
  readonly problem: ApiError | undefined;
  readonly voices: SiteVoices | undefined;
}

/** Fields for title, text and voice. */
export function TextFields({ draft, change, problem, voices }: TextFieldsProps) {
  const { length } = draft.content.trim();
  const missing = contentLengthMin - length;
  return (
    <>
      <TextField
        label="Title"
        hint="Read before the text."
        name="post_title"
        problem={problem}
        maxLength={500}
        value={draft.title}
        onValue={(title) => change({ title })}
      />
      <TextArea
        label="Text"
        hint={
          missing > 0
            ? `Plain text with an empty line between paragraphs, or HTML. At least ${contentLengthMin} characters${length > 0 ? `: ${missing} more` : ''}.`
            : `${formatNumber(length)} characters. Plain text with an empty line between paragraphs, or HTML.`
        }
        name="content"
        problem={problem}
        rows={14}
        value={draft.content}
        onValue={(content) => change({ content })}
      />
      <SelectField
        label="Voice"
        name="voice_id"
        problem={problem}
        value={draft.voice}
        options={[
          { value: '', label: usualVoice(voices) },
          ...(voices?.voices ?? []).map(({ id, name, language }) => ({
            value: String(id),
            label: `${name}, ${formatLanguage(language)}`,
          })),
        ]}
        onValue={(voice) => change({ voice })}
      />
    </>
  );
}

function usualVoice(voices: SiteVoices | undefined): string {
  const usual = voices?.voices.find(({ id }) => id === voices.default_voice_id) ?? voices?.voices[0];
  if (usual === undefined) return 'Default voice of the site';
  return `Default voice of the site (${usual.name}, ${formatLanguage(usual.language)})`;
}
