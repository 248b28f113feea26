import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listShippedPackages, renderNotices } from '../../src/build/notices.ts';

const notices = readFileSync(join(import.meta.dir, '../../THIRD-PARTY-NOTICES.md'), 'utf8');

test.each(listShippedPackages())('the third-party notices contain %s', (name) => {
  expect(notices).toContain(`\n## ${name} `);
});

test.each([
  'Bun',
  'espeak-ng and piper-phonemize',
  'ONNX Runtime',
  'SQLite',
  'LAME',
  'The built-in voices',
  'LGPL-2.0',
])('the third-party notices have a section on %s', (section) => {
  expect(notices).toContain(`## ${section}\n`);
});

test('the third-party notices are those of the installed versions', () => {
  expect(notices === renderNotices() ? 'current' : 'run bun src/build/notices.ts').toBe('current');
});
