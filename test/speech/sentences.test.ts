import { describe, expect, test } from 'bun:test';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { getLanguage } from '../../src/speech/normalize/languages.ts';
import { buildSentences, type Sentence } from '../../src/speech/sentences.ts';
import { scale } from '../fixtures/scale.ts';

function read(content: string, title?: string) {
  const document = extractDocument(title === undefined ? { content } : { title, content });
  return buildSentences(document, getLanguage('en'));
}

function joinSpoken(sentence: Sentence | undefined): string {
  return (sentence?.tokens ?? []).map((piece) => piece.spoken).join('');
}

describe('buildSentences', () => {
  test('keeps order, kind and block ends', () => {
    const { sentences } = read('<h2>Head</h2><p>One. Two.</p><blockquote>Three.</blockquote>', 'Title');
    expect(sentences.map(({ kind, text, endsBlock }) => [kind, text, endsBlock])).toEqual([
      ['title', 'Title', true],
      ['heading', 'Head', true],
      ['paragraph', 'One.', false],
      ['paragraph', 'Two.', true],
      ['quote', 'Three.', true],
    ]);
  });

  test('returns the source span of a sentence', () => {
    const content = '<p>Hello &amp; <b>welcome</b>. We pay $5.</p>';
    const { sentences } = read(content, 'A title');
    expect(sentences.map(({ span }) => span.field)).toEqual(['title', 'content', 'content']);
    const parts = sentences.slice(1).map(({ span }) => content.slice(span.start, span.end));
    expect(parts).toEqual(['Hello &amp; <b>welcome</b>.', 'We pay $5.']);
  });

  test('ends a sentence at its last word, before an excluded footnote', () => {
    const content = '<p>It cost $5.<sup><a href="#n1">1</a></sup> He paid.[video src="a.mp4"] So did she.</p>';
    const parts = read(content).sentences.map(({ span }) => content.slice(span.start, span.end));
    expect(parts).toEqual(['It cost $5.', 'He paid.', 'So did she.']);
  });

  test('returns normalized tokens', () => {
    expect(joinSpoken(read('It cost $5.').sentences[0])).toBe('It cost five dollars.');
  });

  test.each([
    ['Storm hits coast', 'Storm hits coast.'],
    ['Will it rain?', 'Will it rain?'],
    ['“We won!”', 'We won!'],
    ['Why (and how)', 'Why, and how.'],
    ['Part 2:', 'Part two:'],
    ['It is over…', 'It is over…'],
  ])('ends a title with punctuation: %s', (title, spoken) => {
    const [sentence] = read('Text.', title).sentences;
    expect(joinSpoken(sentence)).toBe(spoken);
    expect(sentence?.text).toBe(title);
  });

  test('adds a full stop only without one', () => {
    const { sentences } = read('<ul><li>Milk</li><li>Bread. Butter</li></ul>');
    expect(sentences.map(joinSpoken)).toEqual(['Milk.', 'Bread.', 'Butter.']);
  });

  test('excludes a sentence without speakable text and ends the block before it', () => {
    const { sentences, leftOut } = read('<p>We won! 😀🎉</p><p>***</p><p>One.</p>');
    expect(sentences.map(({ text, endsBlock }) => [text, endsBlock])).toEqual([
      ['We won!', true],
      ['One.', true],
    ]);
    expect(leftOut.map(({ reason, text }) => [reason, text])).toEqual([['no speakable text', '😀🎉']]);
  });

  test.each([
    'Plain words. And more! Really?',
    'Mr. Smith paid $3.5 million (in cash) on Jan. 6, 2021… “Wow!” he said — twice.',
    '😀 smile. *** 12. a.b.c. ... !!! “” ()',
    'مرحبا بالعالم. שלום? 你好。世界！ नमस्ते।',
    'x'.repeat(5000),
    '1 2 3 '.repeat(500),
    '<p>a<td>b<li>c. d! <p>e</p>f</table>g',
  ])('speaks or lists every letter and digit and covers every sentence with tokens: %p', (content) => {
    const document = extractDocument({ content });
    const { sentences, leftOut } = buildSentences(document, getLanguage('en'));
    const kept = [...sentences.map(({ text }) => text), ...leftOut.map(({ text }) => text)].join('');
    const all = document.blocks.map(({ text }) => text).join('');
    expect([...kept.replace(/\s/g, '')].sort().join('')).toBe([...all.replace(/\s/g, '')].sort().join(''));
    for (const sentence of sentences) {
      let end = 0;
      for (const piece of sentence.tokens) {
        expect(piece.start).toBe(end);
        end = piece.end;
      }
      expect(end).toBe(sentence.text.length);
    }
  });

  test('splits a long sentence after clauses without loss', () => {
    const content = 'The cat sat on the old mat, and then, '.repeat(500).trim();
    const { sentences } = read(content);
    expect(sentences.length).toBeGreaterThan(5);
    expect(sentences.map(({ text }) => text).join('')).toBe(content);
    for (const [index, sentence] of sentences.entries()) {
      const isLast = index === sentences.length - 1;
      expect(sentence.text.length).toBeLessThanOrEqual(2_000);
      expect([sentence.continues, sentence.endsBlock]).toEqual([!isLast, isLast]);
      expect(content.slice(sentence.span.start, sentence.span.end).trim()).toBe(sentence.text.trim());
      expect(sentence.tokens[0]?.start).toBe(0);
      if (!isLast) expect(sentence.text.trimEnd()).toEndWith(',');
    }
  });

  test('splits text without clauses and spaces', () => {
    const { sentences } = read(`Before it. ${'a-'.repeat(25_000)} Behind it.`);
    expect(Math.max(...sentences.map(({ text }) => text.length))).toBeLessThanOrEqual(2_000);
    const letters = sentences.flatMap(({ tokens: pieces }) => pieces.map(({ spoken }) => spoken)).join('');
    expect(letters.match(/a/g)?.length).toBeGreaterThanOrEqual(25_000);
    expect(sentences[0]?.text).toStartWith('Before it.');
    expect(sentences.at(-1)?.text).toEndWith('Behind it.');
  });

  test('processes many short blocks in linear time', () => {
    const count = scale.characters / 5;
    expect(read('<li>a'.repeat(count)).sentences.length).toBe(count);
  }, 60_000);
});
