/** @returns an article whose every sentence is found nowhere else */
export function buildArticle(topic: string, sentenceCount = 3): string {
  return Array.from(
    { length: sentenceCount },
    (_, index) => `<p>Line ${index + 1} of ${topic} tells of rivers, bridges and the people there.</p>`,
  ).join('\n');
}

/** An article that keeps the workers busy until a test has done what it wants meanwhile. */
export function buildLongArticle(topic: string): string {
  return buildArticle(topic, 1_500);
}
