import { useState } from 'preact/hooks';
import { useAction, useLoaded } from '../../loading.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Hear } from '../../parts/hear.tsx';
import { languageText } from '../../words.ts';
import {
  changeEntry,
  createEntry,
  type Entry,
  type EntryBody,
  type LexiconOf,
  readSpeakers,
  sayEntry,
} from './lexicon-api.ts';

interface EntryDialogProps {
  readonly of: LexiconOf;
  /** One that is changed. */
  readonly entry?: Entry | undefined;
  /** What a new one begins with. */
  readonly start?: Partial<EntryBody> | undefined;
  /** How it is said without it, in phonemes. */
  readonly saidNow?: string | undefined;
  readonly onSaved: (entry: Entry) => void;
  readonly onClose: () => void;
}

/** A word, and what is said instead. */
export function EntryDialog(props: EntryDialogProps) {
  const { of, entry, start = {}, saidNow, onSaved, onClose } = props;
  const [body, setBody] = useState<EntryBody>({
    word: '',
    alias: '',
    language: '',
    match_case: false,
    ...start,
    ...entry,
  });
  const change = (changes: Partial<EntryBody>) => setBody({ ...body, ...changes });
  const speakers = useLoaded(() => readSpeakers(of), [of]);
  const known = speakers.value ?? [];
  const languages = [...new Set([...known.map(({ language }) => language), body.language])]
    .filter((code) => code !== '')
    .sort();
  const speaker = known.find(({ language }) => body.language === '' || language === body.language);
  const save = useAction(async () => {
    const { word, alias, language, match_case } = body;
    const given = { word, alias, language, match_case };
    onSaved(
      await (entry === undefined ? createEntry(of, given) : changeEntry(of, entry.id, given)),
    );
    onClose();
  });
  const isComplete = body.word.trim() !== '' && body.alias.trim() !== '';
  return (
    <Dialog title={entry === undefined ? 'Add a word' : 'Change the entry'} onClose={onClose}>
      <Form
        action={save}
        submit={entry === undefined ? 'Add to the lexicon' : 'Save'}
        fields={['word', 'alias', 'language', 'match_case']}
        canSubmit={isComplete}
        onCancel={onClose}
      >
        <TextField
          label="Word"
          hint="One word or several, as they are written. Only whole words are found."
          name="word"
          problem={save.problem}
          value={body.word}
          maxLength={100}
          onValue={(word) => change({ word })}
        />
        <TextField
          label="Said instead"
          hint={
            <>
              Written as it sounds (<code>Shivawn</code>), or phonemes in double brackets (
              <code>[[ʃɪvˈɔːn]]</code>).
              {saidNow !== undefined && (
                <>
                  {' '}
                  Now it is said <code>{saidNow}</code>.
                </>
              )}
            </>
          }
          name="alias"
          problem={save.problem}
          value={body.alias}
          maxLength={200}
          onValue={(alias) => change({ alias })}
        />
        <SelectField
          label="Language"
          name="language"
          problem={save.problem}
          value={body.language}
          options={[
            { value: '', label: 'Every language' },
            ...languages.map((code) => ({ value: code, label: languageText(code) })),
          ]}
          onValue={(language) => change({ language })}
        />
        <CheckField
          label="Only with these capitals"
          hint="For acronyms: “US”, not “us”."
          isChecked={body.match_case}
          onChecked={(match_case) => change({ match_case })}
        />
        {speaker !== undefined && isComplete && (
          <p>
            <Hear
              label={`${body.word} as ${body.alias}`}
              load={() => sayEntry(of, body, speaker.id)}
            >
              {`Listen, said by ${speaker.name}`}
            </Hear>
          </p>
        )}
      </Form>
    </Dialog>
  );
}
