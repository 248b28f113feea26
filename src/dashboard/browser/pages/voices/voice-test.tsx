import { useEffect, useState } from 'preact/hooks';
import { fetchApi } from '../../api.ts';
import { TextArea } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useAction } from '../../query.ts';
import type { Voice } from './voices.ts';

const lengthMax = 1_000;

/** Synthesizes a test text with a voice; nothing is stored. */
export function VoiceTest({ voice }: { readonly voice: Voice }) {
  const [text, setText] = useState('');
  const [heard, setHeard] = useState<string | undefined>(undefined);
  // Frees the memory behind the URL.
  useEffect(() => () => (heard === undefined ? undefined : URL.revokeObjectURL(heard)), [heard]);
  const action = useAction(async () => {
    const answer = await fetchApi(`/voices/${voice.id}/test`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    });
    setHeard(URL.createObjectURL(await answer.blob()));
  });
  return (
    <div class="say">
      <Form action={action} submit="Synthesize" fields={['text']} canSubmit={text.trim() !== ''}>
        <TextArea
          label="Text"
          name="text"
          value={text}
          onValue={setText}
          problem={action.problem}
          maxLength={lengthMax}
          hint={`In the language of the voice, at most ${lengthMax} characters. The text is not stored.`}
        />
      </Form>
      {heard !== undefined && (
        // biome-ignore lint/a11y/useMediaCaption: the text stands above it
        <audio class="said" controls autoplay src={heard} aria-label={`Test audio of ${voice.name}`} />
      )}
    </div>
  );
}
