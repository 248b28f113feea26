import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertNotReplaceable, ensurePrivateFolder } from '../../src/build/native.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'folder-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('ensurePrivateFolder', () => {
  test('creates the folder and its parents for this user only', () => {
    const folder = ensurePrivateFolder(join(root, 'cache', 'lectern'));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, 'cache')).mode & 0o777).toBe(0o700);
    expect(ensurePrivateFolder(folder)).toBe(folder);
  });

  test('rejects a link to a folder', () => {
    mkdirSync(join(root, 'target'), { mode: 0o700 });
    symlinkSync(join(root, 'target'), join(root, 'link'));
    expect(() => ensurePrivateFolder(join(root, 'link'))).toThrow('not a folder');
  });

  test('rejects a folder that others can access', () => {
    mkdirSync(join(root, 'open'));
    chmodSync(join(root, 'open'), 0o755);
    expect(() => ensurePrivateFolder(join(root, 'open'))).toThrow('accessible to other users');
  });

  test('rejects a folder of another user', () => {
    const folder = join(root, 'foreign');
    mkdirSync(folder, { mode: 0o700 });
    // Only root can change the owner of a folder; other users test with the root folder.
    if (process.geteuid?.() === 0) chownSync(folder, 12345, 12345);
    const foreign = process.geteuid?.() === 0 ? folder : '/';
    expect(() => ensurePrivateFolder(foreign)).toThrow('owned by another user');
  });

  test('reports the system error if it cannot create the folder', () => {
    expect(() => ensurePrivateFolder('/proc/lectern')).toThrow('ENOENT');
  });
});

describe('assertNotReplaceable', () => {
  test('accepts a folder in a shared folder with the sticky bit, such as /tmp', () => {
    chmodSync(root, 0o1777);
    const folder = ensurePrivateFolder(join(root, 'mine'));
    expect(assertNotReplaceable(folder)).toBe(folder);
  });

  test('rejects a folder that another user could replace, at any depth', () => {
    chmodSync(root, 0o777);
    const folder = ensurePrivateFolder(join(root, 'a', 'mine'));
    expect(() => assertNotReplaceable(folder)).toThrow(`may rename files in ${root}`);
  });
});
