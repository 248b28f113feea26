import { useState } from 'preact/hooks';
import { runInBackground, useAction } from '../query.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { ErrorNotice, Status } from './page.tsx';
import { PlayButton, type SoundSource } from './play-button.tsx';

interface WordCardProps {
  readonly word: string;
  /** How it is pronounced now: an alias; undefined: by the rules of the language. */
  readonly alias?: string | undefined;
  /** Synthesizes a spelling; without one, the word as it is spoken now. */
  readonly hear: (alias: string | undefined) => SoundSource;
  /** Stores the spelling. @returns what follows, such as `4 sentences are spoken again` */
  readonly save: (alias: string) => Promise<string>;
  /** Stores that the word is right as it is. */
  readonly accept?: (() => Promise<unknown>) | undefined;
  readonly onSaved?: () => void;
}

/**
 * Hear a word, write how it is pronounced, hear that, save. Capitals are stress: `KAH-kor-tok`. Shown in a popover at
 * the word.
 */
export function WordCard({ word, alias, hear, save, accept, onSaved }: WordCardProps) {
  const [written, setWritten] = useState(alias ?? '');
  const [result, setResult] = useState<string>();
  const saving = useAction(async () => {
    setResult(await save(written.trim()));
    onSaved?.();
  });
  const accepting = useAction(async () => {
    await accept?.();
    setResult('Kept as it is');
    onSaved?.();
  });
  return (
    <form
      class="word-card"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (written.trim() !== '') runInBackground(saving.run());
      }}
    >
      <div class="row wide">
        <span>
          <b class="serif">{word}</b> {alias !== undefined && <span class="sub">sounds like “{alias}”</span>}
        </span>
        <PlayButton id={`word ${word}`} label={`${word} as it is spoken now`} source={hear(undefined)} />
      </div>
      <div class="row">
        <div class="grow">
          <Field
            label="Pronounced as"
            name="alias"
            placeholder="KAH-kor-tok"
            spellcheck={false}
            autocomplete="off"
            problem={saving.problem}
            value={written}
            onValue={(value) => {
              setWritten(value);
              setResult(undefined);
            }}
          />
        </div>
        {written.trim() !== '' && (
          <PlayButton id={`spelling ${word}`} label={`${word} as you write it`} source={hear(written.trim())} />
        )}
      </div>
      <ErrorNotice problem={saving.problem ?? accepting.problem} shown={['alias']} />
      <div class="row wide">
        <span class="small dim" role="status">
          {result === undefined ? (
            'Capitals are stress. Kept for every post of this site.'
          ) : (
            <Status tone="good">{result}</Status>
          )}
        </span>
        <div class="actions">
          {accept !== undefined && <Button isCompact kind="quiet" action={accepting} label="It is right" />}
          <Button
            type="submit"
            kind="primary"
            isCompact
            isBusy={saving.isRunning}
            disabled={written.trim() === ''}
            label="Save"
          />
        </div>
      </div>
    </form>
  );
}
