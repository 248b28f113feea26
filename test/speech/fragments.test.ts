import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { scoreArticles } from '../score/articles.ts';

test('fragments from content management systems: only the article is spoken', () => {
  const outcomes = scoreArticles(join(import.meta.dir, 'corpus')).flatMap((score) => score.outcomes);
  expect(outcomes.length).toBeGreaterThanOrEqual(40);
  expect(outcomes.flatMap(({ miss }) => miss ?? [])).toEqual([]);
});
