import { describe, expect, test } from 'bun:test';
import type { ArticleDocument, Block, LeftOut } from '../../src/speech/extract/block.ts';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { defaultNarrationSettings } from '../../src/speech/narration-settings.ts';
import { scale } from '../fixtures/scale.ts';

function extractBlocks(content: string, title?: string): [string, string][] {
  const document = extractDocument(title === undefined ? { content } : { title, content });
  return document.blocks.map((block) => [block.kind, block.text]);
}

function listExcluded(content: string, title?: string): [string, string][] {
  const document = extractDocument(title === undefined ? { content } : { title, content });
  return document.leftOut.map((part) => [part.reason, part.text]);
}

function expectSourcesInOrder(block: Block, fieldLength: number): void {
  expect(block.sources.length).toBe(block.text.length + 1);
  let falls = 0;
  for (let index = 1; index < block.sources.length; index++) {
    if ((block.sources[index] ?? 0) < (block.sources[index - 1] ?? 0)) falls++;
  }
  expect(falls).toBe(0);
  expect(block.sources.at(-1) ?? 0).toBeLessThanOrEqual(fieldLength);
}

/** Every letter and digit of a plain source is in exactly one block or excluded part. */
function expectEachCharacterOnce(document: ArticleDocument, content: string): void {
  const owners = new Uint8Array(content.length);
  for (const block of document.blocks) {
    let last = -1;
    for (let index = 0; index < block.text.length; index++) {
      const offset = block.sources[index] ?? 0;
      if (offset !== last && block.text.charAt(index) === content.charAt(offset))
        owners[offset] = (owners[offset] ?? 0) + 1;
      last = offset;
    }
  }
  for (const { span } of document.leftOut) {
    for (let offset = span.start; offset < span.end; offset++) owners[offset] = (owners[offset] ?? 0) + 1;
  }
  const astray: string[] = [];
  for (const { index } of content.matchAll(/[\p{L}\p{N}]/gu)) {
    if (owners[index] !== 1) astray.push(`${content.slice(index, index + 10)} in ${owners[index]}`);
  }
  expect(astray).toEqual([]);
}

describe('extractDocument, blocks', () => {
  test('puts the title first', () => {
    expect(extractBlocks('<p>Text.</p>', 'The title')).toEqual([
      ['title', 'The title'],
      ['paragraph', 'Text.'],
    ]);
  });

  test('decodes a title that a content system escaped', () => {
    expect(extractBlocks('Text', 'Tom &amp; Jerry&#8217;s <em>day</em>')[0]).toEqual(['title', 'Tom & Jerry’s day']);
  });

  test('detects headings, quotes, lists and paragraphs', () => {
    const html =
      '<h2>Head</h2><p>One <q>two</q>.</p><blockquote><p>Said.</p></blockquote><ul><li>A<li>B</ul><dl><dt>T<dd>D</dl>';
    expect(extractBlocks(html)).toEqual([
      ['heading', 'Head'],
      ['paragraph', 'One two.'],
      ['quote', 'Said.'],
      ['list', 'A'],
      ['list', 'B'],
      ['list', 'T'],
      ['list', 'D'],
    ]);
  });

  test('turns a table row into a block with the column name before each cell', () => {
    const html =
      '<table>\n<tr><th>City</th> <th>People</th></tr>\n<tr><td>Rome</td><td></td><td>Two</td><td></td></tr></table>';
    expect(extractBlocks(html)).toEqual([['list', 'City: Rome, Two']]);
  });

  test('treats one line break as a space and two as a paragraph', () => {
    expect(extractBlocks('<div>One<br>two<br/> <br>three</div>').map(([, text]) => text)).toEqual(['One two', 'three']);
  });

  test('joins words across inline tags and separates them across blocks', () => {
    expect(extractBlocks('<div>wo<b>r</b>d<div>next</div>last</div>').map(([, text]) => text)).toEqual([
      'word',
      'next',
      'last',
    ]);
  });

  test('separates paragraphs by blank lines in HTML without paragraphs', () => {
    expect(extractBlocks('One <b>bold</b>\n\ntwo\nthree').map(([, text]) => text)).toEqual(['One bold', 'two three']);
  });

  test('keeps the heading of an article in its header', () => {
    const html = '<article><header><h1>Head</h1><p>By Ann</p></header><p>Text</p></article>';
    expect(extractBlocks(html).map(([, text]) => text)).toEqual(['Head', 'By Ann', 'Text']);
  });

  test('ends an unclosed heading at the next paragraph', () => {
    expect(extractBlocks('<h2>Head<p>Text')).toEqual([
      ['heading', 'Head'],
      ['paragraph', 'Text'],
    ]);
  });

  test('extracts inline code and superscript ordinals', () => {
    expect(extractBlocks('<p>Use <code>let</code> on the 1<sup>st</sup></p>')).toEqual([
      ['paragraph', 'Use let on the 1st'],
    ]);
  });

  test('extracts a page that is wrapped in a form', () => {
    expect(extractBlocks('<form><main><p>Text</p></main></form>')).toEqual([['paragraph', 'Text']]);
  });
});

describe('extractDocument, plain text', () => {
  test('turns every line into a paragraph', () => {
    expect(extractBlocks('One.\nTwo.\r\n\r\nThree.\u2028Four.').map(([, text]) => text)).toEqual([
      'One.',
      'Two.',
      'Three.',
      'Four.',
    ]);
  });

  test('joins wrapped lines', () => {
    const text = 'This line was wrapped by an editor at the edge of its page, and\ngoes on here.\nNew one.';
    expect(extractBlocks(text).map(([, block]) => block)).toEqual([
      'This line was wrapped by an editor at the edge of its page, and goes on here.',
      'New one.',
    ]);
  });

  test('detects bulleted and numbered lists and speaks the numbers', () => {
    expect(extractBlocks('- One\n• Two\n3. Three')).toEqual([
      ['list', 'One'],
      ['list', 'Two'],
      ['list', '3. Three'],
    ]);
  });

  test.each(['if a < b and b > c', 'a <b', '5 <6', 'AT&T & R&D', '<3 you', 'write to <ann@example.com> now'])(
    'does not take %p for markup',
    (text) => {
      expect(extractBlocks(text)).toEqual([['paragraph', text]]);
    },
  );
});

describe('extractDocument, languages', () => {
  function listLanguages(content: string): [string, string][] {
    return extractDocument({ content }).blocks.flatMap(({ text, languages }) =>
      languages.map(({ start, end, language }): [string, string] => [language, text.slice(start, end)]),
    );
  }

  test.each<[string, string, [string, string][]]>([
    ['no attribute', '<p>One two.</p>', []],
    ['a passage', '<p>He said <i lang="fr">c’est la vie</i>.</p>', [['fr', 'c’est la vie']]],
    ['a whole block', '<p lang="de-AT">Guten Tag.</p><p>Hello.</p>', [['de', 'Guten Tag.']]],
    [
      'an ancestor',
      '<div lang="ES"><p>Uno.</p><p>Dos.</p></div>',
      [
        ['es', 'Uno.'],
        ['es', 'Dos.'],
      ],
    ],
    [
      'nesting',
      '<p lang="de">Ja <q lang="fr">oui</q> ja</p>',
      [
        ['de', 'Ja'],
        ['fr', 'oui'],
        ['de', 'ja'],
      ],
    ],
    [
      'an end by an empty value',
      '<p lang="de">Ja <q lang="">yes</q> ja</p>',
      [
        ['de', 'Ja'],
        ['de', 'ja'],
      ],
    ],
    ['xml:lang', '<p>A <i xml:lang="it">ciao</i></p>', [['it', 'ciao']]],
    ['lang before xml:lang', '<p>A <i xml:lang="it" lang="pt">olá</i></p>', [['pt', 'olá']]],
    ['inline tags inside', '<p>A <i lang="fr">mot <b>à</b> m&ocirc;t</i> b</p>', [['fr', 'mot à môt']]],
    ['one language twice in a row', '<p><i lang="fr">un</i> <i lang="fr">deux</i></p>', [['fr', 'un deux']]],
    ['what is no language', '<p>A <i lang="x-klingon">nuq</i> <i lang="??">b</i></p>', []],
    ['a missing end tag', '<p>A <i lang="fr">un</p><p>b</p>', [['fr', 'un']]],
  ])('are taken from %s', (_name, html, expected) => {
    expect(listLanguages(html)).toEqual(expected);
  });
});

describe('extractDocument, superscript numbers', () => {
  test('in brackets are footnote marks, also without a link', () => {
    const { blocks, leftOut } = extractDocument({ content: '<p>It ended<sup>[2]</sup> well.</p>' });
    expect(blocks.map(({ text }) => text)).toEqual(['It ended well.']);
    expect(leftOut).toMatchObject([{ reason: 'footnote', text: '[2]' }]);
  });

  test.each([
    ['The report<sup>3</sup> came.', 'The report came.'],
    ['It began in 1998.<sup>12</sup>', 'It began in 1998.'],
    ['Forty meters<sup>2</sup> of it.', 'Forty meters2 of it.'],
    ['The 5<sup>th</sup> of 50 m<sup>2</sup>.', 'The 5th of 50 m².'],
    ['He said “no”<sup>4</sup> twice.', 'He said “no” twice.'],
    ['Some 30%<sup>4</sup> (22 of 44)<sup>5</sup> left.', 'Some 30% (22 of 44) left.'],
    ['The (2 cm)<sup>2</sup> and (log n)<sup>2</sup>.', 'The (2 cm)2 and (log n)2.'],
  ])('are footnote marks after a word or a year, not after a unit: %s', (content, text) => {
    expect(extractDocument({ content: `<p>${content}</p>` }).blocks[0]?.text).toBe(text);
  });

  test.each([
    ['10<sup>6</sup>', '10⁶'],
    ['10<sup>-12</sup>', '10⁻¹²'],
    ['10<sup>&minus;12</sup>', '10⁻¹²'],
    ['1<sup>1</sup>/<sub>2</sub>', '1 1/2'],
    ['mit<sup>2</sup>', 'mit2'],
    ['17<sup>th</sup>', '17th'],
    ['3 <sup>2</sup>', '3 2'],
  ])('%s does not extend the number before it', (written, text) => {
    const [block] = extractDocument({ content: `<p>About ${written} of it.</p>` }).blocks;
    expect(block?.text).toBe(`About ${text} of it.`);
  });
});

describe('extractDocument, hidden text', () => {
  test.each([
    '<span aria-hidden="true">T</span><span class="sr-only">T</span>alks resumed.',
    '<span class="sr-only">T</span><span aria-hidden="true">T</span>alks resumed.',
    '<span class="sr-only">Talks</span> <span aria-hidden="true"><span class="cap">T</span>alks</span> resumed.',
    '<span aria-hidden="true" class="dropcap">T</span>alks resumed.',
    'Talks <span hidden>began</span><span aria-hidden="true">A</span> resumed.',
    'Talks <span aria-hidden="true">f</span><span class="sr-only">Facebook</span> resumed.',
    'Talks <span aria-hidden="true">went on</span> and <span class="sr-only">went on</span> resumed.',
  ])('is read where it is a letter of a word, or repeats what is hidden directly before it: %s', (content) => {
    const [block] = extractDocument({ content: `<p>${content}</p>` }).blocks;
    expect(block?.text.replace(' and', '')).toBe('Talks resumed.');
  });

  test('hidden twice, for the eye and for screen readers, is read once', () => {
    const fare = '<span class="sr-only">two crowns</span><span aria-hidden="true"><b>two</b> crowns</span>';
    expect(extractBlocks(`<p>The fare is ${fare} now.</p>`)).toEqual([['paragraph', 'The fare is two crowns now.']]);
  });
});

describe('extractDocument, excluded text', () => {
  test.each([
    '<svg><title>gone</title><path d=""/></svg>',
    '<svg><desc><p>gone</p></desc></svg>',
    '<svg><foreignObject><div>gone</div></foreignObject></svg>',
  ])('an SVG does not end the sentence around it: %s', (drawing) => {
    const { blocks, leftOut } = extractDocument({ content: `<p>The icon ${drawing} is here.</p>` });
    expect(blocks.map(({ text }) => text)).toEqual(['The icon is here.']);
    expect(leftOut.map(({ text }) => text)).toEqual(['gone']);
  });

  test.each([
    ['script', '<script>gone</script>'],
    ['script', '<noscript>gone</noscript>'],
    ['style', '<style>gone</style>'],
    ['hidden', '<template>gone</template>'],
    ['navigation', '<nav>gone</nav>'],
    ['navigation', '<div role="navigation">gone</div>'],
    ['page furniture', '<footer>gone</footer>'],
    ['page furniture', '<aside>gone</aside>'],
    ['page furniture', '<header>gone</header>'],
    ['page furniture', '<head><title>gone</title></head>'],
    ['footnote', '<sup><a href="#n1">gone</a></sup>'],
    ['footnote', '<sup class="reference">gone</sup>'],
    ['hidden', '<p hidden>gone</p>'],
    ['hidden', '<span aria-hidden="true">gone</span>'],
    ['hidden', '<div style="color:red; display : none">gone</div>'],
    ['hidden', '<div style="VISIBILITY:hidden">gone</div>'],
    ['code', '<pre>gone</pre>'],
    ['caption', '<figure><img src="a"><figcaption>gone</figcaption></figure>'],
    ['form', '<form>gone</form>'],
    ['form', '<button>gone</button>'],
    ['form', '<select><option>gone</select>'],
    ['form', '<textarea>gone</textarea>'],
    ['embedded media', '<iframe>gone</iframe>'],
    ['embedded media', '<video>gone</video>'],
    ['embedded media', '<audio>gone</audio>'],
    ['embedded media', '<svg><text>gone</text></svg>'],
    ['embedded media', '<canvas>gone</canvas>'],
    ['embedded media', '<object>gone</object>'],
  ])('excludes with the reason %s: %s', (reason, html) => {
    const content = `<p>Before</p>${html}<p>After</p>`;
    expect(extractBlocks(content).map(([, text]) => text)).toEqual(['Before', 'After']);
    expect(listExcluded(content)).toEqual([[reason, 'gone']]);
    const [part] = extractDocument({ content }).leftOut;
    expect(content.slice(part?.span.start, part?.span.end)).toContain('gone');
  });

  test('lists media without text, but no empty scripts', () => {
    expect(listExcluded('<p>A</p><iframe src="x"></iframe><embed src="y"><script src="z"></script>')).toEqual([
      ['embedded media', ''],
      ['embedded media', ''],
    ]);
  });

  test('lists nested parts as one with the whole span', () => {
    const content = '<p>A</p><nav><ul><li>x<script>y</script></li></ul></nav><p>B</p>';
    const [part, ...more] = extractDocument({ content }).leftOut;
    expect(more).toEqual([]);
    expect(content.slice(part?.span.start, part?.span.end)).toBe('<nav><ul><li>x<script>y</script></li></ul></nav>');
  });

  test('returns at most 200 characters of excluded text', () => {
    const [part] = extractDocument({
      content: `<pre>${'code '.repeat(1000)}</pre><p>A</p>`,
    }).leftOut;
    expect(part?.text.length).toBe(200);
  });

  test('excludes headings that repeat the title at the top only', () => {
    const html = '<h1>Storm hits “coast”</h1><p>Text.</p><p>More.</p><h2>Storm hits coast</h2>';
    expect(extractBlocks(html, 'Storm Hits "Coast"')).toEqual([
      ['title', 'Storm Hits "Coast"'],
      ['paragraph', 'Text.'],
      ['paragraph', 'More.'],
      ['heading', 'Storm hits coast'],
    ]);
    expect(listExcluded(html, 'Storm Hits "Coast"')).toEqual([['repeats the title', 'Storm hits “coast”']]);
  });

  test('keeps a first heading without a title', () => {
    expect(extractBlocks('<h1>Head</h1><p>Text.</p>').length).toBe(2);
  });

  test.each(['😀 🎉', '***', '—', '• • •', '\uFFFD'])('lists a block without speakable text: %s', (text) => {
    expect(extractBlocks(`<p>A</p><p>${text}</p>`)).toEqual([['paragraph', 'A']]);
    expect(listExcluded(`<p>A</p><p>${text}</p>`)).toEqual([['no speakable text', text]]);
  });

  test('ignores an end tag of a closed element', () => {
    const html = '<section>A</section><div hidden>gone</section>still gone</div><p>B</p>';
    expect(extractBlocks(html).map(([, text]) => text)).toEqual(['A', 'B']);
  });

  test('ends a hidden paragraph at the next one', () => {
    expect(extractBlocks('<p>A<p hidden>gone<p>B').map(([, text]) => text)).toEqual(['A', 'B']);
  });

  test.each([
    ['<p>A</p><!-- lost words', 'hidden'],
    ['<p>A</p><script>lost words', 'script'],
    ['<p>A</p><a href="lost words', 'broken markup'],
    ['<p>A</p></p lost words', 'broken markup'],
  ])('lists text that broken markup hides: %s', (content, reason) => {
    expect(extractBlocks(content)).toEqual([['paragraph', 'A']]);
    const { leftOut } = extractDocument({ content });
    expect(leftOut.map((part) => part.reason as string)).toEqual([reason]);
    expect(leftOut[0]?.text).toContain('lost words');
    expect(leftOut[0]?.span.end).toBe(content.length);
  });
});

describe('extractDocument, hostile text', () => {
  test.each([
    ['soft hyphens', 'hy\u00adphen&shy;ated', 'hyphenated'],
    ['zero-width characters', 'wo\u200brd\u2060\ufeff\u200d\u200c', 'word'],
    ['bidi controls', 'a\u202eb\u2066c\u200fd', 'abcd'],
    ['control characters', 'a\u0000b\u0007c\u009fd', 'a b c d'],
    ['odd spaces', 'a\u00a0b\tc\u3000d\u2003\u2028e&nbsp;f', 'a b c d e f'],
    ['lone surrogates', 'a\ud800 b\udc00', 'a\ufffd b\ufffd'],
    ['surrogates by entity', 'a&#xD83D;', 'a\ufffd'],
    ['entities', 'a&lt;b&#x41;&amp;amp;&zzz;', 'a<bA&&zzz;'],
    ['right-to-left text', 'שלום עולם', 'שלום עולם'],
    ['joiners of Persian and emoji', 'می\u200cخواهم 👩\u200d🚀', 'می\u200cخواهم 👩\u200d🚀'],
    ['a bare bracket', 'a < b', 'a < b'],
  ])('cleans %s', (_name, dirty, clean) => {
    const content = `<p>${dirty}</p>`;
    const [block] = extractDocument({ content }).blocks;
    expect(block?.text).toBe(clean);
    if (block) expectSourcesInOrder(block, content.length);
  });

  test('maps every character to its source offset', () => {
    const content = '<p>A&amp;B  <b>c\u00add</b>&#128512;</p>';
    const [block] = extractDocument({ content }).blocks;
    expect(block?.text).toBe('A&B cd😀');
    const offsets = ['A', '&amp;', 'B', '  ', 'c\u00ad', 'd', '&#', '&#'].map((part) => content.indexOf(part, 3));
    expect([...(block?.sources ?? [])]).toEqual([...offsets, content.indexOf('</p>')]);
  });

  const pieces = [
    'word ',
    'two words',
    '<p>',
    '</p>',
    '<div>',
    '</div>',
    '<b>',
    '</b>',
    '<span hidden>',
    '</span>',
    '<li>',
    '</ul>',
    '<ul>',
    '<br>',
    '<nav>',
    '</nav>',
    '<table>',
    '<tr>',
    '<td>',
    '</td>',
    '</table>',
    '<h1>',
    '</h1>',
    '<button>',
    '</button>',
    '<blockquote>',
    '</blockquote>',
    '<form>',
    '</form>',
    '😀',
    '12 ',
    '\n\n',
    '<pre>',
    '</pre>',
    '<header>',
    '</header>',
  ];
  test.each(Array.from({ length: 200 }, (_, seed) => seed))(
    'keeps or lists every word of scrambled markup, seed %d',
    (seed) => {
      let state = seed * 2654435761 + 1;
      let content = '<p>';
      let visible = '';
      for (let count = 0; count < 60; count++) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        const piece = pieces[state % pieces.length] ?? '';
        content += piece;
        if (!piece.startsWith('<')) visible += piece;
      }
      const document = extractDocument({ content });
      // Left out spans include tags, so the visible text alone decides what must be found.
      const spans = document.leftOut.map(({ span }: LeftOut) => content.slice(span.start, span.end));
      const letters = (text: string) => text.replace(/<[^>]*>/g, '').replace(/[^\p{L}\p{N}]/gu, '').length;
      const found = [...document.blocks.map((block) => block.text), ...spans].reduce(
        (sum, text) => sum + letters(text),
        0,
      );
      expect(found).toBe(letters(visible));
      for (const block of document.blocks) expectSourcesInOrder(block, content.length);
    },
  );

  test('assigns every character to a block or an excluded part', () => {
    const content =
      '<h1>Head 1</h1><p>Some <b>words</b> here.</p><pre>x = 1</pre>loose text<nav>menu</nav><ul><li>a<li>b</ul>';
    const text = content.replace(/<[^>]*>/g, (tag) => '<'.repeat(tag.length));
    expectEachCharacterOnce(extractDocument({ content }), text.replace(/</g, ' '));
  });

  const length = scale.characters;
  test.each([
    ['no space', 'a'],
    ['no space, in markup', '<b>a</b>'],
    ['nested divs', '<div>'],
    ['nested divs with words', '<div>a'],
    ['unclosed inline tags', '<b>'],
    ['paragraphs', '<p><b>a'],
    ['stray end tags', '</i>'],
    ['open and stray end tags', '<b></i>'],
    ['forms', '<form>'],
    ['headers', '<header>'],
    ['closed forms', '<form></form>'],
    ['list items', '<li>a'],
    ['cells', '<td>a'],
    ['hidden paragraphs', '<p hidden>a'],
    ['brackets', '<'],
    ['ampersands', '&'],
    ['entities', '&amp;'],
    ['comments', '<!--'],
    ['open tags', '<a '],
    ['attributes', '<a b="'],
    ['line ends', '\n'],
    ['line ends in markup', '<i>\n \n'],
    ['joiners', '\u200d'],
    ['surrogates', '\ud800'],
    ['emoji', '😀'],
    ['controls', '\u0000'],
    ['bullets', '- '],
    ['notes', '<sup><a href="#">'],
    ['tables in tables', '<table><tr><td>a'],
    ['rows', '<tr><th>a</th><td>a</td></tr>'],
    ['wide cells', '<td colspan=9999 rowspan=9999>a'],
    ['doubtful boxes', '<div class="ad">a'],
    ['quotations', '<blockquote>a</blockquote>'],
    ['shortcodes', '[a b="c"]'],
    ['open brackets', '[a '],
  ])(
    'reads long runs of anything in linear time: %s',
    (_name, shape) => {
      const content = shape.repeat(Math.floor(length / shape.length));
      const document = extractDocument({ title: content, content });
      const isKept = document.blocks.every((block) => /^[a &<,:[-]*$/.test(block.text));
      const letters = document.blocks
        .filter((block) => block.field === 'content')
        .reduce((sum, block) => sum + block.text.split('a').length - 1, 0);
      const visible = (shape.replace(/<[^>]*>/g, '').split('a').length - 1) * Math.floor(length / shape.length);
      expect(isKept).toBe(true);
      if (document.leftOut.length === 0) expect(letters).toBe(visible);
      else expect(letters).toBe(0);
    },
    60_000,
  );

  test('extracts a word within deeply nested elements', () => {
    const depth = scale.characters / 5;
    const content = `${'<div>'.repeat(depth)}deep${'</div>'.repeat(depth)}<p>out</p>`;
    expect(extractBlocks(content).map(([, text]) => text)).toEqual(['deep', 'out']);
  }, 60_000);

  test('accepts empty fields', () => {
    expect(extractDocument({ content: '' })).toEqual({ blocks: [], leftOut: [] });
    expect(extractDocument({ title: '  ', content: ' \n ' })).toEqual({ blocks: [], leftOut: [] });
  });
});

describe('intro, outro and disclosure', () => {
  const article = { title: 'The title', content: '<p>Text.</p>' };

  test('surround the article, each with its own source field', () => {
    const reading = {
      ...defaultNarrationSettings,
      intro: 'Welcome.',
      outro: 'Goodbye.',
      disclosure: 'By Lectern.',
    };
    const { blocks } = extractDocument(article, reading);
    expect(blocks.map(({ field, kind, text }) => [field, kind, text])).toEqual([
      ['intro', 'paragraph', 'Welcome.'],
      ['title', 'title', 'The title'],
      ['content', 'paragraph', 'Text.'],
      ['outro', 'paragraph', 'Goodbye.'],
      ['disclosure', 'paragraph', 'By Lectern.'],
    ]);
  });

  test('alone are not spoken', () => {
    expect(extractDocument({ content: '***' }, { ...defaultNarrationSettings, intro: 'Welcome.' }).blocks).toEqual([]);
  });

  test('an excluded title has a reason', () => {
    const { blocks, leftOut } = extractDocument(article, {
      ...defaultNarrationSettings,
      speak_title: false,
    });
    expect(blocks.map(({ text }) => text)).toEqual(['Text.']);
    expect(leftOut).toEqual([
      {
        text: 'The title',
        reason: 'left out by the site',
        span: { field: 'title', start: 0, end: 9 },
      },
    ]);
  });
});
