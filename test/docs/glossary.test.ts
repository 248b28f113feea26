import { describe, expect, test } from 'bun:test';
import {
  allPlaces,
  containsWord,
  glossaryPath,
  parseGlossary,
  read,
  readProject,
  splitDocument,
  splitSource,
  toWords,
} from './vocabulary.ts';

const { terms, avoided } = parseGlossary(read(glossaryPath));
const project = readProject();

describe('the glossary', () => {
  test('has each term once, and no term in the column Avoid', () => {
    expect(avoided.length).toBeGreaterThan(50);
    expect(terms.filter((term, index) => terms.indexOf(term) !== index)).toEqual([]);
    const everywhere = avoided.filter(({ places }) => places.length === allPlaces.length);
    expect(everywhere.filter(({ word }) => terms.includes(word))).toEqual([]);
  });

  test('is followed: no name, message or page contains an avoided word', () => {
    const fragments = project.flatMap(({ path, fragments: parts }) =>
      parts.map(({ place, text, line }) => ({ place, line, path, words: toWords(text) })),
    );
    const found = avoided.flatMap(({ word, term, places }) => {
      const wanted = toWords(word);
      return fragments
        .filter(({ place, words }) => words.includes(wanted) && places.includes(place))
        .map(({ path, line, place }) => `${path}:${line} (${place}) "${word}": use "${term}"`);
    });
    expect(found).toEqual([]);
  });
});

describe('the search', () => {
  test('reads names, messages and page texts of a source, and no comments', () => {
    const source = [
      'const virtualMp3 = /a"b/.test(x) ? 1 : 2; // a comment',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: part of a source
      "fail(`Voice ${voice({ id: '7' })} not found`, 'Queue full', 'pending');",
      "return <p title={name}>It isn't ready {count} yet</p>;",
    ].join('\n');
    const split = (place: string) =>
      splitSource(source, true).flatMap((fragment) =>
        fragment.place === place ? [`${fragment.line} ${fragment.text.trim()}`] : [],
      );

    expect(split('messages')).toEqual(['2 Voice', '2 not found', '2 Queue full', "3 It isn't ready", '3 yet']);
    expect(split('identifiers')).toContain('1 virtualMp3');
    expect(split('identifiers')).toContain('2 voice');
    expect(split('identifiers').join(' ')).not.toContain('comment');
  });

  test('reads a page without its code', () => {
    const page = ['Sent `hand in` [here](hand-in.md).', '', '    lectern nudge', '', '```', 'nudge', '```', 'End'].join(
      '\n',
    );
    const text = splitDocument(page)
      .map((fragment) => fragment.text)
      .join('\n');

    expect(text).not.toMatch(/hand|nudge/);
    expect(text).toContain('here');
    expect(text).toContain('End');
  });

  test('finds whole words in every spelling', () => {
    for (const text of ['virtualMp3', 'createVirtualMp3', 'virtual_mp3', 'a virtual MP3']) {
      expect([text, containsWord(text, 'virtual mp3')]).toEqual([text, true]);
    }
    expect(containsWord('handInput', 'hand in')).toBe(false);
    expect(containsWord('unspokenly', 'unspoken')).toBe(false);
  });
});
