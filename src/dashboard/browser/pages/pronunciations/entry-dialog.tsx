import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { formatLanguage } from '../../format.ts';
import { useAction, useQuery } from '../../query.ts';
import {
  createEntry,
  type Entry,
  type EntryBody,
  fetchEntrySpeech,
  fetchPreviewVoices,
  type PronunciationScope,
  updateEntry,
} from './pronunciations-api.ts';

interface EntryDialogProps {
  readonly of: PronunciationScope;
  /** The entry to edit; undefined: a new one. */
  readonly entry?: Entry | undefined;
  /** Initial values of a new entry. */
  readonly start?: Partial<EntryBody> | undefined;
  /** The current pronunciation, in phonemes. */
  readonly saidNow?: string | undefined;
  readonly onSaved: (entry: Entry) => void;
  readonly onClose: () => void;
}

/** Form for a pronunciation. */
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
  const speakers = useQuery(() => fetchPreviewVoices(of), [of]);
  const known = speakers.value ?? [];
  const languages = [...new Set([...known.map(({ language }) => language), body.language])]
    .filter((code) => code !== '')
    .sort();
  const speaker = known.find(({ language }) => body.language === '' || language === body.language);
  const save = useAction(async () => {
    const { word, alias, language, match_case } = body;
    const given = { word, alias, language, match_case };
    onSaved(await (entry === undefined ? createEntry(of, given) : updateEntry(of, entry.id, given)));
    onClose();
  });
  const isComplete = body.word.trim() !== '' && body.alias.trim() !== '';
  const asWritten = { word: body.word, alias: body.word };
  return (
    <Dialog title={entry === undefined ? 'Add word' : 'Edit pronunciation'} onClose={onClose}>
      <Form
        action={save}
        submit={entry === undefined ? 'Add word' : 'Save'}
        fields={['word', 'alias', 'language', 'match_case']}
        canSubmit={isComplete}
        onCancel={onClose}
      >
        <TextField
          label="Word"
          hint="One or more words as written. Only whole words match."
          name="word"
          problem={save.problem}
          value={body.word}
          maxLength={100}
          onValue={(word) => change({ word })}
        />
        <TextField
          label="Pronounced as"
          hint={
            <>
              Written as it sounds, capitals are stress: <code>KAH-kor-tok</code>. Or phonemes in double brackets:{' '}
              <code>[[ʃɪvˈɔːn]]</code>.
              {saidNow !== undefined && (
                <>
                  {' '}
                  Currently spoken as <code>{saidNow}</code>.
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
            { value: '', label: 'All languages' },
            ...languages.map((code) => ({ value: code, label: formatLanguage(code) })),
          ]}
          onValue={(language) => change({ language })}
        />
        <CheckField
          label="Match case"
          hint="For acronyms: “US”, not “us”."
          isChecked={body.match_case}
          onChecked={(match_case) => change({ match_case })}
        />
        {speaker !== undefined && body.word.trim() !== '' && (
          <p class="row">
            <PlayButton label={`${body.word} as written`} source={() => fetchEntrySpeech(of, asWritten, speaker.id)} />
            <span class="sub">As written</span>
            {isComplete && (
              <>
                <PlayButton
                  label={`${body.word} as ${body.alias}`}
                  source={() => fetchEntrySpeech(of, body, speaker.id)}
                />
                <span class="sub">{`As you write it (${speaker.name})`}</span>
              </>
            )}
          </p>
        )}
      </Form>
    </Dialog>
  );
}
