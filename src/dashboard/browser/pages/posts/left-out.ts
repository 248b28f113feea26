import type { LeftOutReason } from '../../../../speech/extract/block.ts';
import { formatCount } from '../../format.ts';
import type { Preview } from './posts-api.ts';

/** Names of left-out passages: one, and several if that is not with an s. */
const names: Readonly<Record<LeftOutReason, string | readonly [string, string]>> = {
  script: 'script',
  style: 'style sheet',
  navigation: 'navigation bar',
  hidden: 'hidden passage',
  code: 'code passage',
  formula: 'formula',
  'foreign script': [
    'passage in a script that the voice does not speak',
    'passages in scripts that the voice does not speak',
  ],
  caption: 'caption',
  form: 'form field',
  'embedded media': ['embedded media', 'embedded media'],
  'embedded post': 'embedded post',
  'page furniture': 'passage around the article',
  advertisement: 'advertisement',
  'share bar': 'share bar',
  'related articles': ['list of related articles', 'lists of related articles'],
  'sign-up box': ['sign-up box', 'sign-up boxes'],
  'reader comments': ['comment section', 'comment sections'],
  footnote: 'footnote',
  table: 'table',
  'struck out': 'struck-out passage',
  'ruby annotation': 'ruby annotation',
  shortcode: 'shortcode of the CMS',
  'broken markup': ['broken piece of HTML', 'broken pieces of HTML'],
  'repeats the title': ['repetition of the title', 'repetitions of the title'],
  'repeats the text': ['repetition of the text', 'repetitions of the text'],
  'left out by the site': 'passage that the settings leave out',
  'no speakable text': 'passage without letters',
};

/** @returns the name of a passage, and of several; reasons of a later release as they are */
function toForms(reason: string): readonly [one: string, several: string] {
  const known: Readonly<Record<string, string | readonly [string, string]>> = names;
  const name = known[reason] ?? reason;
  return typeof name === 'string' ? [name, `${name}s`] : name;
}

export function nameLeftOut(reason: string): string {
  return toForms(reason)[0];
}

/** @returns like `1 navigation bar, 2 captions`; empty for none */
export function countLeftOut(all: readonly { readonly reason: string }[]): string {
  const groups = [...Map.groupBy(all, ({ reason }) => reason)];
  return groups.map(([reason, { length }]) => formatCount(length, ...toForms(reason))).join(', ');
}

/** Why text that a page shows is left out. Other reasons leave out what nobody sees, or what is spoken already. */
const readable: ReadonlySet<string> = new Set<LeftOutReason>([
  ...(['navigation', 'hidden', 'caption', 'form', 'page furniture', 'advertisement', 'share bar', 'footnote'] as const),
  ...(['related articles', 'sign-up box', 'reader comments', 'table', 'struck out', 'left out by the site'] as const),
]);

/** @returns the content with a left-out element as a plain paragraph, which is read; undefined if that does not help */
export function readLeftOut(
  content: string,
  { reason, field, start, end }: Preview['left_out'][number],
): string | undefined {
  const element = content.slice(start, end);
  if (field !== 'content' || !readable.has(reason) || !/^<.*>$/s.test(element)) return undefined;
  const text = element
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const isInline = reason === 'struck out';
  return `${content.slice(0, start)}${isInline ? text : `<p>${text}</p>`}${content.slice(end)}`;
}
