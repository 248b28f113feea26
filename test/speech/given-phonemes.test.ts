import { describe, expect, test } from 'bun:test';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { createEspeakPhonemizer } from '../../src/speech/phonemize/phonemizer.ts';
import { toVoiceSymbols } from '../../src/speech/pronunciation/inline-phonemes.ts';
import { type Alias, createReplacer } from '../../src/speech/pronunciation/replacer.ts';
import { planSegments } from '../../src/speech/segments.ts';
import { buildSentences } from '../../src/speech/sentences.ts';
import { parseVoiceConfig, type VoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import aspen from '../../voices/en_US-aspen-medium.onnx.json';

const voice = parseVoiceConfig(JSON.stringify(aspen));
const phonemizer = createEspeakPhonemizer();

function entry(word: string, alias: string): Alias {
  return { word, alias, matchCase: false };
}

async function plan(content: string, entries: readonly Alias[], by: VoiceConfig = voice) {
  const { sentences } = buildSentences(extractDocument({ content }), getLanguage(by.language), createReplacer(entries));
  return planSegments(sentences, by, phonemizer);
}

/** @returns the phonemes of a text's segments, one symbol after the other */
async function phonemesOf(content: string, entries: readonly Alias[] = [], by = voice) {
  const { segments } = await plan(content, entries, by);
  return segments.map(({ ids }) => symbolsIn(ids, by)).join(' | ');
}

function symbolsIn(ids: readonly number[], { phonemeIds: map }: VoiceConfig): string {
  const symbols = new Map(
    Object.entries(map).flatMap(([symbol, own]) =>
      [...symbol].length === 1 ? own.map((id) => [id, symbol] as const) : [],
    ),
  );
  return ids
    .map((id) => symbols.get(id) ?? '?')
    .join('')
    .replace(/[_^$]/g, '');
}

const nike = entry('Nike', '[[ˈnaɪki]]');

describe('phonemes given for a word', () => {
  test.each([
    ['See Nike now.', 'sˈiː ˈnaɪki nˈaʊ.'],
    ['Nike won.', 'ˈnaɪki wˈʌn.'],
    ['I like “Nike”, and Nike!', 'aɪ lˈaɪk ˈnaɪki, ænd ˈnaɪki!'],
    ['A Nike headline', 'ɐ ˈnaɪki hˈɛdlaɪn.'],
    ['See Nike’s shoe.', 'sˈiː ˈnaɪkiz ʃˈuː.'],
  ])('%s', async (text, phonemes) => {
    expect(await phonemesOf(text, [nike])).toBe(phonemes);
  });

  test('leave their neighbours as they are beside such a word', async () => {
    const said = (ipa: string) => phonemesOf('The Qux’s end.', [entry('qux', `[[${ipa}]]`)]);
    expect(await said('ˈæpəl')).toBe('ðɪ ˈæpəlz ˈɛnd.');
    expect(await said('kˈæt')).toBe('ðə kˈæts ˈɛnd.');
    expect(await said('fˈɪʃ')).toBe('ðə fˈɪʃᵻz ˈɛnd.');
  });

  test('stand among words of an alias, which are read as text', async () => {
    const mixed = entry('BA', '[[ˈboʊɪŋ]] 747 jets');
    const whole = await phonemesOf('Two Boeing 747 jets left.');
    expect(await phonemesOf('Two BA left.', [mixed])).toBe(whole.replace('bˈoʊɪŋ', 'ˈboʊɪŋ'));
  });

  test('keep one segment, the written words and their places', async () => {
    const text = 'Then Nike’s “Air” came, as Nike said.';
    const { segments } = await plan(text, [nike]);
    expect(segments.map(({ text, span }) => [text, span.start, span.end])).toEqual([[text, 0, text.length]]);
    expect(segments[0]?.spoken).toContain('[[ˈnaɪki]]’s');
  });

  test('are found beside words that look or sound like what holds their place', async () => {
    const text = 'Azuza, Zazuza and zazut met Nike, the zazuza.';
    const said = await phonemesOf(text, [nike]);
    expect(said).toContain(' ˈnaɪki, ');
    expect(said.replace(' ˈnaɪki', '')).toBe(await phonemesOf(text.replace(' Nike', '')));
  });

  test('are given up for the written word by a voice that never learned one of them', async () => {
    const entries = [entry('Nike', '[[ˈnɧki]] of [[ˈɔɹɪɡən]]')];
    const { ɧ, ...known } = voice.phonemeIds;
    const poorer = { ...voice, phonemeIds: known };
    const { segments, unknownSymbols } = await plan('See Nike’s shoe.', entries, poorer);
    expect(unknownSymbols).toEqual(['ɧ']);
    expect(segments.map(({ ids }) => symbolsIn(ids, poorer))).toEqual([await phonemesOf('See Nike’s shoe.')]);
  });

  test('in an article are only text', async () => {
    const { segments } = await plan('He wrote [[ˈnaɪki]] on it, and [[x]].', [entry('it', 'that')]);
    const said = segments.map(({ ids }) => symbolsIn(ids, voice)).join('');
    expect(said).toContain('ɹˈoʊt');
    expect(said).not.toContain('ˈnaɪki');
  });
});

describe('symbols of phonemes', () => {
  test('leave out what nobody hears, and take letters for those that are meant', () => {
    expect(toVoiceSymbols("'t͡ʃiː.go‿", voice)).toEqual({ symbols: [...'ˈtʃiːɡo'], unknown: [] });
  });

  test('are decomposed, as espeak-ng has them', () => {
    expect(toVoiceSymbols('ɪç bɔ̃', voice).symbols).toEqual([...'ɪc\u0327 bɔ\u0303']);
  });

  test('tell each one that a voice never learned, and its place', () => {
    expect(toVoiceSymbols('ˈn🦊a,ʞ$', voice).unknown).toEqual([
      { symbol: '🦊', offset: 2 },
      { symbol: ',', offset: 5 },
      { symbol: 'ʞ', offset: 6 },
      { symbol: '$', offset: 7 },
    ]);
  });
});

describe('what aliases add', () => {
  const long = 'very '.repeat(40).trim();
  const saidUnits = (content: string, alias: string) =>
    buildSentences(extractDocument({ content }), getLanguage('en'), createReplacer([entry('x', alias)])).sentences.map(
      ({ tokens }) => tokens.map(({ spoken }) => spoken).join('').length,
    );

  test('to a sentence is at most 1,000 characters; further words are said as they are written', () => {
    const text = `${'x '.repeat(900).trim()}.`;
    const added = saidUnits(text, long).reduce((sum, units) => sum + units, 0) - text.length;
    expect(added).toBeGreaterThan(700);
    expect(added).toBeLessThanOrEqual(1_000);
  });

  test('to an article is at most 20,000 characters, or as many as it has', () => {
    const added = (text: string) => saidUnits(text, long).reduce((sum, units) => sum + units, 0) - text.length;
    expect(added('<p>x x.</p>'.repeat(200))).toBeLessThanOrEqual(20_000);
    const article = `${'<p>Some more words of an article, and an x.</p>'.repeat(1_000)}`;
    const letters = article.replace(/<[^>]*>/g, '').length;
    expect(letters).toBeGreaterThan(20_000);
    const grown = saidUnits(article, long).reduce((sum, units) => sum + units, 0) - letters;
    expect(grown).toBeGreaterThan(20_000);
    expect(grown).toBeLessThanOrEqual(letters);
  });
});

test.each([
  ['I♥NY and A ♥ B', 'I loves NY and A loves B'],
  ['I♥ (♥)', 'I loves (loves)'],
])('what is said for a sign stands apart from the letters beside it: %s', (text, said) => {
  const lexicon = createReplacer([entry('♥', 'loves')]);
  expect(lexicon(text).text).toBe(said);
});
