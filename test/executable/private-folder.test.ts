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
  test('makes the folder and those above it for this user alone', () => {
    const folder = ensurePrivateFolder(join(root, 'cache', 'lectern'));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, 'cache')).mode & 0o777).toBe(0o700);
    expect(ensurePrivateFolder(folder)).toBe(folder);
  });

  test('refuses a link to a folder', () => {
    mkdirSync(join(root, 'target'), { mode: 0o700 });
    symlinkSync(join(root, 'target'), join(root, 'link'));
    expect(() => ensurePrivateFolder(join(root, 'link'))).toThrow('not a folder');
  });

  test('refuses a folder that others have access to', () => {
    mkdirSync(join(root, 'open'));
    chmodSync(join(root, 'open'), 0o755);
    expect(() => ensurePrivateFolder(join(root, 'open'))).toThrow('accessible to other users');
  });

  test('refuses a folder of another user', () => {
    const folder = join(root, 'foreign');
    mkdirSync(folder, { mode: 0o700 });
    // Only root can give a folder away; for everyone else the folder above all others is foreign.
    if (process.geteuid?.() === 0) chownSync(folder, 12345, 12345);
    const foreign = process.geteuid?.() === 0 ? folder : '/';
    expect(() => ensurePrivateFolder(foreign)).toThrow('owned by another user');
  });

  test('says what the system said when it cannot make the folder', () => {
    expect(() => ensurePrivateFolder('/proc/lectern')).toThrow('ENOENT');
  });
});

describe('assertNotReplaceable', () => {
  test('accepts a folder in a shared folder with the sticky bit, such as /tmp', () => {
    chmodSync(root, 0o1777);
    const folder = ensurePrivateFolder(join(root, 'mine'));
    expect(assertNotReplaceable(folder)).toBe(folder);
  });

  test('refuses a folder that another user could exchange, however deep', () => {
    chmodSync(root, 0o777);
    const folder = ensurePrivateFolder(join(root, 'a', 'mine'));
    expect(() => assertNotReplaceable(folder)).toThrow(`may rename files in ${root}`);
  });
});
