import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const groupAndOthers = 0o077;
const groupOrOthersMayWrite = 0o022;
const sticky = 0o1000;

/**
 * Makes sure that a folder exists which nobody but this user can look into or put anything into.
 * Throws an Error that says why it cannot be had.
 * @returns the folder
 */
export function openPrivateFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const status = lstatSync(folder);
  // mkdir is content with a link to a folder; whoever made the link chooses what it leads to.
  if (!status.isDirectory()) throw new Error('it is not a folder');
  if (!isOwn(status.uid)) throw new Error('it belongs to another user');
  if ((status.mode & groupAndOthers) !== 0) throw new Error('other users have access to it');
  return folder;
}

/**
 * Throws an Error if another user could put something else in the place of a folder between its check and its use,
 * as in a shared folder without the sticky bit.
 * @returns the folder
 */
export function refuseReplaceable(folder: string): string {
  let child = realpathSync(folder);
  for (let parent = dirname(child); parent !== child; parent = dirname(child)) {
    const { uid, mode } = statSync(parent);
    const isShared = (mode & groupOrOthersMayWrite) !== 0 && (mode & sticky) === 0;
    if (isShared) throw new Error(`other users may rename what is in ${parent}`);
    if (uid !== 0 && !isOwn(uid)) throw new Error(`${parent} belongs to another user`);
    child = parent;
  }
  return folder;
}

function isOwn(uid: number): boolean {
  return uid === process.geteuid?.();
}
