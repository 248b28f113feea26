import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../src/errors.ts';
import { type Entry, type PhonemeValidator, parseEntryMembers } from '../../src/pronunciations/entry.ts';
import { formatFile, parseFile } from '../../src/pronunciations/import-export.ts';
import { testSeed } from '../fixtures/seed.ts';

const acceptAnything: PhonemeValidator = () => ({ problems: [], lacking: [] });

function listProblems(text: string, format: 'csv' | 'pls', judge = acceptAnything) {
  try {
    parseFile(text, format, judge);
  } catch (error) {
    if (error instanceof AppError) return error.fields;
    throw error;
  }
  return undefined;
}

function parseEntries(...file: Parameters<typeof parseFile>): readonly Entry[] {
  return parseFile(...file).entries;
}

function buildPls(lexemes: string, attributes = 'alphabet="ipa" xml:lang="en-GB"'): string {
  return `<?xml version="1.0"?>\n<lexicon version="1.0" xmlns="http://www.w3.org/2005/01/pronunciation-lexicon" ${attributes}>\n${lexemes}\n</lexicon>`;
}

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.constantFrom('=1+2', "'=1+2", "''-x", '-5', '@home', '"a", b', 'a & <b>', "'quoted'", ' +1 ', '&amp;', ']]>'),
);
const entries = fc
  .uniqueArray(
    fc.record({
      word: texts,
      alias: fc.oneof(texts, fc.constantFrom('[[ˈnaɪki]]', 'the [[ˈboʊɪŋ]] 747', '[[a&b]]')),
      language: fc.constantFrom('', 'en', 'de'),
      match_case: fc.boolean(),
    }),
    {
      selector: ({ word }) => word.normalize('NFC').toUpperCase().toLowerCase().replace(/\s+/g, ' ').trim(),
      maxLength: 12,
    },
  )
  .map((all) =>
    all.flatMap((input): Entry[] => {
      const { entry, problems } = parseEntryMembers(input);
      return Object.keys(problems).length === 0 ? [entry] : [];
    }),
  );

describe('export and import', () => {
  test('restore a lexicon from CSV and from PLS documents by language', () => {
    fc.assert(
      fc.property(entries, (all) => {
        expect(parseEntries(formatFile(all, 'csv', undefined), 'csv', acceptAnything)).toEqual(all);
        for (const language of ['', 'en', 'de']) {
          const ofLanguage = all.filter((entry) => entry.language === language);
          expect(parseEntries(formatFile(ofLanguage, 'pls', language), 'pls', acceptAnything)).toEqual(ofLanguage);
        }
      }),
      { seed: testSeed, numRuns: 200 },
    );
  });

  test('escape spreadsheet formulas', () => {
    const file = formatFile([{ word: '=1+2', alias: '@SUM(A1)', language: '', match_case: false }], 'csv', undefined);
    expect(file).toBe("word,alias,language,match_case\r\n'=1+2,'@SUM(A1),,false\r\n");
  });
});

describe('CSV', () => {
  test('can have any column order, additional columns, blank lines and other separators', () => {
    const text = '\ufeffAlias;Note;WORD\r\n"one; two";x;eins\r\n\r\n"say ""zwo""";;zwei\r\n';
    expect(parseEntries(new TextDecoder().decode(new TextEncoder().encode(text)), 'csv', acceptAnything)).toEqual([
      { word: 'eins', alias: 'one; two', language: '', match_case: false },
      { word: 'zwei', alias: 'say "zwo"', language: '', match_case: false },
    ]);
  });

  test.each<[string, Record<string, string[]>]>([
    ['word,language\na,en\n', { 'line 1': ['the header row has no column alias'] }],
    ['', { 'line 1': ['the header row has no column word, alias'] }],
    ['word,alias\na\n', { 'line 2': ['alias: is required'] }],
    ['word,alias\na,b,c\n', { 'line 2': ['has more cells than the header row'] }],
    ['word,alias,match_case\na,b,maybe\n', { 'line 2': ['match_case: must be true or false'] }],
    [
      'word,alias,language\na,b,english!\n',
      { 'line 2': ['language: must be a language code such as en, or empty for all languages'] },
    ],
    ['word,alias\nb,"c\n', { 'line 2': ['has an unclosed or invalid quote'] }],
    [
      'word,alias\na,b\n,c\nA,d\n',
      {
        'line 3': ['word: must be at least 1 character'],
        'line 4': ['word: duplicate of line 2'],
      },
    ],
  ])('rejects %j', (text, problems) => {
    expect(listProblems(text, 'csv')).toEqual(problems);
  });

  test('reports the first 50 problems', () => {
    const rows = Array.from({ length: 73 }, (_, index) => `word ${index},…`);
    const problems = listProblems(['word,alias', ...rows].join('\n'), 'csv');
    expect(Object.keys(problems ?? {})).toHaveLength(51);
    expect(problems?.['file']).toEqual(['has 73 problems; the first 50 are listed']);
  });

  test('rejects too many rows before validation', () => {
    let requestCount = 0;
    const judge: PhonemeValidator = () => {
      requestCount += 1;
      return { problems: [], lacking: [] };
    };
    const problems = listProblems(`word,alias\n${'a,b\n,\n'.repeat(2_501)}`, 'csv', judge);
    expect(problems).toEqual({ 'line 1': ['limit exceeded: at most 5000 entries'] });
    expect(requestCount).toBe(0);
  });

  test('validates phonemes', () => {
    const judge: PhonemeValidator = ({ alias }) => ({
      problems: alias.includes('ʞ') ? ['ʞ is none'] : [],
      lacking: [],
    });
    const text = 'word,alias\na,[[a]]\nb,[[ʞ]]\n';
    expect(listProblems(text, 'csv', judge)).toEqual({ 'line 3': ['alias: ʞ is none'] });
  });
});

describe('PLS', () => {
  test('can have several graphemes and phonemes', () => {
    const text = buildPls(`<!-- W3C --><metadata><x:y xmlns:x="urn:x">z</x:y></metadata>
      <lexeme><grapheme>theatre</grapheme><grapheme>theater</grapheme>
        <phoneme>ˈθɪətər</phoneme><phoneme prefer="true">ˈθi\nətə</phoneme></lexeme>
      <lexeme role="lectern:match-case x:noun"><grapheme>W3C &amp; <![CDATA[<Co>]]></grapheme>
        <alias>World Wide Web <x/>Consortium</alias><example>none</example></lexeme>`);
    expect(parseEntries(text, 'pls', acceptAnything)).toEqual([
      { word: 'theatre', alias: '[[ˈθi ətə]]', language: 'en', match_case: false },
      { word: 'theater', alias: '[[ˈθi ətə]]', language: 'en', match_case: false },
      { word: 'W3C & <Co>', alias: 'World Wide Web Consortium', language: 'en', match_case: true },
    ]);
  });

  test.each<[string, Record<string, string[]>]>([
    ['<html/>', { 'line 1': ['is not a PLS document'] }],
    ['word,alias\na,b', { 'line 1': ['is not a PLS document'] }],
    [
      '<!DOCTYPE lexicon [<!ENTITY x SYSTEM "file:///etc/passwd">]><lexicon/>',
      { 'line 1': ['must not contain a DOCTYPE'] },
    ],
    [buildPls('<lexeme>\n<grapheme>a</grapheme></lexeme>'), { 'line 3': ['has no phoneme and no alias'] }],
    [buildPls('<lexeme><alias>a</alias></lexeme>'), { 'line 3': ['has no grapheme'] }],
    [
      buildPls('<lexeme><grapheme>a</grapheme>\n<phoneme alphabet="x-sampa">A</phoneme></lexeme>'),
      { 'line 4': ['phonemes must be in ipa, not x-sampa'] },
    ],
    [buildPls('<lexeme><grapheme>a</lexeme>'), { 'line 3': ['is not well-formed: grapheme is not closed'] }],
    [buildPls('<a>'.repeat(100_000)), { 'line 3': ['is nested too deeply'] }],
    [
      buildPls('<lexeme><grapheme>a</grapheme><phoneme>a]]b</phoneme></lexeme>'),
      { 'line 3': ['alias: must have balanced [[ and ]] around phonemes'] },
    ],
  ])('rejects %.80s', (text, problems) => {
    expect(listProblems(text, 'pls')).toEqual(problems);
  });
});
