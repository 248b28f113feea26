/** @returns an article with unique sentences */
export function buildArticle(topic: string, sentenceCount = 3): string {
  return Array.from(
    { length: sentenceCount },
    (_, index) => `<p>Line ${index + 1} of ${topic} tells of rivers, bridges and the people there.</p>`,
  ).join('\n');
}

/** An article long enough to stop the workers during its synthesis: see `holdWorkersDuring`. */
export function buildLongArticle(topic: string): string {
  return buildArticle(topic, 40);
}
