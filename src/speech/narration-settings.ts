import { type Static, Type } from '@sinclair/typebox';
import { type FieldErrors, throwIfInvalid } from '../errors.ts';
import { validateSelector } from './extract/selectors.ts';

const createSelectorList = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 100, description });
const createLine = (description: string) => Type.String({ maxLength: 1_000, description });

export const NarrationSettings = Type.Object(
  {
    leave_out: createSelectorList(
      'CSS selectors of elements to leave out. Supported: types, classes, ids, attributes, `:not()`, `:is()`, descendants, children, lists',
    ),
    keep: createSelectorList('CSS selectors of elements to always include; they override rules and `leave_out`'),
    speak_title: Type.Boolean({ description: 'Speak the title first' }),
    tables: Type.Union([Type.Literal('rows'), Type.Literal('none')], {
      description: '`rows`: read tables row by row; `none`: leave them out',
    }),
    intro: createLine('Text spoken before each article; empty: none'),
    outro: createLine('Text spoken after each article; empty: none'),
    disclosure: createLine('Closing disclosure, for example about the synthetic voice; empty: none'),
    foreign_passages: Type.Boolean({
      description: 'Speak text marked with another language (`lang`) with a voice of that language',
    }),
    ssml: Type.Boolean({
      description:
        'Follow SSML elements in the content: `break`, `phoneme`, `say-as`, `sub`, `prosody rate`, and `s` within `speak`',
    }),
    speed: Type.Number({
      minimum: 0.5,
      maximum: 2,
      description: 'Speaking rate; 1 is the normal rate of the voice',
    }),
  },
  { title: 'Reading' },
);
export type NarrationSettings = Static<typeof NarrationSettings>;

export const NarrationSettingsChanges = Type.Partial(NarrationSettings, { title: 'ReadingChanges' });
export type NarrationSettingsChanges = Static<typeof NarrationSettingsChanges>;

export const defaultNarrationSettings: NarrationSettings = {
  leave_out: [],
  keep: [],
  speak_title: true,
  tables: 'rows',
  intro: '',
  outro: '',
  disclosure: '',
  foreign_passages: false,
  ssml: false,
  speed: 1,
};

export function parseNarrationSettings(stored: string): NarrationSettings {
  return { ...defaultNarrationSettings, ...(JSON.parse(stored) as NarrationSettingsChanges) };
}

/** @throws AppError `validation_failed` naming every selector that can't be used, and why */
export function validateNarrationSettings(changes: NarrationSettingsChanges): void {
  const problems: FieldErrors = {};
  for (const list of ['leave_out', 'keep'] as const) {
    for (const [index, selector] of (changes[list] ?? []).entries()) {
      const problem = validateSelector(selector);
      if (problem !== undefined) problems[`reading.${list}.${index}`] = [problem];
    }
  }
  throwIfInvalid(problems);
}
