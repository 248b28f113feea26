const lengthMax = 300;

/**
 * @param sentences with which a text begins
 * @returns as many of them as fit; of a first one that is too long its beginning; null where there is none
 */
export function excerptOf(sentences: readonly string[], most = lengthMax): string | null {
  const [first = '', ...further] = sentences.map(inOneLine).filter((sentence) => sentence !== '');
  if (first === '') return null;
  if (lengthOf(first) > most) return `${beginningOf(first, most)}…`;
  let excerpt = first;
  for (const sentence of further) {
    if (lengthOf(excerpt) + lengthOf(sentence) >= most) break;
    excerpt += ` ${sentence}`;
  }
  return excerpt;
}

/** Whole words, where there are any. */
function beginningOf(text: string, most: number): string {
  const cut = [...text].slice(0, most - 1).join('');
  return cut.replace(/(\S)\s+\S*$/, '$1');
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** @returns text without breaks and characters that say nothing */
export function inOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}
