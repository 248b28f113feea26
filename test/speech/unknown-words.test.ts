import { describe, expect, test } from 'bun:test';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createReplacer } from '../../src/speech/pronunciation/replacer.ts';
import { findUnknownWords } from '../../src/speech/pronunciation/unknown-words.ts';
import { buildSentences } from '../../src/speech/sentences.ts';
import { scale } from '../fixtures/scale.ts';

function countUnknownWords(content: string, language = 'en', known: readonly string[] = []) {
  const entries = known.map((word) => ({ word, alias: 'so', matchCase: false }));
  const lexicon = createReplacer(entries);
  const { sentences } = buildSentences(extractDocument({ content }), getLanguage(language), lexicon);
  return findUnknownWords(sentences, language, lexicon);
}

function listUnknownWords(content: string, language?: string, known?: readonly string[]): string[] {
  return countUnknownWords(content, language, known).map(({ word }) => word);
}

describe('unknown words', () => {
  test.each([
    ['a capital in mid-sentence', 'Then the mayor met Thackerwey in Brindisi.', ['Brindisi', 'Thackerwey'], 'en'],
    ['all capitals', 'The report of the IAEA, the WHO and AT&T came.', ['AT&T', 'IAEA', 'WHO'], 'en'],
    ['several acronyms', 'Two NGOs came.', ['NGOs'], 'en'],
    [
      'capitals and digits among small letters',
      'An mRNA test by YouTube, h264 and Qwen3.',
      ['Qwen3', 'YouTube', 'h264', 'mRNA'],
      'en',
    ],
    ['letters of other languages', 'They ate a smørrebrød there.', ['smørrebrød'], 'en'],
    ['a name with an apostrophe', "It was O'Brien who came.", ["O'Brien"], 'en'],
    ['no possessive', "It was Nkoswi's idea and Nkoswi’s plan.", ['Nkoswi'], 'en'],
    ['no elided article', 'Le siège de l’Oréal et d’Artagnan.', ['Artagnan', 'Oréal'], 'fr'],
    [
      'names after a colon, only where they are elsewhere',
      'Verdict: Nothing. Then: Kofwi. It was Kofwi.',
      ['Kofwi'],
      'en',
    ],
  ])('%s', (_, content, expected, language) => {
    expect(listUnknownWords(content, language)).toEqual(expected);
  });

  test.each([
    ['the beginning of a sentence', 'Bridges are closed. “Nobody came,” he said. She said: “Nothing helps.”'],
    ['months, days and the speaker', 'It was on Monday in March when I saw it, and I’m glad.'],
    ['abbreviations that are written out', 'It was on Jan. 3 or on Feb. 4.'],
    ['words that have a small letter elsewhere', 'He saw that Line one and The Line. It was the line.'],
    ['numbers', 'In 1999 the 2nd team ran 10km in 5G and won 3-2.'],
    ['Roman numerals', 'Henry came. It was in world war II and part XIV.'],
    ['addresses', 'See https://Example.com/Path or www.Example.org, mail Joe@Example.com, #Topic, Example.com.'],
    ['headlines with a capital on each word', '<h2>Old Bridges Fall Down</h2><p>They do.</p>'],
    ['words of the dictionary, in capitals or not', 'They saw McDonald of Port and LONDON in Thackeray.'],
    ['headlines all in capitals', '<h2>BRIDGES FALL DOWN</h2><p>They do.</p>'],
  ])('exclude %s', (_, content) => {
    expect(listUnknownWords(content).filter((word) => word !== 'Henry')).toEqual([]);
  });

  test('ignore capitals in a language with capitalized nouns', () => {
    expect(listUnknownWords('Dann kam die Bürgermeisterin mit der NATO nach Ærø.', 'de')).toEqual(['NATO', 'Ærø']);
  });

  test('exclude words and parts of entries of the lexicon', () => {
    const content = 'They met Kofwi Annwan in Brindisi, with Annwan.';
    expect(listUnknownWords(content, 'en', ['Kofwi Annwan', 'brindisi'])).toEqual(['Annwan']);
  });

  test('are counted, also at the start of a sentence, most frequent first', () => {
    expect(countUnknownWords('Accra lies far. He left Accra for Lomé, and Lomé for Accra.')).toEqual([
      { word: 'Accra', count: 3 },
      { word: 'Lomé', count: 2 },
    ]);
  });

  test('are limited to 200', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    const name = (index: number) =>
      `X${letters.charAt(index % 26)}${letters.charAt(Math.floor(index / 26) % 26)}${letters.charAt(Math.floor(index / 676))}`;
    const many = Array.from({ length: 5_000 }, (_, index) => `Then they watched ${name(index)}`).join('. ');
    expect(countUnknownWords(`${many}. We saw Xzzz, really Xzzz.`)[0]).toEqual({ word: 'Xzzz', count: 2 });
    expect(countUnknownWords(many).length).toBe(200);
  });
});

// Were it squared, no test would wait for its end.
test('take linear time for generated text', () => {
  for (const hostile of ["a'", 'A&', 'a.', '://', '“: ', 'Ab', 'é́', '\u0301', '#@']) {
    const found = countUnknownWords(hostile.repeat(Math.floor(scale.characters / hostile.length)));
    expect(found.length).toBeLessThan(200);
  }
});
