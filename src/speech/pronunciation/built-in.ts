import { readHeteronyms } from './en/heteronyms.ts';
import names from './en/names.tsv' with { type: 'text' };
import { createWordMatcher, type WordMatcher } from './word-matcher.ts';

/** A word with a pronunciation of its own: UTF-16 offsets, `end` exclusive. */
export interface RespelledWord {
  readonly start: number;
  readonly end: number;
  readonly respelling: string;
}

/** Finds words whose pronunciation a language brings along, in order; they do not overlap. */
export type FindRespelledWords = (text: string) => readonly RespelledWord[];

interface Name {
  readonly word: string;
  readonly matchCase: true;
  readonly respelling: string;
}

/** Letters that keep their stroke when their accents are removed. */
const plainLetters: Readonly<Record<string, string>> = {
  ł: 'l',
  Ł: 'L',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ı: 'i',
  ß: 'ss',
};
const noWords: FindRespelledWords = () => [];

/** Read at first use: most processes never speak. */
let findNames: WordMatcher<Name> | undefined;

/** @param language BCP 47 primary code */
export function getBuiltInPronunciations(language: string | undefined): FindRespelledWords {
  return language === 'en' ? findEnglishWords : noWords;
}

/** Names and loanwords, then heteronyms that are part of none. */
function findEnglishWords(text: string): RespelledWord[] {
  findNames ??= createWordMatcher(parseNames(names));
  const found = findNames(text).map(({ entry, start, end }) => ({ start, end, respelling: entry.respelling }));
  const isFree = ({ start, end }: RespelledWord) => !found.some((name) => name.start < end && start < name.end);
  const heteronyms = readHeteronyms(text).filter(isFree);
  return [...found, ...heteronyms].sort((one, other) => one.start - other.start);
}

/** A name is found without its accents, too, unless that is another entry. */
function parseNames(table: string): Name[] {
  const byWord = new Map<string, string>();
  const plain = new Map<string, string>();
  for (const line of table.split('\n')) {
    const [word = '', respelling = ''] = line.split('\t');
    if (respelling === '') continue;
    byWord.set(word, respelling);
    plain.set(removeAccents(word), respelling);
  }
  return [...new Map([...plain, ...byWord])].map(([word, respelling]) => ({ word, matchCase: true, respelling }));
}

function removeAccents(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[łŁøØđĐıß]/g, (letter) => plainLetters[letter] ?? letter);
}
