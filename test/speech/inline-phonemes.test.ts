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

/** @returns the phonemes of a text's segments, one symbol each */
async function phonemize(content: string, entries: readonly Alias[] = [], by = voice) {
  const { segments } = await plan(content, entries, by);
  return segments.map(({ ids }) => toSymbols(ids, by)).join(' | ');
}

function toSymbols(ids: readonly number[], { phonemeIds: map }: VoiceConfig): string {
  const symbols = new Map(
    Object.entries(map).flatMap(([symbol, ids]) =>
      [...symbol].length === 1 ? ids.map((id) => [id, symbol] as const) : [],
    ),
  );
  return ids
    .map((id) => symbols.get(id) ?? '?')
    .join('')
    .replace(/[_^$]/g, '');
}

const nike = entry('Nike', '[[ˈnaɪki]]');

describe('inline phonemes', () => {
  test.each([
    ['See Nike now.', 'sˈiː ˈnaɪki nˈaʊ.'],
    ['Nike won.', 'ˈnaɪki wˈʌn.'],
    ['I like “Nike”, and Nike!', 'aɪ lˈaɪk ˈnaɪki, ænd ˈnaɪki!'],
    ['A Nike headline', 'ɐ ˈnaɪki hˈɛdlaɪn.'],
    ['See Nike’s shoe.', 'sˈiː ˈnaɪkiz ʃˈuː.'],
  ])('%s', async (text, phonemes) => {
    expect(await phonemize(text, [nike])).toBe(phonemes);
  });

  test('do not change the words beside them', async () => {
    const phonemizeWithAlias = (ipa: string) => phonemize('The Qux’s end.', [entry('qux', `[[${ipa}]]`)]);
    expect(await phonemizeWithAlias('ˈæpəl')).toBe('ðɪ ˈæpəlz ˈɛnd.');
    expect(await phonemizeWithAlias('kˈæt')).toBe('ðə kˈæts ˈɛnd.');
    expect(await phonemizeWithAlias('fˈɪʃ')).toBe('ðə fˈɪʃᵻz ˈɛnd.');
  });

  test('may be part of an alias with words', async () => {
    const mixed = entry('BA', '[[ˈboʊɪŋ]] 747 jets');
    const whole = await phonemize('Two Boeing 747 jets left.');
    expect(await phonemize('Two BA left.', [mixed])).toBe(whole.replace('bˈoʊɪŋ', 'ˈboʊɪŋ'));
  });

  test('keep segment, text and offsets', async () => {
    const text = 'Then Nike’s “Air” came, as Nike said.';
    const { segments } = await plan(text, [nike]);
    expect(segments.map(({ text, span }) => [text, span.start, span.end])).toEqual([[text, 0, text.length]]);
    expect(segments[0]?.spoken).toContain('[[ˈnaɪki]]’s');
  });

  test('are placed correctly beside words that look or sound like a placeholder', async () => {
    const text = 'Azuza, Zazuza and zazut met Nike, the zazuza.';
    const phonemes = await phonemize(text, [nike]);
    expect(phonemes).toContain(' ˈnaɪki, ');
    expect(phonemes.replace(' ˈnaɪki', '')).toBe(await phonemize(text.replace(' Nike', '')));
  });

  test('fall back to the written word if the voice lacks a symbol', async () => {
    const entries = [entry('Nike', '[[ˈnɧki]] of [[ˈɔɹɪɡən]]')];
    const { ɧ, ...known } = voice.phonemeIds;
    const poorer = { ...voice, phonemeIds: known };
    const { segments, unknownSymbols } = await plan('See Nike’s shoe.', entries, poorer);
    expect(unknownSymbols).toEqual(['ɧ']);
    expect(segments.map(({ ids }) => toSymbols(ids, poorer))).toEqual([await phonemize('See Nike’s shoe.')]);
  });

  test('in an article are plain text', async () => {
    const { segments } = await plan('He wrote [[ˈnaɪki]] on it, and [[x]].', [entry('it', 'that')]);
    const symbols = segments.map(({ ids }) => toSymbols(ids, voice)).join('');
    expect(symbols).toContain('ɹˈoʊt');
    expect(symbols).not.toContain('ˈnaɪki');
  });
});

describe('toVoiceSymbols', () => {
  test('drops silent symbols and substitutes ASCII letters', () => {
    expect(toVoiceSymbols("'t͡ʃiː.go‿", voice)).toEqual({ symbols: [...'ˈtʃiːɡo'], unknown: [] });
  });

  test('decomposes symbols, as espeak-ng does', () => {
    expect(toVoiceSymbols('ɪç bɔ̃', voice).symbols).toEqual([...'ɪc\u0327 bɔ\u0303']);
  });

  test('returns unsupported symbols with their offsets', () => {
    expect(toVoiceSymbols('ˈn🦊a,ʞ$', voice).unknown).toEqual([
      { symbol: '🦊', offset: 2 },
      { symbol: ',', offset: 5 },
      { symbol: 'ʞ', offset: 6 },
      { symbol: '$', offset: 7 },
    ]);
  });
});

describe('growth by aliases', () => {
  const long = 'very '.repeat(40).trim();
  const saidUnits = (content: string, alias: string) =>
    buildSentences(extractDocument({ content }), getLanguage('en'), createReplacer([entry('x', alias)])).sentences.map(
      ({ tokens }) => tokens.map(({ spoken }) => spoken).join('').length,
    );

  test('is limited to 1,000 characters in a sentence; further words stay unchanged', () => {
    const text = `${'x '.repeat(900).trim()}.`;
    const added = saidUnits(text, long).reduce((sum, units) => sum + units, 0) - text.length;
    expect(added).toBeGreaterThan(700);
    expect(added).toBeLessThanOrEqual(1_000);
  });

  test('is limited to 20,000 characters in an article, or to its length', () => {
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
])('the alias of a sign is separated from adjacent letters: %s', (text, expected) => {
  const lexicon = createReplacer([entry('♥', 'loves')]);
  expect(lexicon(text).text).toBe(expected);
});
