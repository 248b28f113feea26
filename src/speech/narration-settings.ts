import { type Static, Type } from '@sinclair/typebox';
import { AppError, type FieldErrors } from '../errors.ts';
import { problemOfSelector } from './extract/selectors.ts';

const Selectors = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 100, description });
const Line = (description: string) => Type.String({ maxLength: 1_000, description });

/** How the articles of a site are read out. */
export const Reading = Type.Object(
  {
    leave_out: Selectors(
      'CSS selectors: what they match is not read. Types, classes, ids, attributes, `:not()`, `:is()`, descendants, children, lists',
    ),
    keep: Selectors(
      'CSS selectors of the same kind: what they match is read, though a rule or `leave_out` would leave it out',
    ),
    speak_title: Type.Boolean({ description: 'Whether the title is spoken first' }),
    tables: Type.Union([Type.Literal('rows'), Type.Literal('none')], {
      description: 'Tables are read row by row, or left out',
    }),
    intro: Line('Spoken before each article; empty: nothing'),
    outro: Line('Spoken after each article; empty: nothing'),
    disclosure: Line('Spoken last, like who made the voice; empty: nothing'),
    foreign_passages: Type.Boolean({
      description: 'Whether passages in another language (`lang`) are spoken by a voice of it',
    }),
    speed: Type.Number({ minimum: 0.5, maximum: 2, description: '1: as the voice speaks' }),
  },
  { title: 'Reading' },
);
export type Reading = Static<typeof Reading>;

/** What is not named stays as it is. */
export const ReadingChanges = Type.Partial(Reading, { title: 'ReadingChanges' });
export type ReadingChanges = Static<typeof ReadingChanges>;

/** What holds where a site has set nothing. */
export const usualReading: Reading = {
  leave_out: [],
  keep: [],
  speak_title: true,
  tables: 'rows',
  intro: '',
  outro: '',
  disclosure: '',
  foreign_passages: false,
  speed: 1,
};

/** @param stored JSON of what a site has set */
export function readingOf(stored: string): Reading {
  return { ...usualReading, ...(JSON.parse(stored) as ReadingChanges) };
}

/** @throws AppError `validation_failed` naming every selector that can't be used, and why */
export function checkReading(changes: ReadingChanges): void {
  const found: FieldErrors = {};
  for (const list of ['leave_out', 'keep'] as const) {
    for (const [index, selector] of (changes[list] ?? []).entries()) {
      const problem = problemOfSelector(selector);
      if (problem !== undefined) found[`reading.${list}.${index}`] = [problem];
    }
  }
  if (Object.keys(found).length === 0) return;
  throw new AppError('validation_failed', 'Validation failed', found);
}
