import { describe, expect, test } from 'bun:test';
import { selectForeignVoices } from '../../src/audio/segment-planner.ts';
import type { ForeignLanguages } from '../../src/speech/block-spans.ts';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createReplacer, noReplacements } from '../../src/speech/pronunciation/replacer.ts';
import { buildSentences, getPauseAfter, type Sentence } from '../../src/speech/sentences.ts';
import type { InstalledVoice } from '../../src/voices/catalog.ts';

const german: ForeignLanguages = new Map([
  ['de', { language: getLanguage('de'), replacer: noReplacements }],
  ['zh', { language: getLanguage('zh'), replacer: noReplacements }],
]);

function read(content: string, foreign = german): Sentence[] {
  return buildSentences(extractDocument({ content }), getLanguage('en'), noReplacements, foreign).sentences;
}

/** Each sentence with its language, and "…" if the sentence continues. */
function describeSentences(content: string): string[] {
  return read(content).map(
    ({ text, language = 'en', continuesInOtherVoice }) => `${language}: ${text}${continuesInOtherVoice ? ' …' : ''}`,
  );
}

function joinSpoken(sentence: Sentence | undefined): string {
  return (sentence?.tokens ?? []).map((piece) => piece.spoken).join('');
}

describe('language spans', () => {
  test.each<[string, string, string[]]>([
    [
      'several words inside a sentence',
      '<p>She cried <i lang="de">so ein Unsinn</i> and left. All laughed.</p>',
      ['en: She cried …', 'de: so ein Unsinn …', 'en: and left.', 'en: All laughed.'],
    ],
    ['one word', '<p>The <i lang="de">Zeitgeist</i> left.</p>', ['en: The Zeitgeist left.']],
    [
      'one word that is a sentence',
      '<p>He came. <span lang="de">Halt!</span> They stopped.</p>',
      ['en: He came.', 'de: Halt!', 'en: They stopped.'],
    ],
    [
      'a quotation with its marks and full stop',
      '<p>He said, “<i lang="de">Das ist mir egal</i>.” Then he left.</p>',
      ['en: He said, …', 'de: “Das ist mir egal.”', 'en: Then he left.'],
    ],
    [
      'a quotation that the sentence goes on behind',
      '<p>“<i lang="de">Das ist mir egal!</i>” he said.</p>',
      ['de: “Das ist mir egal!” …', 'en: he said.'],
    ],
    [
      'whole blocks',
      '<p>One.</p><blockquote lang="de">Am 3. Mai. Und am 4. Mai.</blockquote>',
      ['en: One.', 'de: Am 3. Mai.', 'de: Und am 4. Mai.'],
    ],
    [
      'a language no voice speaks',
      '<p>He said <i lang="fr">on verra bien demain</i> and left.</p>',
      ['en: He said on verra bien demain and left.'],
    ],
    ['a script without spaces', '<p lang="zh">你好世界。</p>', ['zh: 你好世界。']],
    ['the language of the article', '<p lang="en">Hello there, my friend.</p>', ['en: Hello there, my friend.']],
    ['nothing that could be said', '<p>Wait <i lang="de">— … —</i> now.</p>', ['en: Wait — … — now.']],
  ])('are detected: %s', (_name, content, expected) => {
    expect(describeSentences(content)).toEqual(expected);
  });

  test('use the rules of their language, with a short pause within a sentence', () => {
    const [first, second, third] = read('<p>It read <i lang="de">nur 5 € am 3. Mai</i> in red.</p>');
    expect([first, second, third].map(joinSpoken)).toEqual(['It read,', 'nur fünf Euro am dritten Mai,', 'in red.']);
    expect([first, second].map((sentence) => sentence && getPauseAfter(sentence))).toEqual([120, 120]);
    expect(third && getPauseAfter(third)).toBe(600);
  });

  test('keep the source offset of each character', () => {
    const content = '<p>A &amp; B said “<i lang="de">schöne &amp; neue Welt</i>” twice. End.</p>';
    const sentences = read(content);
    const places = sentences.map(({ span }) => content.slice(span.start, span.end));
    expect(places).toEqual(['A &amp; B said', '“<i lang="de">schöne &amp; neue Welt</i>”', 'twice.', 'End.']);
    for (const { text, sources, span } of sentences) {
      expect(sources).toHaveLength(text.length + 1);
      expect(sources[0]).toBe(span.start);
    }
  });

  test('use the lexicon of their language', () => {
    const replacer = createReplacer([{ word: 'Nike', alias: 'Naiki', matchCase: false }]);
    const foreign = new Map([['de', { language: getLanguage('de'), replacer }]]);
    const [english, german] = read('<p>Nike.</p><p lang="de">Nike ist hier.</p>', foreign);
    expect([joinSpoken(english), joinSpoken(german)]).toEqual(['Nike.', 'Naiki ist hier.']);
  });

  test('do not change other articles', () => {
    const content = '<h2>Head</h2><p>One two. Three “four” five.</p><ul><li>Six</li></ul>';
    expect(read(content)).toEqual(read(content, new Map()));
  });

  test('take linear time', () => {
    const content = `<p>${'<i lang="de">ja und nein</i> so, '.repeat(8_000)}</p>`;
    expect(read(content)).toHaveLength(16_000);
  }, 60_000);
});

describe('the voice of a language span', () => {
  const voice = (id: number, language: string, more: Partial<InstalledVoice> = {}) =>
    ({ id, language, enabled: 1, plan_required: 'starter', ...more }) as InstalledVoice;
  const voices = [
    voice(1, 'en'),
    voice(2, 'de', { enabled: 0 }),
    voice(3, 'de', { plan_required: 'enterprise' }),
    voice(4, 'de'),
    voice(5, 'de'),
    voice(6, 'fr', { plan_required: 'growth' }),
  ];
  const idsFor = (site: Parameters<typeof selectForeignVoices>[1], language = 'en') =>
    [...selectForeignVoices(voices, site, language)].map(([code, { id }]) => [code, id]);

  test('is the enabled voice with the lowest id in the plan', () => {
    expect(idsFor({ plan: 'starter', default_voice_id: null, default_voices: '[]' })).toEqual([['de', 4]]);
    expect(idsFor({ plan: 'enterprise', default_voice_id: null, default_voices: '[]' })).toEqual([
      ['de', 3],
      ['fr', 6],
    ]);
  });

  test('prefers the voice of the site, and is none for the language of the article', () => {
    expect(idsFor({ plan: 'starter', default_voice_id: 5, default_voices: '[]' })).toEqual([['de', 5]]);
    expect(idsFor({ plan: 'starter', default_voice_id: 5, default_voices: '[]' }, 'de')).toEqual([['en', 1]]);
  });
});
