import { describe, expect, test } from 'bun:test';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { defaultNarrationSettings } from '../../src/speech/narration-settings.ts';

const first = 'The council met for three hours on Monday and could not agree on a single point of the plan.';
const second = 'The work on the harbor was to begin in the first week of May, and now it may not begin at all.';
const teaser = 'Fishermen along the coast wait for the fog to lift, as they have for the last nine days.';
const card = `<div class="card"><h3><a href="/a">Fog along the whole coast</a></h3><p>${teaser}</p></div>`;
const links = '<a href="/a">World news</a> <a href="/b">Sport of the day</a> <a href="/c">Weather</a>';

/** Without links, so that no rule for single lines excludes it. */
const menu = '<span>World news and weather</span> <span>Sport of the day in the county</span>';

function extractTexts(content: string, reading = {}): string[] {
  const settings = { ...defaultNarrationSettings, ...reading };
  return extractDocument({ content }, settings).blocks.map(({ text }) => text);
}

function createPage(body: string): string {
  return `<!doctype html><html><head><title>Bridge</title></head><body>${body}</body></html>`;
}

describe('extraction of a whole page', () => {
  const article = `<p>${first}</p><p>${second}</p>`;
  test.each([
    ['among menus', `<div>${menu}</div><div>${article}</div><div>${menu}</div>`],
    ['in a table', `<table><tr><td>${menu}</td><td>${article}</td></tr></table>`],
    ['that contains a list of links', `<div>${article}<ul><li>${links}</li><li>${links}</li></ul></div>`],
    ['with buttons', `<div><div>Full screen</div>${article}<div><span>1 of 24</span></div></div>`],
    ['above comments', `<div><div>${article}</div><div id="comments"><p>${teaser}</p></div></div>`],
    [
      'above comments in Spanish',
      `<div><div>${article}</div><div id="comentarios_lectores"><p>${teaser}</p></div></div>`,
    ],
    ['above a list of cards', `<div><div>${article}</div>${card.repeat(4)}</div>`],
    ['beside a sidebar', `<div><div>${article}</div><div class="sidebar-content"><p>${teaser}</p></div></div>`],
    [
      'in parts',
      `<div><div class="part"><p>${first}</p></div><div class="part"><p>${second}</p></div></div><div>${menu}</div>`,
    ],
    ['partly beside an element', `<div><div><p>${first}</p></div><p>${second}</p></div>`],
    ['in an element with a misleading class', `<div class="sidebar-right"><div>${article}</div></div>`],
    ['after many links', `<div id="page">${`<div>${menu}</div>`.repeat(20)}<div>${article}</div></div>`],
  ])('keeps only an article %s', (_name, body) => {
    expect(extractTexts(createPage(body))).toEqual([first, second]);
  });

  test('keeps the sentence between the main heading and the text', () => {
    const header = `<header><h1>Bridge</h1><div>${menu}</div><p>${teaser}</p></header>`;
    const texts = extractTexts(createPage(`${header}<div>${menu}</div><div>${article.repeat(6)}</div>`));
    expect(texts).toEqual([teaser, ...Array(6).fill([first, second])].flat());
  });

  test('keeps an article in an element named after its sidebar', () => {
    const page = `<div class="with-sidebar"><div>${article.repeat(3)}</div></div><div class="notice"><p>${teaser}</p></div>`;
    expect(extractTexts(createPage(page))).toContain(first);
  });

  test.each([
    [
      'with a cookie notice',
      `<div class="bar">${`<p>We use cookies. ${second}</p>`.repeat(12)}</div><div><p>${first}</p></div>`,
    ],
    ['of commentary', `<div class="commentary"><p>${first}</p></div><div><p>${teaser}</p><p>${second}</p></div>`],
    ['in a form', `<form><h1>Bridge</h1><p>${first}</p></form>`],
  ])('keeps a short article %s', (_name, body) => {
    expect(extractTexts(createPage(body))).toContain(first);
  });

  test('keeps an article about baking cookies', () => {
    const recipe = 'Take the cookies out of the oven after ten minutes, and let them cool down for as long again.';
    const body = `<div class="deck"><p>${teaser}</p></div><div><div>${menu}</div><p>${recipe}</p></div>`;
    expect(extractTexts(createPage(body))).toContain(recipe);
  });

  test('lists the rest as excluded', () => {
    const { leftOut } = extractDocument({
      content: createPage(`<div>${article}</div><div class="footer-box">Imprint of us</div>`),
    });
    expect(leftOut.map(({ reason, text }) => `${reason}: ${text}`)).toEqual([
      'page furniture: Bridge',
      'page furniture: Imprint of us',
    ]);
  });

  test('includes what the site keeps', () => {
    const body = `<div>${article}</div><div class="sidebar"><p class="facts">${teaser}</p></div>`;
    expect(extractTexts(createPage(body), { keep: ['.facts'] })).toEqual([first, second, teaser]);
  });

  test('recognizes Chinese sentences', () => {
    const chinese = '理事会星期一开会三个小时，未能就计划的任何一点达成一致。';
    expect(extractTexts(createPage(`<div>${menu}</div><div><p>${chinese}</p></div>`))).toEqual([chinese]);
  });

  test('keeps everything if there is no sentence', () => {
    expect(extractTexts(createPage('<div>Bridge reopens</div><div>Monday</div>'))).toEqual([
      'Bridge reopens',
      'Monday',
    ]);
  });
});

test('an HTML fragment is extracted completely', () => {
  expect(extractTexts(`<div><p>${first}</p></div><div><p>${second}</p></div><div>Bridge reopens</div>`)).toHaveLength(
    3,
  );
});
