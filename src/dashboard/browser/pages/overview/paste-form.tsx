import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { TextArea, TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useAction } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { idFromTitle } from '../posts/text-draft.ts';

const sample = {
  title: 'Harbor town reopens its lighthouse',
  text: 'The lighthouse of Port Ellery opened its doors again on Saturday, eleven years after its last keeper left. More than 400 visitors came on the first day. “We had hoped for half of that,” said Ruth Calder, who leads the harbor museum. From now on its 199 steps may be climbed every day until dusk.',
};

interface PasteFormProps {
  readonly onSubmitted: () => void;
}

export function PasteForm({ onSubmitted }: PasteFormProps) {
  const { site } = useSite();
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const submit = useAction(async () => {
    await ask(() =>
      api.sites({ site: encodeSegment(site.slug) }).posts.post({
        post_id: idFromTitle(title) || 'first-post',
        content: text,
        ...(title.trim() === '' ? {} : { post_title: title }),
      }),
    );
    onSubmitted();
  });
  return (
    <Form action={submit} submit="Generate audio" fields={['post_title', 'content']}>
      <TextField
        label="Title"
        name="post_title"
        autocomplete="off"
        problem={submit.problem}
        value={title}
        onValue={setTitle}
      />
      <TextArea
        label="Text"
        name="content"
        rows={5}
        hint={
          <>
            Plain text or HTML, at least 50 characters.{' '}
            <Button
              kind="quiet"
              class="in-text"
              onClick={() => {
                setTitle(sample.title);
                setText(sample.text);
              }}
            >
              Use sample text
            </Button>
          </>
        }
        problem={submit.problem}
        value={text}
        onValue={setText}
      />
    </Form>
  );
}
