import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { Form, useForm } from '../../components/form.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { formatLanguage } from '../../format.ts';
import { useQuery } from '../../query.ts';
import {
  createEntry,
  type Entry,
  fetchEntrySpeech,
  fetchPreviewVoices,
  type PronunciationScope,
  updateEntry,
} from './pronunciations-api.ts';

interface EntryDialogProps {
  readonly of: PronunciationScope;
  /** The entry to edit; undefined: a new one. */
  readonly entry?: Entry | undefined;
  readonly onSaved: (entry: Entry) => void;
  readonly onClose: () => void;
}

/** Form for a pronunciation. */
export function EntryDialog({ of, entry, onSaved, onClose }: EntryDialogProps) {
  const [matchCase, setMatchCase] = useState(entry?.match_case ?? false);
  const initial = { word: entry?.word ?? '', alias: entry?.alias ?? '', language: entry?.language ?? '' };
  const form = useForm(initial, async (values) => {
    const body = { ...values, match_case: matchCase };
    onSaved(await (entry === undefined ? createEntry(of, body) : updateEntry(of, entry.id, body)));
    onClose();
  });
  const { word, alias, language } = form.values;
  const known = useQuery(() => fetchPreviewVoices(of), [of]).value ?? [];
  const codes = [...new Set([...known.map((voice) => voice.language), language])].filter((code) => code !== '').sort();
  const speaker = known.find((voice) => language === '' || voice.language === language);
  const isComplete = word.trim() !== '' && alias.trim() !== '';
  return (
    <Dialog title={entry === undefined ? 'Add word' : 'Edit pronunciation'} onClose={onClose}>
      <Form
        action={form}
        submit={entry === undefined ? 'Add word' : 'Save'}
        fields={[...form.fields, 'match_case']}
        canSubmit={isComplete}
        onCancel={onClose}
      >
        <TextField
          {...form.field('word')}
          label="Word"
          hint="One or more words as written. Only whole words match."
          maxLength={100}
        />
        <TextField
          {...form.field('alias')}
          label="Pronounced as"
          hint={
            <>
              Written as it sounds, capitals are stress: <code>KAH-kor-tok</code>. Or phonemes in double brackets:{' '}
              <code>[[ʃɪvˈɔːn]]</code>.
            </>
          }
          maxLength={200}
        />
        <SelectField
          {...form.field('language')}
          label="Language"
          options={[
            { value: '', label: 'All languages' },
            ...codes.map((code) => ({ value: code, label: formatLanguage(code) })),
          ]}
        />
        <CheckField
          label="Match case"
          hint="For acronyms: “US”, not “us”."
          isChecked={matchCase}
          onChecked={setMatchCase}
        />
        {speaker !== undefined && word.trim() !== '' && (
          <p class="row">
            <PlayButton
              label={`${word} as written`}
              source={() => fetchEntrySpeech(of, { word, alias: word }, speaker.id)}
            />
            <span class="sub">As written</span>
            {isComplete && (
              <>
                <PlayButton
                  label={`${word} as ${alias}`}
                  source={() => fetchEntrySpeech(of, { word, alias }, speaker.id)}
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
