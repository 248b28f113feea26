import type { Page } from 'playwright-core';
import { eventually } from '../fixtures/eventually.ts';

// States of a moment, such as a button during a short word, are recorded in the page itself, as a poll
// from outside could miss them.

/**
 * Call it before the action that makes the element appear.
 * @returns a function that waits until an element of the selector has existed, however briefly
 */
export async function noteElement(page: Page, selector: string): Promise<() => Promise<unknown>> {
  const handle = await page.evaluateHandle((selector) => {
    const state = { isSeen: false };
    const observer = new MutationObserver(() => {
      if (document.querySelector(selector) === null) return;
      state.isSeen = true;
      observer.disconnect();
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    return state;
  }, selector);
  return () => eventually(() => handle.evaluate(({ isSeen }) => isSeen), `${selector} is there`);
}

/**
 * Call it before playback.
 * @returns a function that returns the passages of the page that its players have highlighted so far
 */
export async function noteMarks(page: Page): Promise<() => Promise<readonly string[]>> {
  const handle = await page.evaluateHandle(() => {
    const records: string[] = [];
    // Its passage is highlighted by then.
    document.addEventListener('lectern-segment', () => {
      const marks = CSS.highlights.get('lectern-spoken') ?? [];
      for (const mark of marks as Iterable<Range>) records.push(mark.toString());
    });
    return records;
  });
  return () => handle.jsonValue();
}

/**
 * Call it before playback.
 * @returns a function that returns the words of the page that its players have highlighted so far
 */
export async function noteWords(page: Page): Promise<() => Promise<readonly string[]>> {
  const handle = await page.evaluateHandle(() => {
    const records: string[] = [];
    const { add } = Highlight.prototype;
    Highlight.prototype.add = function note(mark) {
      if (this === CSS.highlights.get('lectern-word')) records.push(mark.toString());
      return add.call(this, mark);
    };
    return records;
  });
  return () => handle.jsonValue();
}
