import { after, type Reader, reader } from '../reader.ts';
import { areSaid, spell } from './acronyms.ts';
import { cardinal, numberWords, spellDigits } from './cardinals.ts';
import { plural } from './ordinals.ts';
import { pairs } from './years.ts';

/** "3x a day", "10x faster" */
const TIMES_FOLLOWS = /^\s(?:an?|as|per|the|more|less|daily|weekly|[a-z]{3,10}er)(?!\p{L})/u;
const RUNS = /\d+['’]?s(?!\p{L})|\d+(?:\.\d+)?|\p{L}+|[-/]/gu;

/** Names that mix letters and digits: "A380", "F-16", "Covid-19", "H1N1". */
export const serialReaders: readonly Reader[] = [
  reader(
    /(?=\p{L}{1,14}-?\d)(?!\p{L}{1,14}-\d{2,4}s|(?:noon|midnight)-)[\p{L}\d]{1,20}(?:(?<=\d)\.\d{1,3})?(?:[-/](?=[\p{L}-]{0,10}\d|(?<=-)\p{L})[\p{L}\d]{1,12}){0,3}(?![\p{L}\p{N}])/u,
    ([written]) => (/\d/.test(written) ? sayRuns(written) : undefined),
  ),
];

/** Aircraft, plans and rows of numbers: "747-400", "401(k)", "4-4-2". */
export const modelReaders: readonly Reader[] = [
  // A book's number
  reader(/97[89](?:-\d{1,7}){3}-[\dX](?![\p{L}\p{N}])/u, ([written]) =>
    written
      .split('-')
      .map((group) => (group === 'X' ? 'X' : spellDigits(group)))
      .join(', '),
  ),
  reader(/401\(k\)(s?)/i, ([, s]) => `four oh one K${s ? "'s" : ''}`),
  // Paragraphs of the law: "501(c)(3)"
  reader(/(\d{1,5})((?:\([a-zA-Z\d]{1,3}\)){1,4})/, ([, number = '', parts = '']) =>
    [pairs(number), ...(parts.match(/[a-zA-Z\d]+/g) ?? []).map(sayRun)].join(' '),
  ),
  reader(
    /(7[0-9]7)-(\d{1,3})([A-Z]{1,3})?(s?)(?![\p{L}\p{N}])/u,
    ([, model = '', variant = '', letters, s]) =>
      `${pairs(model)} ${s ? plural(pairs(variant)) : pairs(variant)}${letters ? ` ${spell(letters)}` : ''}`,
  ),
  reader(/(7[0-9]7)s(?!\p{L})/u, ([, model = '']) => `${pairs(model)}s`),
  reader(/(7[0-9]7)(?=\s(?:Max|Dreamliner|jets?|jumbo|airliners?|planes?)\b)/i, ([, model = '']) =>
    pairs(model),
  ),
  reader(/\d{1,4}(?:-\d{1,4}){2,6}(?![\p{L}\p{N}])/u, ([written]) =>
    written.split('-').map(cardinal).join(' '),
  ),
];

/** Other names that begin with a digit: "5G", "3D", "4x". */
export const digitSerialReaders: readonly Reader[] = [
  reader(
    /\d{1,6}(?:\.\d{1,6})?[xX](?![\p{L}\p{N}])/u,
    ([written], place) =>
      `${numberWords(written.slice(0, -1))} ${TIMES_FOLLOWS.test(after(place)) ? 'times' : 'X'}`,
  ),
  reader(/\d{1,4}x\d{1,4}(?![\p{L}\p{N}])/u, ([written]) =>
    written.split('x').map(cardinal).join(' by '),
  ),
  reader(
    /(?=\d{1,6}[\p{L}])[\p{L}\d]{2,16}(?:-[\p{L}\d]{1,12}){0,3}(?![\p{L}\p{N}])/u,
    ([written]) => sayRuns(written),
  ),
];

function sayRuns(written: string): string {
  // A code rather than the name of a model: "ab9453"
  const code = /^([a-z]{1,3})(\d{4,20})$/.exec(written);
  if (code) return `${code[1]} ${spellDigits(code[2] ?? '')}`;
  const runs = written.match(RUNS) ?? [];
  return runs
    .map((run) => (/[-/]/.test(run) ? ' ' : sayRun(run)))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function sayRun(run: string): string {
  if (/^\d+['’]?s$/.test(run)) return plural(pairs(run.replace(/\D/g, '')));
  if (run.includes('.')) return numberWords(run);
  if (/^\d/.test(run)) return pairs(run);
  if (areSaid(run)) return run.toLowerCase();
  return /^\p{Lu}{1,3}$/u.test(run) || run.length === 1 ? spell(run) : run;
}
