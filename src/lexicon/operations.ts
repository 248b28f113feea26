import { Type } from '@sinclair/typebox';
import { described } from '../http/operation.ts';
import type { Level } from './level.ts';
import {
  Pronunciation,
  PronunciationBody,
  PronunciationChanges,
  PronunciationPage,
  PronunciationParams,
  PronunciationsQuery,
  SiteParams,
} from './schema.ts';

const tag = 'Pronunciations';

export const exampleEntry = {
  id: 1,
  language: 'en',
  word: 'Siobhan',
  alias: '[[ʃɪˈvɔːn]]',
  match_case: false,
  lacking: [],
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};

/** What is written alike of every route of a level. */
export function wordsOf({ name }: Level) {
  const isSite = name === 'site';
  return {
    whose: isSite ? "a site's lexicon" : 'the lexicon of the installation',
    whoMay: isSite ? 'For editors.' : 'For admins.',
    holds: isSite
      ? "It stands above the installation's."
      : 'It holds for every site that has no entry of its own for the word.',
    lexicon: { tag, access: 'session' as const, ...(isSite && { params: SiteParams }) },
    entry: {
      tag,
      access: 'session' as const,
      params: isSite
        ? Type.Object({ ...SiteParams.properties, ...PronunciationParams.properties })
        : PronunciationParams,
    },
    /** Errors of reading, and of changes. */
    reading: isSite ? (['not_found'] as const) : ([] as const),
    changing: isSite ? (['not_found', 'not_allowed'] as const) : (['not_allowed'] as const),
  };
}

/** How the routes of one lexicon are described. */
export function operationsOf(level: Level) {
  const { whose, whoMay, holds, lexicon, entry, reading, changing } = wordsOf(level);
  return {
    list: described({
      ...lexicon,
      summary: `Words of ${whose}`,
      query: PronunciationsQuery,
      answers: {
        200: {
          description: 'A page of entries, oldest first',
          message: 'OK',
          data: PronunciationPage,
          example: { items: [exampleEntry], next_cursor: null },
        },
      },
      errors: reading,
    }),
    create: described({
      ...lexicon,
      summary: `Add a word to ${whose}`,
      description: `${whoMay} It holds for what is made from now on; an audio that is there stays as it is until it is made again, and then only the sentences with the word are spoken again. Timings show the word as it is written. ${holds} An entry of a language goes before one of every language. Phonemes in \`[[…]]\` are checked against the voices that may say them.`,
      body: PronunciationBody,
      bodyExample: { word: exampleEntry.word, alias: exampleEntry.alias, language: 'en' },
      answers: {
        201: {
          description: 'Added',
          message: 'Pronunciation created',
          data: Pronunciation,
          example: exampleEntry,
          headers: { Location: 'Address of the entry' },
        },
      },
      errors: [...changing, 'conflict'],
    }),
    show: described({
      ...entry,
      summary: `An entry of ${whose}`,
      answers: {
        200: {
          description: 'The entry',
          message: 'OK',
          data: Pronunciation,
          example: exampleEntry,
        },
      },
      errors: ['not_found'],
    }),
    change: described({
      ...entry,
      summary: `Change an entry of ${whose}`,
      description: `${whoMay} It holds for what is made from now on.`,
      body: PronunciationChanges,
      bodyExample: { alias: 'Shuh-vawn' },
      answers: {
        200: {
          description: 'As it is now',
          message: 'Pronunciation updated',
          data: Pronunciation,
          example: { ...exampleEntry, alias: 'Shuh-vawn' },
        },
      },
      errors: ['not_found', 'not_allowed', 'conflict'],
    }),
    remove: described({
      ...entry,
      summary: `Delete an entry of ${whose}`,
      description: `${whoMay} It holds for what is made from now on.`,
      answers: {
        200: {
          description: 'Deleted',
          message: 'Pronunciation deleted',
          data: Type.Object({ id: Type.Integer() }),
          example: { id: 1 },
        },
      },
      errors: ['not_found', 'not_allowed'],
    }),
  };
}
