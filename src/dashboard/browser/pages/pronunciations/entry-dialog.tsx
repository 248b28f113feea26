import { Dialog, type DialogHandlers } from '../../components/dialog.tsx';
import { Form, useForm } from '../../components/form.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { formatLanguage } from '../../format.ts';
import {
  bodyOf,
  createEntry,
  type Entry,
  fetchEntrySpeech,
  type PreviewVoice,
  type PronunciationScope,
  updateEntry,
} from './pronunciations-api.ts';

interface EntryDialogProps extends DialogHandlers {
  readonly of: PronunciationScope;
  /** Voices for previews. */
  readonly voices: readonly PreviewVoice[];
  /** The entry to edit; undefined: a new one. */
  readonly entry?: Entry | undefined;
}

const nothing = { word: '', alias: '', language: '', match_case: false };

/** Form for a pronunciation. */
export function EntryDialog({ of, voices, entry, onDone, onClose }: EntryDialogProps) {
  const form = useForm(entry === undefined ? nothing : bodyOf(entry), async (values) => {
    await (entry === undefined ? createEntry(of, values) : updateEntry(of, entry.id, values));
    onDone();
  });
  const { word, alias, language } = form.values;
  const codes = [...new Set([...voices.map((voice) => voice.language), language])].filter((code) => code !== '').sort();
  const speaker = voices.find((voice) => language === '' || voice.language === language);
  const isComplete = word.trim() !== '' && alias.trim() !== '';
  const hear = (as: string) => () => fetchEntrySpeech(of, { word, alias: as }, speaker?.id ?? 0);
  return (
    <Dialog title={entry === undefined ? 'Add word' : 'Edit pronunciation'} onClose={onClose}>
      <Form
        action={form}
        submit={entry === undefined ? 'Add word' : 'Save'}
        canSubmit={isComplete}
        onCancel={onClose}
        of={[
          {
            name: 'word',
            label: 'Word',
            hint: 'One or more words as written. Only whole words match.',
            input: { maxLength: 100 },
          },
          { name: 'alias', label: 'Pronounced as', hint: <AboutAlias />, input: { maxLength: 200 } },
          {
            name: 'language',
            label: 'Language',
            options: { '': 'All languages', ...Object.fromEntries(codes.map((code) => [code, formatLanguage(code)])) },
          },
          { name: 'match_case', label: 'Match case', kind: 'check', hint: 'For acronyms: “US”, not “us”.' },
        ]}
      >
        {speaker !== undefined && word.trim() !== '' && (
          <p class="row">
            <PlayButton label={`${word} as written`} source={hear(word)} />
            <span class="sub">As written</span>
            {isComplete && <PlayButton label={`${word} as ${alias}`} source={hear(alias)} />}
            {isComplete && <span class="sub">{`As you write it (${speaker.name})`}</span>}
          </p>
        )}
      </Form>
    </Dialog>
  );
}

function AboutAlias() {
  return (
    <>
      Written as it sounds, capitals are stress: <code>KAH-kor-tok</code>. Or phonemes in double brackets:{' '}
      <code>[[ʃɪvˈɔːn]]</code>.
    </>
  );
}
