import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { defaultNarrationSettings } from '../../src/speech/narration-settings.ts';
import { countOwners } from './fixtures/owners.ts';

const folder = join(import.meta.dir, 'pages');
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.html'))
  .map((file) => file.slice(0, -'.html'.length));

/** Tags, comments and entities. */
const NOT_TEXT = /<!--[\s\S]*?-->|<\/?[a-z!][^>]*>|&#?\w+;?/gi;

function buildBlank(text: string): string {
  return ' '.repeat(text.length);
}

/** Compares the extraction of a page of a content system with its expected text, in the order of the page. */
test.each(names)('the page %s is extracted as expected', (name) => {
  const content = readFileSync(join(folder, `${name}.html`), 'utf8');
  const lines = readFileSync(join(folder, `${name}.tsv`), 'utf8')
    .trimEnd()
    .split('\n');
  const set = (member: string) => lines.find((line) => line.startsWith(`${member}\t`))?.split('\t')[1];
  const title = set('title');
  const article = title === undefined ? { content } : { title, content };
  const document = extractDocument(article, {
    ...defaultNarrationSettings,
    ...JSON.parse(set('reading') ?? '{}'),
  });
  const { blocks, leftOut } = document;
  const read = blocks.map(({ kind, text, field, sources }) => ({
    line: `read\t${kind}\t${text}`,
    place: field === 'title' ? -1 : (sources[0] ?? 0),
  }));
  const left = leftOut.map(({ reason, text, span }) => ({
    line: `left out\t${reason}\t${text}`,
    place: span.start,
  }));
  const found = [...read, ...left].sort((a, b) => a.place - b.place);
  const expected = lines.filter((line) => /^(?:read|left out)\t/.test(line));
  // What lies within a paragraph has its place in it, or before or behind it on the page.
  expect(found.map(({ line }) => line).sort()).toEqual([...expected].sort());
  expect(found.map(({ line }) => line).filter((line) => line.startsWith('read'))).toEqual(
    expected.filter((line) => line.startsWith('read')),
  );
  const owners = countOwners(document, content);
  const letters = [...content.replace(NOT_TEXT, buildBlank).matchAll(/[\p{L}\p{N}]/gu)];
  const astray = letters.filter(({ index }) => owners[index] !== 1);
  expect(astray.map(({ index }) => content.slice(index, index + 20))).toEqual([]);
});
