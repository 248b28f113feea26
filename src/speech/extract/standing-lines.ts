import type { Block, LeftOutReason } from './block.ts';
import german from './standing-lines/de.txt' with { type: 'text' };
import english from './standing-lines/en.txt' with { type: 'text' };
import spanish from './standing-lines/es.txt' with { type: 'text' };
import french from './standing-lines/fr.txt' with { type: 'text' };
import italian from './standing-lines/it.txt' with { type: 'text' };
import dutch from './standing-lines/nl.txt' with { type: 'text' };
import polish from './standing-lines/pl.txt' with { type: 'text' };
import portuguese from './standing-lines/pt.txt' with { type: 'text' };

/** In the order in which they are tried. */
const REASONS = [
  'advertisement',
  'sign-up box',
  'share bar',
  'reader comments',
  'caption',
  'page furniture',
] as const satisfies LeftOutReason[];
const MAX_LINE_UNITS = 300;
const MAX_LINE_WORDS = 40;
const EDGES = /^[^\p{L}\p{N}©@¿]+|[^\p{L}\p{N})©]+$/gu;
const NETWORK =
  '(?:facebook|twitter|x|instagram|linkedin|whatsapp|youtube|tiktok|pinterest|reddit|telegram|bluesky|mastodon|threads|tumblr|flipboard|google(?: news| discover| actualités| noticias)?|xing|messenger|e-?mail|mail)';

const tables = [english, german, french, spanish, italian, dutch, polish, portuguese].map(parseTable);
const compiled = REASONS.map((reason) => ({
  reason,
  pattern: new RegExp(`^(?:${tables.flatMap((table) => table.get(reason) ?? []).join('|')})\\)?$`, 'u'),
}));

/** "Never miss a story. Get our newsletter!": a sentence begins as a call to readers, and the line names what it calls for. */
const calls = tables.map((table) => {
  const verbs = table.get('first words of a call to readers') ?? [];
  const objects = table.get('what it calls for') ?? [];
  return new RegExp(
    `(?:^|[.!?:–—] )(?:please |and )?(?:${verbs.join('|')})(?!\\p{L}).{0,200}(?<![\\p{L}@])(?:${objects.join('|')})(?!\\p{L})`,
    'u',
  );
});

/** "Jo Roe is a freelance writer based in Port City." */
const AUTHOR = new RegExp(
  `^(?:about the author: )?(?:[\\p{L}.'’-]+ ){1,4}(?:\\(\\S+\\) )?(?:${tables.flatMap((table) => table.get('what an author is') ?? []).join('|')})(?!\\p{L})`,
  'u',
);

/**
 * A table has the lines that content systems put between the paragraphs of an article, below a heading with the reason. Each is a
 * regular expression for a whole line of an article in lower case, without punctuation around it: `…` stands for up to four
 * words, `……` for anything, `@network` for the name of a social network.
 */
function parseTable(table: string): Map<string, string[]> {
  const patterns = new Map<string, string[]>();
  for (const part of table.split(/^# /m).slice(1)) {
    const [reason = '', ...lines] = part.trim().split('\n');
    patterns.set(reason, lines.map(toPattern));
  }
  return patterns;
}

function toPattern(line: string): string {
  return (
    line
      // Elements may part a label from its text without a space.
      .replaceAll(': ……', ': ?……')
      .replaceAll(':)(?: ……)?', ':)(?: ?……)?')
      .replaceAll('……', '.{0,200}')
      .replaceAll('…', '(?:\\S+(?: \\S+){0,3})')
      .replaceAll('@network', NETWORK)
  );
}

const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*$/u;
/** A quotation, as in "“Please donate now.”", is text of the article. */
const QUOTATION = /^["“„«‚‘].*["”“»’]$/s;
const ADDRESS = /https?:\/\/\S/i;
const ADDRESSES = /https?:\/\/\S+/gi;
const ADDRESS_NAMES = /^(?:\s{0,3}[\p{L} ]{1,20}:){0,9}\s*$/u;
const SPEECH_START = /^["“„«‚‘]/;
/** Short quotations, such as "Listen." and "“No comment”", are text of the article. */
const SPEECH = /^["“„«‚‘]|[.!?…]["”’»)]*$/;
const MAX_LABEL_WORDS = 2;

/** @returns why a whole line is no text of the article; undefined if it is */
export function findStandingLine({ kind, text: line }: Pick<Block, 'kind' | 'text'>): LeftOutReason | undefined {
  if (line.length > MAX_LINE_UNITS) return undefined;
  if (QUOTATION.test(line)) return undefined;
  // "Listen: http://…": an address with its name.
  if (ADDRESS.test(line) && ADDRESS_NAMES.test(line.replace(ADDRESSES, ''))) return 'page furniture';
  const text = line.toLowerCase().replace(/[’‘]/g, "'").replace(EDGES, '');
  const wordCount = text.split(' ').length;
  if (wordCount > MAX_LINE_WORDS || (wordCount <= MAX_LABEL_WORDS && SPEECH.test(line))) return undefined;
  // A heading or an item of one word may be a topic of the article: "Comments".
  if (wordCount === 1 && kind !== 'paragraph') return undefined;
  const isSentence = SENTENCE_END.test(line);
  // A caption that ends as a sentence is kept.
  const mayBeCaption = !isSentence && kind !== 'heading';
  const known = compiled.find(({ reason, pattern }) => (reason !== 'caption' || mayBeCaption) && pattern.test(text));
  if (known !== undefined) return known.reason;
  return !SPEECH_START.test(line) && calls.some((call) => call.test(text)) ? 'sign-up box' : undefined;
}

/** Whether the last line of an article only says who its author is. */
export function isAboutAuthor(line: string): boolean {
  return line.length <= MAX_LINE_UNITS && AUTHOR.test(line.toLowerCase());
}

export function endsSentence(text: string): boolean {
  return SENTENCE_END.test(text.slice(-6));
}
