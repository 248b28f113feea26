import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser, stopClock } from '../fixtures/browser.ts';
import { eventually } from '../fixtures/eventually.ts';

const entry = join(import.meta.dir, '../../src/player/browser/read-along/read-along.ts');

let web: ReturnType<typeof Bun.serve>;
let browser: Browser;
/** HTML of the article page. */
let html = '';
/** Errors of pages, including violations of their Content-Security-Policy. */
const complaints: string[] = [];

beforeAll(async () => {
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', minify: true });
  const script = (await outputs[0]?.text()) ?? '';
  web = Bun.serve({
    port: 0,
    fetch: (request) =>
      new URL(request.url).pathname === '/read-along.js'
        ? new Response(script, { headers: { 'content-type': 'text/javascript' } })
        : new Response(html, {
            headers: {
              'content-type': 'text/html; charset=utf-8',
              'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'",
            },
          }),
  });
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await web?.stop(true);
});

afterEach(() => {
  expect(complaints.splice(0)).toEqual([]);
});

interface TimedWord {
  start: number;
  end: number;
}

interface Reading {
  show(index: number | undefined, word?: TimedWord): void;
  end(): void;
}

/** State of the scripts of the test page. */
interface ReadingWindow extends Window {
  readings: Reading[];
  picked: number[];
}

/** Opens an article page with one read-along per list of texts in its area. */
async function open(
  area: string,
  readings: readonly (readonly string[])[],
  options: BrowserContextOptions = {},
): Promise<Page> {
  html = `<!doctype html><html lang="en"><title>Article</title><body><main>${area}</main></body></html>`;
  const page = await browser.newPage({ viewport: { width: 800, height: 600 }, ...options });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(web.url.href);
  await startReading(page, readings);
  return page;
}

async function startReading(page: Page, readings: readonly (readonly string[])[]): Promise<void> {
  await page.evaluate(async (readings) => {
    const state = window as unknown as ReadingWindow;
    const { readAlong } = (await import(`${location.origin}/read-along.js`)) as {
      readAlong(segments: object[], area: Element, onPick: (index: number) => void): Reading;
    };
    const area = document.querySelector('main');
    if (area === null) throw new Error('no area');
    state.picked = [];
    state.readings = readings.map((texts, reading) => {
      const segments = texts.map((text, index) => ({
        ...{ index, start_ms: index * 1000, end_ms: index * 1000 + 1000, text },
        kind: 'paragraph',
      }));
      return readAlong(segments, area, (index) => state.picked.push(reading * 1000 + index));
    });
  }, readings);
}

function listMarks(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const marks = CSS.highlights.get('lectern-spoken') ?? [];
    return Array.from(marks as Iterable<Range>, (mark) => mark.toString());
  });
}

async function show(page: Page, index: number | null, reading = 0): Promise<string[]> {
  await page.evaluate(
    ([index, reading]) => {
      const state = window as unknown as ReadingWindow;
      state.readings[reading ?? 0]?.show(index ?? undefined);
    },
    [index, reading],
  );
  return listMarks(page);
}

/** @returns the highlighted word for each spoken part of the first passage */
async function listWordMarks(page: Page, text: string, parts: readonly string[]): Promise<(string | null)[]> {
  const marks: (string | null)[] = [];
  for (const part of parts) {
    const start = text.indexOf(part);
    const mark = await page.evaluate(
      (word) => {
        (window as unknown as ReadingWindow).readings[0]?.show(0, word);
        const [mark] = (CSS.highlights.get('lectern-word') ?? []) as Iterable<Range>;
        return mark?.toString() ?? null;
      },
      { start, end: start + part.length },
    );
    marks.push(mark);
  }
  return marks;
}

async function openAndListMarks(area: string, texts: readonly string[]): Promise<(string | null)[]> {
  const page = await open(area, [texts]);
  const marks: (string | null)[] = [];
  for (const index of texts.keys()) marks.push((await show(page, index))[0] ?? null);
  await page.close();
  return marks;
}

const boats = 'The boats leave the harbor before dawn, when the water is calm.';
const fish = 'They come back at noon with herring and cod.';
const market = 'The market opens an hour later.';

describe('a sentence in the page', () => {
  test.each<[string, string, string[], (string | null)[]]>([
    ['as it is', `<p>${boats} ${fish}</p><p>${market}</p>`, [boats, fish, market], [boats, fish, market]],
    [
      'in other white space',
      '<p>\n  They come\u00a0back\tat\n\n noon with herring   and\u202fcod.</p>',
      [fish],
      ['They come\u00a0back\tat\n\n noon with herring   and\u202fcod.'],
    ],
    [
      'in other quotes, apostrophes and dashes',
      '<p>“It’s the sea’s turn,” she said – “not ours”.</p>',
      ['"It\'s the sea\'s turn," she said - "not ours".'],
      ['“It’s the sea’s turn,” she said – “not ours”.'],
    ],
    [
      'with soft hyphens, ligatures and in other letters',
      '<p>THE ﬁsh\u00ader\u00admen mend their nets at the Café.</p>',
      ['The fishermen mend their nets at the Cafe\u0301.'],
      ['THE ﬁsh\u00ader\u00admen mend their nets at the Café.'],
    ],
    [
      'across markup within it and within a word',
      '<p><span>T</span>hey <em>come <a href="/x">back</a></em> at no<b>on</b> with<br>herring and cod<b>.</b></p>',
      [fish],
      ['They come back at noon withherring and cod'],
    ],
    [
      'with numbers set otherwise',
      '<p>Some 12\u202f500 boats paid 3,5 % more in 2024.</p>',
      ['Some 12 500 boats paid 3.5% more in 2024.'],
      ['Some 12\u202f500 boats paid 3,5 % more in 2024.'],
    ],
    [
      'around what is not read out',
      `<p>${boats}</p><figure><img alt=""><figcaption>Herring, photographed at noon.</figcaption></figure>
       <aside><h2>Read more</h2><p>The best boats of the year, in 20 pictures.</p></aside><p>${fish}</p>
       <script type="application/json">"${market}"</script><div hidden>${market}</div><lectern-player>${market}</lectern-player><p>${market} Then all is quiet.</p>`,
      [boats, fish, market, 'Then all is quiet.'],
      [boats, fish, market, 'Then all is quiet.'],
    ],
    [
      'where it stands twice, in order',
      `<p>Who knows? ${boats}</p><p>Who knows? ${fish}</p><p>Who knows?</p>`,
      ['Who knows?', boats, 'Who knows?', fish, 'Who knows?'],
      ['Who knows?', boats, 'Who knows?', fish, 'Who knows?'],
    ],
    [
      'where others are missing, before, between and behind',
      `<p>${fish}</p>`,
      ['Harbor news of the day', boats, fish, market, 'This was read by a machine.'],
      [null, null, fish, null, null],
    ],
    [
      'where the text was edited a little',
      '<p>The boats usually leave the old harbor before dawn when the water is quite calm. They come back with herring and a little cod. The shop opens one hour later!</p>',
      [boats, fish, market],
      [
        'The boats usually leave the old harbor before dawn when the water is quite calm.',
        'They come back with herring and a little cod.',
        'The shop opens one hour later!',
      ],
    ],
    [
      'not where only a few of its words are',
      '<p>The market opens when it wants. Later we come back to the boats.</p>',
      [boats, fish],
      [null, null],
    ],
    [
      'where it is the same as in a list of other articles below',
      `<p>${boats}</p><p>${market}</p><ul><li>${boats}<li>${fish}</ul>`,
      [boats, market],
      [boats, market],
    ],
    ['not at all in another text', '<p>Nothing of it is here.</p>', [boats, fish], [null, null]],
    ['not in an empty page', '', [boats], [null]],
  ])('%s', async (_, area, texts, expected) => {
    expect(await openAndListMarks(area, texts)).toEqual(expected);
  });
});

test('read-along does not change the page, and works under a strict Content-Security-Policy', async () => {
  const page = await open(`<p>${boats} ${fish}</p>`, [[boats, fish]]);
  const before = await page.content();
  await show(page, 1);
  expect(await page.content()).toBe(before);
  await page.close();
});

test('the highlight follows the speech and ends with playback', async () => {
  const page = await open(`<p>${boats} ${fish}</p>`, [[boats, fish]]);
  expect(await show(page, 0)).toEqual([boats]);
  expect(await show(page, 1)).toEqual([fish]);
  expect(await show(page, null)).toEqual([]);
  await show(page, 0);
  await page.evaluate(() => (window as unknown as ReadingWindow).readings[0]?.end());
  expect(await listMarks(page)).toEqual([]);
  await page.close();
});

describe('a word in a sentence', () => {
  const text = 'On 12 March the well-known boats, all 1,250, left – “again”.';
  const parts = ['On', '12 March', 'the', 'well-known', 'boats', '1,250', 'left', 'again'];

  test.each<[string, string, (string | null)[]]>([
    ['as it is', `<p>${text} ${fish}</p>`, parts],
    [
      'across markup, in another white space',
      '<p>On 12\u00a0<b>March the</b> well-<i>kno</i>wn <a href="/x">boats</a>, all 1,250,\n left – “again”.</p>',
      ['On', '12\u00a0March', 'the', 'well-known', 'boats', '1,250', 'left', 'again'],
    ],
    ['not where the sentence was edited', `<p>${text.replace('well-known', 'old')}</p>`, parts.map(() => null)],
  ])('%s', async (_, area, expected) => {
    const page = await open(area, [[text]]);
    expect(await listWordMarks(page, text, parts)).toEqual(expected);
    expect(await listMarks(page)).toHaveLength(1);
    await page.close();
  });

  test('is not highlighted after its sentence ends', async () => {
    const page = await open(`<p>${text} ${fish}</p>`, [[text, fish]]);
    const count = () => page.evaluate(() => CSS.highlights.get('lectern-word')?.size);
    await listWordMarks(page, text, ['boats']);
    expect(await count()).toBe(1);
    await show(page, 1);
    expect(await count()).toBe(0);
    await listWordMarks(page, text, ['boats']);
    await page.evaluate(() => (window as unknown as ReadingWindow).readings[0]?.end());
    expect(await count()).toBe(0);
    await page.close();
  });
});

test('two players of a page highlight their own text', async () => {
  const page = await open(`<p>${boats} ${fish}</p>`, [[boats], [fish]]);
  await show(page, 0, 0);
  expect((await show(page, 0, 1)).sort()).toEqual([boats, fish].sort());
  expect(await show(page, null, 0)).toEqual([fish]);
  await page.close();
});

describe('a page changed by scripts', () => {
  test('has a highlight in replaced elements', async () => {
    const page = await open(`<p>${boats}</p><p>${fish}</p>`, [[boats, fish]]);
    await show(page, 0);
    await page.evaluate(() => {
      const main = document.querySelector('main');
      if (main !== null) main.innerHTML = `<h2>New</h2>${main.innerHTML}`;
    });
    expect(await show(page, 0)).toEqual([boats]);
    expect(await show(page, 1)).toEqual([fish]);
    await page.close();
  });

  test('has a highlight in elements that are added or unfolded later', async () => {
    const page = await open(`<p>${boats}</p><div hidden><p>${fish}</p></div>`, [[boats, fish, market]]);
    expect(await show(page, 1)).toEqual([]);
    await page.evaluate((market) => {
      document.querySelector('main div')?.removeAttribute('hidden');
      document.querySelector('main')?.append(market);
    }, market);
    expect(await show(page, 1)).toEqual([fish]);
    expect(await show(page, 2)).toEqual([market]);
    await page.close();
  });
});

describe('a click on the text', () => {
  const area = `<p>${boats} <b>They come back</b> at noon with <a href="#x">herring</a> and cod. <button>Share</button></p>
    <p id="wide">${market}</p>`;
  const texts = [boats, fish, market];

  test('plays from its sentence, if playback has started before', async () => {
    const page = await open(area, [texts]);
    await page.getByText('They come back').click();
    expect(await listPicksAfter(page, () => show(page, 0))).toEqual([]);
    expect(await listPicksAfter(page, () => page.getByText('They come back').click())).toEqual([1]);
    await page.close();
  });

  test('has no effect on a link or button, beside the text, with a modifier key or another mouse button', async () => {
    const page = await open(area, [texts]);
    await show(page, 0);
    const picked = await listPicksAfter(page, async () => {
      await page.getByText('herring').click();
      await page.getByText('Share').click();
      const box = await page.locator('#wide').boundingBox();
      if (box === null) throw new Error('not there');
      await page.mouse.click(box.x + box.width - 5, box.y + box.height / 2);
      await page.getByText('They come back').click({ modifiers: ['Control'] });
      await page.getByText('They come back').click({ button: 'right' });
    });
    expect(picked).toEqual([]);
    await page.close();
  });

  test('has no effect if it selects text', async () => {
    const page = await open(area, [texts]);
    await show(page, 0);
    const picked = await listPicksAfter(page, async () => {
      await page.getByText('They come back').dblclick();
      const box = await page.locator('p').first().boundingBox();
      if (box === null) throw new Error('not there');
      await page.mouse.move(box.x + 10, box.y + 10);
      await page.mouse.down();
      await page.mouse.move(box.x + 150, box.y + 10);
      await page.mouse.up();
    });
    expect(picked).toEqual([]);
    await page.close();
  });

  test('seeks in the player that has played last', async () => {
    const page = await open(area, [texts, texts]);
    await show(page, 0, 0);
    await show(page, 0, 1);
    expect(await listPicksAfter(page, () => page.getByText('They come back').click())).toEqual([1001]);
    await page.close();
  });

  /**
   * Returns the sentences selected by some clicks, after the time for a second click of a double click. The clock of the page
   * advances only then, so that both clicks of a double click are close even on a slow machine.
   */
  async function listPicksAfter(page: Page, act: () => Promise<unknown>): Promise<number[]> {
    await stopClock(page);
    await act();
    await page.clock.runFor(400);
    return page.evaluate(() => (window as unknown as ReadingWindow).picked.splice(0));
  }
});

describe('scrolling', () => {
  const lines = Array.from({ length: 60 }, (_, index) => `Line ${index + 1} is about the harbor.`);
  const area = lines.map((line) => `<p>${line}</p>`).join('');

  test('follows the highlight while the reader stays with it', async () => {
    const page = await open(area, [lines]);
    for (const index of lines.keys()) {
      await show(page, index);
      const isThere = async () => {
        await waitForScrollEnd(page);
        return isInView(page, `Line ${index + 1} `);
      };
      await eventually(isThere, `line ${index + 1} is in view`);
    }
    await page.close();
  });

  test('does not start out of view, stops when the reader scrolls away, and continues when the reader returns', async () => {
    const page = await open(area, [lines]);
    await show(page, 40);
    await show(page, 41);
    expect(await waitForScrollEnd(page)).toBe(0);
    await page.evaluate(() => scrollTo({ top: 1e6, behavior: 'instant' }));
    const bottom = await waitForScrollEnd(page);
    await show(page, 1);
    await show(page, 2);
    expect(await waitForScrollEnd(page)).toBe(bottom);
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    await show(page, 20);
    await eventually(async () => (await waitForScrollEnd(page)) > 0, 'the page scrolls again');
    await page.close();
  });

  test('is immediate if reduced motion is preferred', async () => {
    const page = await open(area, [lines], { reducedMotion: 'reduce' });
    await show(page, 0);
    await show(page, 30);
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(0);
    await page.close();
  });

  test('works within a scrolling element', async () => {
    const page = await open(area, [lines]);
    await page.evaluate(() => {
      const { style } = document.querySelector('main') ?? document.body;
      style.height = '300px';
      style.overflowY = 'auto';
    });
    await show(page, 0);
    await show(page, 30);
    await eventually(() => isInView(page, 'Line 31 '), 'line 31 is in view');
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.close();
  });

  /** @returns the scroll position when scrolling has ended */
  function waitForScrollEnd(page: Page): Promise<number> {
    return page.evaluate(async () => {
      let [before, still] = [Number.NaN, 0];
      while (still < 4) {
        await new Promise(requestAnimationFrame);
        still = scrollY === before ? still + 1 : 0;
        before = scrollY;
      }
      return scrollY;
    });
  }

  function isInView(page: Page, start: string): Promise<boolean> {
    return page.evaluate((start) => {
      const line = [...document.querySelectorAll('p')].find((p) => p.textContent.startsWith(start));
      const { top = -1, bottom = -1 } = line?.getBoundingClientRect() ?? {};
      const area = document.querySelector('main')?.getBoundingClientRect();
      const lowest = Math.min(innerHeight, area?.bottom ?? 0);
      return top >= 0 && bottom <= lowest;
    }, start);
  }
});

describe.each(['light', 'dark'] as const)('in a %s page', (colorScheme) => {
  test('highlighted text has enough contrast, and the colors that the page defines', async () => {
    const page = await open(`<p>${boats}</p>`, [[boats]], { colorScheme });
    await page.evaluate(() => {
      document.documentElement.style.colorScheme = 'light dark';
    });
    await listWordMarks(page, boats, ['boats']);
    for (const kind of ['spoken', 'word']) {
      const { background, text } = await getColors(page, kind);
      expect(computeContrast(background, text)).toBeGreaterThan(7);
    }
    await page.evaluate(() => {
      const { style } = document.documentElement;
      style.setProperty('--lectern-highlight', 'rgb(0, 80, 0)');
      style.setProperty('--lectern-highlight-text', 'rgb(255, 255, 255)');
    });
    expect(await getColors(page, 'spoken')).toEqual({ background: [0, 80, 0], text: [255, 255, 255] });
    await page.close();
  });

  async function getColors(page: Page, kind: string) {
    return page.evaluate((kind) => {
      const { backgroundColor, color } = getComputedStyle(
        document.querySelector('p') ?? document.body,
        `::highlight(lectern-${kind})`,
      );
      const parseColor = (colour: string) => (colour.match(/\d+/g) ?? []).slice(0, 3).map(Number);
      return { background: parseColor(backgroundColor), text: parseColor(color) };
    }, kind);
  }

  /** Contrast by WCAG. */
  function computeContrast(left: number[], right: number[]): number {
    const [low = 0, high = 0] = [computeLuminance(left), computeLuminance(right)].toSorted((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }

  function computeLuminance(colour: number[]): number {
    const [red = 0, green = 0, blue = 0] = colour.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
});

test('a browser without the highlight API shows no highlight; clicks on sentences still work', async () => {
  const page = await open(`<p>${boats} <b>They come back</b> at noon with herring and cod.</p>`, []);
  await page.evaluate(() => {
    Reflect.deleteProperty(window, 'Highlight');
  });
  await startReading(page, [[boats, fish]]);
  await page.evaluate(() => (window as unknown as ReadingWindow).readings[0]?.show(0));
  await page.getByText('They come back').click();
  await eventually(
    () => page.evaluate(() => (window as unknown as ReadingWindow).picked[0] === 1),
    'the sentence is picked',
  );
  await page.close();
});
