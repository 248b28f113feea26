import type { Page } from 'playwright-core';
import { eventually } from '../fixtures/eventually.ts';

// What is to be seen for a moment only, like a button while a short word sounds, is noted by the page itself: whoever looks in
// from outside may come too late.

/**
 * To be called before what makes it appear.
 * @returns what waits until an element of the selector has been there, however shortly
 */
export async function noteElement(page: Page, selector: string): Promise<() => Promise<unknown>> {
  const noted = await page.evaluateHandle((selector) => {
    const noted = { isSeen: false };
    const observer = new MutationObserver(() => {
      if (document.querySelector(selector) === null) return;
      noted.isSeen = true;
      observer.disconnect();
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    return noted;
  }, selector);
  return () => eventually(() => noted.evaluate(({ isSeen }) => isSeen), `${selector} is there`);
}

/**
 * To be called before anything is played.
 * @returns what tells which passages of the page the players in it have marked as being spoken so far
 */
export async function noteMarks(page: Page): Promise<() => Promise<readonly string[]>> {
  const noted = await page.evaluateHandle(() => {
    const noted: string[] = [];
    // By then its passage is marked.
    document.addEventListener('lectern-segment', () => {
      const marks = CSS.highlights.get('lectern-spoken') ?? [];
      for (const mark of marks as Iterable<Range>) noted.push(mark.toString());
    });
    return noted;
  });
  return () => noted.jsonValue();
}

/**
 * To be called before anything is played.
 * @returns what tells which words of the page the players in it have marked as being spoken so far
 */
export async function noteWords(page: Page): Promise<() => Promise<readonly string[]>> {
  const noted = await page.evaluateHandle(() => {
    const noted: string[] = [];
    const { add } = Highlight.prototype;
    Highlight.prototype.add = function note(mark) {
      if (this === CSS.highlights.get('lectern-word')) noted.push(mark.toString());
      return add.call(this, mark);
    };
    return noted;
  });
  return () => noted.jsonValue();
}
