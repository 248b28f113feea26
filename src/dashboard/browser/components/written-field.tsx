import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import type { ApiError } from '../api.ts';
import type { Anchor } from './popover.tsx';

/** A part of a text that is underlined: UTF-16 offsets, `end` exclusive. */
export interface TextMark {
  readonly start: number;
  readonly end: number;
}

interface WrittenFieldProps<M extends TextMark> {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** `source`: HTML. */
  readonly look: 'headline' | 'article' | 'source';
  readonly placeholder?: string;
  /** Language of the text. */
  readonly lang: string | undefined;
  readonly maxLength?: number;
  /** In order. */
  readonly marks: readonly M[];
  /** A click into a mark. */
  readonly onMark: (mark: M, anchor: Anchor) => void;
  /** Field name in the API, the key in `problem`. */
  readonly name: string;
  readonly problem: ApiError | undefined;
}

/** A zero-width space: an empty last line has its height. */
const lastLine = '\u200b';

/** Text as it is printed, as high as it is, with underlined parts. A headline has no line breaks. */
export function WrittenField<M extends TextMark>(props: WrittenFieldProps<M>) {
  const { label, value, onValue, look, placeholder, lang, maxLength, marks, onMark, name, problem } = props;
  const id = useId();
  // The same text below the text field: it gives the height and carries the underlines.
  const mirror = useRef<HTMLDivElement>(null);
  const wrong = problem?.fields[name] ?? [];
  const openMark = (at: number) => {
    const index = marks.findIndex(({ start, end }) => at >= start && at <= end);
    const [mark, anchor] = [marks[index], mirror.current?.children[index]];
    if (mark !== undefined && anchor !== undefined) onMark(mark, anchor);
  };
  return (
    <div>
      <div class={`written ${look}`}>
        <div ref={mirror} aria-hidden="true">
          {replaceMarks(value, marks, ({ start }, marked) => (
            <span key={start} class="unknown">
              {marked}
            </span>
          ))}
          {lastLine}
        </div>
        <textarea
          name={name}
          aria-label={label}
          placeholder={placeholder}
          lang={value === '' ? undefined : lang}
          {...(maxLength === undefined ? {} : { maxLength })}
          {...(wrong.length === 0 ? {} : { 'aria-invalid': true, 'aria-describedby': id })}
          spellcheck={look !== 'source'}
          rows={1}
          value={value}
          onInput={({ currentTarget }) => {
            const text = currentTarget.value;
            onValue(look === 'headline' ? text.replace(/\s*\n\s*/g, ' ') : text);
          }}
          onClick={({ currentTarget: { selectionStart, selectionEnd } }) => {
            if (selectionStart === selectionEnd) openMark(selectionStart);
          }}
        />
      </div>
      {wrong.length > 0 && (
        <p class="wrong" id={id}>
          {label} {wrong.join('; ')}
        </p>
      )}
    </div>
  );
}

/** @returns the text with what stands for each of its marked parts, which are in order */
export function replaceMarks<M extends TextMark>(
  text: string,
  marks: readonly M[],
  show: (mark: M, marked: string) => ComponentChildren,
): ComponentChildren {
  const parts = marks.map((mark, index) => [
    text.slice(marks[index - 1]?.end ?? 0, mark.start),
    show(mark, text.slice(mark.start, mark.end)),
  ]);
  return [...parts, text.slice(marks.at(-1)?.end ?? 0)];
}
