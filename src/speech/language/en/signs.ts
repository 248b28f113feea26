import { type Reader, reader } from './reader.ts';

const NAMES: Readonly<Record<string, string>> = {
  '&': ' and ',
  '+': ' plus ',
  '=': ' equals ',
  '@': ' at ',
  '%': ' percent',
};

/** Single signs, last of all readers that begin with a sign. */
export const signReaders: readonly Reader[] = [
  reader(/\s{0,40}[–—―](?:\s{0,40}[–—―]){0,40}\s{0,40}/, () => ', '),
  reader(/\s{1,200}/, () => ' '),
  reader(/([.,;:!?…])\1{0,40}/, ([run]) => run.slice(0, 3)),
  reader(/[&+=@%]/, ([sign]) => NAMES[sign]),
  reader(/-/, () => '-'),
];
