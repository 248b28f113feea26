import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listDocuments, projectFolder, read } from './vocabulary.ts';

const documents = listDocuments().map((path) => ({ path, text: read(path) }));

test('every link of a page has a target file and heading', () => {
  const broken = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^https?:/.test(link) && !isFound(path, link))
      .map((link) => `${path}: ${link}`),
  );
  expect(documents.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

test('every source file that a page names exists', () => {
  const missing = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:src\/)?[a-z-]+(?:\/[\w.-]+)+\.(?:ts|tsx|sh))`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !existsSync(join(projectFolder, name)) && !existsSync(join(projectFolder, 'src', name)))
      .map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

function isFound(path: string, link: string): boolean {
  const [file = '', heading] = link.split('#');
  const target = file === '' ? path : join(dirname(path), file);
  if (!existsSync(join(projectFolder, target))) return false;
  return heading === undefined || listHeadings(target).includes(heading);
}

/** @returns the headings of a page as GitHub writes them in links */
function listHeadings(path: string): string[] {
  return [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}
