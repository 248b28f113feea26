import { describe, expect, test } from 'bun:test';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { defaultNarrationSettings } from '../../src/speech/narration-settings.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createReplacer } from '../../src/speech/pronunciation/replacer.ts';
import { buildSentences, getPauseAfter } from '../../src/speech/sentences.ts';

const reading = { ...defaultNarrationSettings, ssml: true };

function read(content: string, settings = reading, language = 'en') {
  const document = extractDocument({ content }, settings);
  const { sentences, coverage } = buildSentences(document, getLanguage(language), createReplacer([], language));
  const parts = sentences.map((sentence) => ({
    text: sentence.text,
    spoken: sentence.tokens.map(({ spoken }) => spoken).join(''),
    sounds: sentence.tokens.flatMap(({ inlinePhonemes }) => inlinePhonemes?.sounds.map(({ ipa }) => ipa) ?? []),
    pauseMs: getPauseAfter(sentence),
    rate: sentence.rate ?? 1,
    source: content.slice(sentence.span.start, sentence.span.end),
  }));
  return { parts, coverage, leftOut: document.leftOut };
}

const sayAs = (kind: string, text: string, language = 'en') =>
  read(`<p>Now <say-as ${kind}>${text}</say-as> follows.</p>`, reading, language)
    .parts.map(({ spoken }) => spoken)
    .join(' ');

describe('break', () => {
  test('inserts silence within a sentence', () => {
    const { parts } = read('<p>The winner is <break time="1.5s"/> Ann. She smiled.</p>');
    expect(parts.map(({ text, pauseMs }) => [text, pauseMs])).toEqual([
      ['The winner is', 1_500],
      ['Ann.', 320],
      ['She smiled.', 600],
    ]);
    expect(parts[0]?.spoken).toBe('The winner is,');
  });

  test('lengthens the pause between sentences and paragraphs, never shortens it', () => {
    const { parts } = read(
      '<p>One. <break strength="x-strong"/>Two.<break time="50ms"/></p><break time="3s"/><p>Three.</p>',
    );
    expect(parts.map(({ text, pauseMs }) => [text, pauseMs])).toEqual([
      ['One.', 1_200],
      ['Two.', 3_000],
      ['Three.', 600],
    ]);
  });

  test('lasts at most 20 minutes in an article', () => {
    const { parts } = read('<p>One <break time="10s"/></p>'.repeat(200));
    const silent = parts.filter(({ pauseMs }) => pauseMs === 10_000);
    expect([parts.length, silent.length]).toEqual([200, 120]);
  });

  test('lasts at most ten seconds; invalid values have no effect', () => {
    expect(read('<p>One.<break time="90s"/> Two.</p>').parts[0]?.pauseMs).toBe(10_000);
    expect(read('<p>One.<break time="soon"/> Two.</p>').parts[0]?.pauseMs).toBe(400);
    expect(read('<p>One.<break strength="loud"/> Two.</p>').parts[0]?.pauseMs).toBe(320);
  });
});

describe('pronunciations', () => {
  test('phoneme is spoken as IPA, sub as its alias; both take precedence over the dictionary', () => {
    const { parts } = read(
      '<p>In <phoneme alphabet="ipa" ph="kɪˈʒiːnaʊ">Chișinău</phoneme> the <sub alias="World Wide Web Consortium">W3C</sub> met.</p>',
    );
    expect(parts.map(({ text }) => text)).toEqual(['In Chișinău the W3C met.']);
    expect(parts[0]?.sounds).toEqual(['kɪˈʒiːnaʊ']);
    expect(parts[0]?.spoken).toContain('the World Wide Web Consortium met.');
  });

  test('another alphabet has no effect, and sub without an alias is a subscript', () => {
    const { parts } = read('<p>A <phoneme alphabet="x-sampa" ph="Q">pot</phoneme> of CO<sub>2</sub>.</p>');
    expect(parts[0]).toMatchObject({ text: 'A pot of CO2.', sounds: [] });
  });

  test.each([
    ['interpret-as="characters"', 'BRX 7', 'Now B.R.X seven follows.'],
    ['interpret-as="digits"', '2012', 'Now two zero one two follows.'],
    ['interpret-as="telephone"', '555-0199', 'Now five five five, zero one nine nine follows.'],
    ['interpret-as="cardinal"', '2012', 'Now two thousand twelve follows.'],
    ['interpret-as="ordinal"', '23', 'Now twenty-third follows.'],
    ['interpret-as="date" format="dmy"', '3.4.2025', 'Now April third, twenty twenty-five follows.'],
    ['interpret-as="unknown"', 'as it is', 'Now as it is follows.'],
  ])('say-as %s speaks %s', (kind, text, spoken) => {
    expect(sayAs(kind, text)).toBe(spoken);
  });

  test('say-as follows the language of the article', () => {
    expect(sayAs('interpret-as="cardinal"', '2012', 'de')).toBe('Now zweitausendzwölf follows.');
    expect(sayAs('interpret-as="ordinal"', '3', 'fr')).toBe('Now troisième follows.');
  });
});

describe('prosody and s', () => {
  test('a rate applies to its text, also across paragraphs, within limits', () => {
    const { parts } = read(
      '<p>Normal <prosody rate="slow">slow words</prosody> here.</p><prosody rate="500%"><p>Fast.</p><p>Again.</p></prosody><p>End.</p>',
    );
    expect(parts.map(({ text, rate, pauseMs }) => [text, rate, pauseMs])).toEqual([
      ['Normal', 1, 0],
      ['slow words', 0.75, 0],
      ['here.', 1, 600],
      ['Fast.', 2, 600],
      ['Again.', 2, 600],
      ['End.', 1, 600],
    ]);
  });

  test('s ends a sentence within speak; elsewhere it is struck out', () => {
    const { parts } = read('<speak><p><s>first one</s> <s>second one</s></p></speak>');
    expect(parts.map(({ text, spoken }) => [text, spoken])).toEqual([
      ['first one', 'first one.'],
      ['second one', 'second one.'],
    ]);
    expect(read('<p>Now <s>old</s> new.</p>').leftOut.map(({ reason }) => reason)).toEqual(['struck out']);
  });
});

test('no text is lost, and each source range covers its words', () => {
  const content =
    '<speak><p>Ann <break/>and <prosody rate="fast">Bob<break time="1s"/>, too</prosody>, <sub alias="x">y</sub>.</p><p><break/></p>… <break/></speak>';
  const { parts, coverage } = read(content);
  const letters = (text: string) => text.replace(/<[^>]*>|[^\p{L}]/gu, '');
  expect(parts.map(({ text }) => letters(text)).join('')).toBe(letters(content));
  for (const { text, source } of parts) expect(letters(source)).toBe(letters(text));
  expect(coverage.expectedText.characters).toBeGreaterThan(0);
});

test('without the setting the elements have no effect', () => {
  const off = read(
    '<p>One <break time="9s"/>two <sub alias="x">three</sub> <prosody rate="slow">four</prosody>.</p>',
    defaultNarrationSettings,
  );
  expect(off.parts.map(({ text, pauseMs, rate }) => [text, pauseMs, rate])).toEqual([['One two three four.', 600, 1]]);
});
