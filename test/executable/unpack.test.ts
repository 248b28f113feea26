import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { EmbeddedFile } from '../../src/build/embedded.ts';
import { unpack } from '../../src/build/native.ts';

let root: string;
let files: [EmbeddedFile, EmbeddedFile];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'unpack-'));
  chmodSync(root, 0o700);
  mkdirSync(join(root, 'native'), { mode: 0o700 });
  files = [embed('addon.node', 'the addon'), embed('library.so', 'x'.repeat(3_000_000))];
});
afterEach(() => rmSync(root, { recursive: true }));

describe('unpack', () => {
  test('writes the files side by side and returns the path of the first', () => {
    const path = unpack(files, join(root, 'native'));
    expect(basename(path)).toBe('addon.node');
    expect(readFileSync(path, 'utf8')).toBe('the addon');
    expect(readdirSync(dirname(path)).sort()).toEqual(['addon.node', 'library.so']);
    expect(statSync(path).mode & 0o777).toBe(0o500);
  });

  test('does not write intact files again', () => {
    const before = statSync(unpack(files, join(root, 'native')));
    const after = statSync(unpack(files, join(root, 'native')));
    expect(after.ino).toBe(before.ino);
  });

  test('replaces a damaged file without changing the open one', () => {
    const path = unpack(files, join(root, 'native'));
    const { ino } = statSync(path);
    chmodSync(path, 0o700);
    writeFileSync(path, 'The addon');
    chmodSync(path, 0o500);
    expect(readFileSync(unpack(files, join(root, 'native')), 'utf8')).toBe('the addon');
    expect(statSync(path).ino).not.toBe(ino);
  });

  test('replaces a link, even to a file with the right content', () => {
    const path = unpack(files, join(root, 'native'));
    rmSync(path);
    symlinkSync(files[0].path, path);
    unpack(files, join(root, 'native'));
    expect(statSync(path).ino).not.toBe(statSync(files[0].path).ino);
  });

  test('replaces a link in place of its folder', () => {
    const folder = dirname(unpack(files, join(root, 'native')));
    rmSync(folder, { recursive: true });
    mkdirSync(join(root, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(root, 'elsewhere'), folder);
    unpack(files, join(root, 'native'));
    expect(readdirSync(join(root, 'elsewhere'))).toEqual([]);
  });

  test('rejects unexpected content and leaves no files', () => {
    const invalidInput = { ...files[0], sha256: '0'.repeat(64) };
    expect(() => unpack([invalidInput], join(root, 'native'))).toThrow('another SHA-256');
    const remaining = readdirSync(join(root, 'native'), { recursive: true, withFileTypes: true });
    expect(remaining.filter((entry) => entry.isFile())).toEqual([]);
  });

  test('removes only files that no version has used for a week', () => {
    const old = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
    for (const name of ['0123456789abcdef', 'not-ours', 'fedcba9876543210']) {
      mkdirSync(join(root, 'native', name));
    }
    utimesSync(join(root, 'native', '0123456789abcdef'), old, old);
    utimesSync(join(root, 'native', 'not-ours'), old, old);
    const folder = basename(dirname(unpack(files, join(root, 'native'))));
    const remaining = readdirSync(join(root, 'native')).sort();
    expect(remaining).toEqual([folder, 'fedcba9876543210', 'not-ours'].sort());
  });
});

function embed(name: string, content: string): EmbeddedFile {
  const path = join(root, `embedded-${name}`);
  writeFileSync(path, content);
  return { name, path, sha256: createHash('sha256').update(content).digest('hex') };
}
