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
const MAX_PROSE_UNITS = 600;
const EDGES = /^[^\p{L}\p{N}©@¿]+|[^\p{L}\p{N})©]+$/gu;
const NETWORK =
  '(?:facebook|twitter|x|instagram|linkedin|whatsapp|youtube|tiktok|pinterest|reddit|telegram|bluesky|mastodon|threads|tumblr|flipboard|google(?: news| discover| actualités| noticias)?|xing|messenger|e-?mail|mail)';
/** In credits. */
const ROLE =
  '(?:(?:additional|further|copy|photo|video|story|lead) )?(?:reporting|writing|(?:copy-?)?editing|photography|photos|illustrations?|graphics|visuals|design|development|production|research|fact-checking|translation|data analysis|art direction)';
export const AGENCY =
  '(?:afp|ap|dpa(?:-afx)?|efe|reuters|rtr|ansa|anp|pap|lusa|belga|apa|ats|(?:keystone-)?sda|kna|epd|sid|dw|tass|upi|europa press|agência brasil|adnkronos|agi|askanews|' +
  'lapresse|folhapress|(?:the )?(?:associated press|canadian press|press association)|pa media|pti|ians|xinhua|yonhap|kyodo|aap|notimex|colpisa|servimedia|télam|ritzau|ntb)';

const tables = [english, german, french, spanish, italian, dutch, polish, portuguese].map(parseTable);
const compiled = REASONS.map((reason) => ({
  reason,
  pattern: new RegExp(`^(?:${tables.flatMap((table) => table.get(reason) ?? []).join('|')})\\)?$`, 'u'),
}));

/** Labels that are text as a heading or an item, and as a sentence: "Read more." */
const LABEL = new RegExp(`^(?:${tables.flatMap((table) => table.get('label') ?? []).join('|')})$`, 'u');
const SINGLE_STOP = /(?<![.!])[.!]["”’»)]*$/;

const PROSE_PARTS = {
  publisher: 'the publisher',
  reader: 'the reader',
  call: 'first words of a call to readers',
  service: 'what it calls for',
  text: 'this text',
  publication: 'how it is published',
  report: 'words of a report',
  note: 'corrections and notes of editors',
} as const;
type ProsePart = keyof typeof PROSE_PARTS;
/** For each language. */
const proseTables = tables.map((table) => {
  const compile = ([part, heading]: [string, string]) => {
    const words = `(?:${(table.get(heading) ?? []).join('|')})(?![\\p{L}\\d])`;
    const start =
      part === 'call' ? '(?:^|[.!?:–—…>+*] ?[^\\p{L}\\d\\s]{0,3} ?)(?:and |please |und |et |y )?' : '(?<![\\p{L}\\d])';
    return [part, start + words];
  };
  const sources = Object.fromEntries(Object.entries(PROSE_PARTS).map(compile)) as Record<ProsePart, string>;
  // A call that names the service within a few words.
  const parts = Object.entries({ ...sources, callForService: `${sources.call}[^,;]{0,60}${sources.service}` });
  const patterns = Object.fromEntries(parts.map(([part, source]) => [part, new RegExp(source, 'u')])) as Record<
    ProsePart | 'callForService',
    RegExp
  >;
  return { ...patterns, commonWords: new Set(table.get('common words')?.join(' ').split(' ')) };
});

const NAME = /^(?:About the author: )?(?!(?:The|A|An|This|That|Some|Its?|His|Her) )(?:\p{Lu}[\p{L}.'’-]*\s?){1,4}/u;
/** "Jo Roe is a freelance writer based in Port City." */
const AUTHOR = new RegExp(
  `^(?:about the author: )?(?:[\\p{L}.'-]+ ){0,3}[\\p{L}.-]+(?: |(?='s? ))(?:\\(\\S+\\) )?(?:${tables.flatMap((table) => table.get('what an author is') ?? []).join('|')})(?!\\p{L})`,
  'u',
);

/**
 * A table has the lines that content systems put between the paragraphs of an article, below a heading with the reason. Each is a
 * regular expression for a whole line of an article in lower case, without punctuation around it: `…` stands for up to four
 * words, `……` for anything, `@network` and `@agency` for names, `@role` for work on an article.
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
      .replaceAll('@agency', AGENCY)
      .replaceAll('@role', ROLE)
  );
}

const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*$/u;
/** "The line opens on Monday. (dpa/abc)": agencies and initials, not the credit of a caption. */
const SIGN = '(?:[a-zäöü]{2,4}|AFP|AP|DPA|KNA|EPD|SID|APA|Reuters)';
const SIGN_OFF = new RegExp(`[.!?…]["'”’»“]? \\(${SIGN}(?:/${SIGN}){0,4}\\)$`, 'u');
/** A quotation, as in "“Please donate now.”", is text of the article. */
const QUOTATION = /^["“„«‚‘].*["”“»’]$/s;
const ADDRESS = /https?:\/\/\S/i;
const ADDRESSES = /https?:\/\/\S+/gi;
const ADDRESS_NAMES = /^(?:\s{0,3}[\p{L} ]{1,20}:){0,9}\s*$/u;
const SPEECH_START = /^["“„«‚‘]/;
/** Short quotations, such as "Listen." and "“No comment”", are text of the article. */
const SPEECH = /^["“„«‚‘]|[.!?…]["”’»)]*$/;
const MAX_LABEL_WORDS = 2;
/** "Listen to this article · 6 min" */
const DURATION =
  /[\s·•|,:(–—-]{1,5}\d{1,3}(?::\d\d)?(?: ?(?:min(?:ut\p{L}{1,4})?|sec|sek|s|m))?\.?\)?$|(?<=\p{Ll})\d{1,3} ?min(?:ut\p{L}{1,4})?$/u;

/** @returns why a whole line is no text of the article; undefined if it is */
export function findStandingLine({ kind, text: line }: Pick<Block, 'kind' | 'text'>): LeftOutReason | undefined {
  if (line.length > MAX_LINE_UNITS || QUOTATION.test(line)) return undefined;
  // "Listen: http://…": an address with its name.
  if (ADDRESS.test(line) && ADDRESS_NAMES.test(line.replace(ADDRESSES, ''))) return 'page furniture';
  const text = toPlain(line);
  const wordCount = text.split(' ').length;
  if (wordCount > MAX_LINE_WORDS) return undefined;
  if (kind === 'paragraph' && !SINGLE_STOP.test(line) && LABEL.test(text)) return 'page furniture';
  if (wordCount <= MAX_LABEL_WORDS && SPEECH.test(line)) return undefined;
  // A heading or an item of one word may be a topic of the article: "Comments".
  if (wordCount === 1 && kind !== 'paragraph') return undefined;
  const isSentence = SENTENCE_END.test(line) || SIGN_OFF.test(line);
  // A caption that ends as a sentence is kept.
  const mayBeCaption = !isSentence && kind !== 'heading';
  const label = text.replace(DURATION, '');
  const isLine = (pattern: RegExp) => pattern.test(text) || (label !== text && pattern.test(label));
  return compiled.find(({ reason, pattern }) => (reason !== 'caption' || mayBeCaption) && isLine(pattern))?.reason;
}

function toPlain(line: string): string {
  return line.replace(COUNTRY, '').toLowerCase().replace(/[’‘]/g, "'").replace(EDGES, '');
}

/**
 * Points for the prose of a publisher, and against it: a logistic regression over 15,000 blocks of articles and pages, rounded,
 * then adjusted with the fragments of the tests.
 */
const POINTS = {
  // Words
  call: 4,
  reader: 3,
  both: 1,
  publisher: 3,
  service: 4,
  callForService: 3,
  channel: 2,
  text: 3,
  publication: 8,
  secondPublication: 4,
  report: -4,
  // Form
  linked: 3,
  italic: 2,
  apart: 2,
  short: 1,
  long: -3,
  quotation: -2,
  everySentence: 2,
  plainSentence: -3,
  list: -7,
  question: 2,
  label: 2,
};
export const MIN_PROSE_POINTS = 13;
/** Points of a sentence that sounds like a publisher only together with others in its box. */
export const MIN_WEAK_POINTS = 6;
/** Without a word about a service, a publication or a way to reach somebody. */
const MAX_OTHER_POINTS = 7;
const MAX_SHORT_WORDS = 12;

/** How much a line sounds like a publisher that speaks of itself to its readers: "Our journalism is free. Please support it." */
export function scoreHouseProse(
  block: Pick<Block, 'kind' | 'text'>,
  isLinked: boolean,
  format: { readonly isItalic?: boolean; readonly isApart?: boolean; readonly isInBox?: boolean } = {},
): number {
  const scores = wordScores.getOrInsertComputed(block, () => scoreWords(block));
  let points = 0;
  if (block.kind === 'list' && !format.isInBox) points += POINTS.list;
  if (isLinked) points += POINTS.linked;
  if (format.isItalic) points += POINTS.italic;
  if (format.isApart) points += POINTS.apart;
  return Math.max(0, ...scores.map((score) => Math.min(score.points + points, score.maxPoints)));
}

/** Whether it corrects the article or is a note of its editors, which is read. */
export function isEditorsNote(line: string): boolean {
  const text = toPlain(line);
  return proseTables.some(({ note }) => note.test(text));
}

/** Whether it says "we" or "our". */
export function speaksOfUs(block: Pick<Block, 'kind' | 'text'>): boolean {
  return wordScores.getOrInsertComputed(block, () => scoreWords(block)).some(({ isOfUs }) => isOfUs);
}

interface WordScore {
  readonly isOfUs: boolean;
  readonly points: number;
  readonly maxPoints: number;
}

/** Several rules ask for the same line. */
const wordScores = new WeakMap<Pick<Block, 'kind' | 'text'>, readonly WordScore[]>();

/** @returns a score for each language with such words */
function scoreWords({ text: line }: Pick<Block, 'kind' | 'text'>): WordScore[] {
  if (line.length > MAX_PROSE_UNITS || SPEECH_START.test(line) || line.endsWith(':')) return [];
  const text = toPlain(line);
  const wordCount = text.split(' ').length;
  const hasChannel = CHANNEL.test(text);
  let shared = SENTENCE_END.test(line) ? 0 : POINTS.label;
  if (wordCount <= MAX_SHORT_WORDS) shared += POINTS.short;
  if (wordCount > MAX_LINE_WORDS) shared += POINTS.long;
  if (/["“”„«»]/.test(text)) shared += POINTS.quotation;
  if (text.includes('?')) shared += POINTS.question;
  const sentences = text.split(/(?<=[.!?…]) (?!\d)/);
  const words = text.split(/[^\p{L}]+/u);
  return proseTables.flatMap((table) => {
    // To save time: a longer line has common words of its language.
    if (wordCount > MAX_SHORT_WORDS && !words.some((word) => table.commonWords.has(word))) return [];
    const found = new Set<ProsePart>(HOUSE_PARTS.filter((part) => table[part].test(text)));
    if (found.size === 0 || table.note.test(text)) return [];
    let points = shared;
    for (const part of ['publisher', 'text', 'publication'] as const) if (found.has(part)) points += POINTS[part];
    if (table.report.test(text)) points += POINTS.report;
    if (found.has('call')) points += POINTS.call + (found.has('reader') ? POINTS.both : 0);
    else if (found.has('reader')) points += POINTS.reader;
    if (found.has('service')) points += POINTS.service + (table.callForService.test(text) ? POINTS.callForService : 0);
    else if (hasChannel) points += POINTS.channel;
    if (found.has('publication') && table.publication.test(text.replace(table.publication, '')))
      points += POINTS.secondPublication;
    const isOfHouse = (sentence: string) =>
      HOUSE_PARTS.some((part) => table[part].test(sentence)) || CHANNEL.test(sentence);
    const isAbout =
      hasChannel ||
      found.has('publication') ||
      (found.has('service') && found.size > 1) ||
      (found.has('text') && found.has('call') && found.has('reader'));
    const plainCount = sentences.length === 1 ? 0 : sentences.filter((sentence) => !isOfHouse(sentence)).length;
    points += plainCount === 0 ? POINTS.everySentence : plainCount * POINTS.plainSentence;
    return [
      { isOfUs: found.has('publisher'), points, maxPoints: isAbout ? Number.POSITIVE_INFINITY : MAX_OTHER_POINTS },
    ];
  });
}

/** "Sign up now" */
export function startsWithCall(line: string): boolean {
  const text = toPlain(line);
  return text.split(' ').length <= MAX_BUTTON_WORDS && proseTables.some(({ call }) => call.exec(text)?.index === 0);
}

const MAX_BUTTON_WORDS = 4;
const HOUSE_PARTS = ['publisher', 'reader', 'call', 'service', 'text', 'publication'] as const;
/** An address, or the name of a way to reach somebody. */
const CHANNEL =
  /https?:\/\/\S|www\.\S|[\w.+-]@[\w-]+\.\w|(?<!\w)@\w{2}|\(?\+?\d[\d() .-]{8,}\d|(?:[\w-]{1,60}\.)+[a-z]{2,}\/\S|(?<![\p{L}\d])(?:e-?mails?|mail|correo|whatsapp|signal|telegram|bluesky|mastodon|facebook|twitter|instagram|linkedin|youtube|tiktok|spotify|google (?:news|play)|app store|rss|app|appli|aplicación|aplicativo|aplikacj\p{L}+)(?![\p{L}\d])/u;
/** The country, not "us". */
const COUNTRY = /\bUS\b/g;

/** Whether the last line of an article only says who its author is. */
export function isAboutAuthor(line: string): boolean {
  return line.length <= MAX_LINE_UNITS && NAME.test(line) && AUTHOR.test(line.toLowerCase().replace(/[’‘]/g, "'"));
}

export function endsSentence(text: string): boolean {
  return SENTENCE_END.test(text.slice(-6));
}

const MONTHS =
  'jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|f[ée]vr?(?:ier)?|mar(?:ch|s|zo)?|märz|mrz|apr(?:il)?|avr(?:il)?|abr(?:il)?|may|mai|mayo|jun(?:e|i|io)?|juin|jul(?:y|i|io)?|juil(?:let)?|aug(?:ust)?|ao[uû]t|ago(?:sto)?|sept?(?:ember|embre|tiembre)?|oct(?:ober|obre|ubre)?|okt(?:ober)?|nov(?:ember|embre|iembre)?|de[czs](?:ember|iembre)?|déc(?:embre)?|ene(?:ro)?|febrero|' +
  'gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|' +
  'januari|februari|maart|mei|juni|juli|augustus|stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia';
const DAYS =
  'mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|mo|di|mi|do|fr|sa|so|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|' +
  '(?:lune|marte|mercole|giove|vener)dì|sabato|domenica|(?:segunda|terça|quarta|quinta|sexta)-feira|(?:maan|dins|woens|donder|vrij|zater|zon)dag|poniedziałek|wtorek|środa|czwartek|piątek|sobota|niedziela';
const MARKERS =
  '(?:last |first |originally )?(?:published|updated|answered|asked|commented|revised|posted|submitted|modified|created|edited|reviewed|added|date)|last update|(?:zuletzt )?(?:aktualisiert|veröffentlicht|geändert|erstellt|stand)|(?:article )?(?:publiée?|mise? à jour|modifiée?|créée?|posté)|(?:publicado|actualizado|actualización|modificado|creado)(?: el)?|(?:pubblicato|(?:ultimo )?aggiorna(?:to|mento))(?: il)?|(?:publicad[oa]|(?:última )?atualiza(?:d[oa]|ção))(?: em)?|(?:gepubliceerd|(?:laatst )?(?:bijgewerkt|gewijzigd|aangepast))(?: op)?|(?:data )?(?:publikacji|(?:ostatnia )?aktualizacj[ai])|(?:opublikowano|zaktualizowano)(?: dnia)?|\\d{1,3} ?min(?:ute)?s? read|read|(?:reading|read) time|lesezeit|lesedauer|temps de lecture|tiempo de lectura';
const OTHER_WORDS =
  "(?:comment|kommentar|commentaire|comentario|comentário|view|share)e?s?|a\\.?m\\.?|p\\.?m\\.?|[a-z]{1,3}t|mins?|minut(?:e|o)s?|minuten|b?st|cest|cet|mez|mesz|utc|gmt|(?:local )?time|uhr|h|hrs?|at|on|um|den|der|vom|am|le|la|las|les|à|a|de|del|el|and|und|et|y|um|st|nd|rd|th|º|o'clock|alle|ore|il|às|em|o|op|om|uur|godz|dnia|r";
const NUMBER = '\\d{1,4}(?:st|nd|rd|th|er|º)?|\\d{1,2}h(?:\\d{2})?|\\d{1,2}(?:am|pm)';
const CLOCK = /\d{1,2}[:.h]\d{2}|\d ?[ap]\.?m\b/i;
const YEAR = /(?<!\d)(?:1[89]|20)\d\d(?!\d)|(?<!\d)\d{1,2}[/.]\d{1,2}[/.]\d{2}(?!\d)/;
const SIGNS = '\\s,.;:|•·–—/()+\\-';

const TOKEN = `(?:${[MONTHS, DAYS, MARKERS, OTHER_WORDS, NUMBER].join('|')})`;
/** One by one: an expression for the whole line would try each way to divide "a.m. a.m. a.m." */
const DATE_WORD = new RegExp(`(?<![^${SIGNS}])${TOKEN}(?![^${SIGNS}])`, 'giu');
const ONLY_SIGNS = new RegExp(`^[${SIGNS}]*$`, 'u');
const MARKER = new RegExp(`(?<!\\p{L})(?:${MARKERS})(?!\\p{L})`, 'iu');
const MONTH_OR_DAY = new RegExp(`(?<!\\p{L})(?:${MONTHS}|${DAYS})(?!\\p{L})`, 'iu');
/** "By Jo Roe |" before a date. */
const BYLINE =
  /^(?:(?:submitted|posted|published|written) )?(?:by|von|par|por) [^\d.,;:!?]{2,60}?(?:, in [^\d.;:!?]{2,80}?)?(?=[,|•·–—(/-]|\s?\d|\s(?:published|updated|posted|on|am|le|el|reading time|lesezeit|lesedauer|temps de lecture|tiempo de lectura)[\s:])/iu;
/** "Jo Roe · 4 min read · Jan 4, 2025". */
const NAME_BEFORE_DATE = /^(?:\p{Lu}[\p{L}.'’-]*\s){1,4}\s?(?=[·•|])/u;
/** "Posted on November 20, 2025 by Jo Roe". */
const BYLINE_AFTER = /(?<=\d.{0,40})\s(?:by|von|par|por) [^\d.,;:!?]{2,60}$/iu;
/** "9:14 AMMarch 4" */
const GLUED_DATE = /(?<=\d ?[AaPp][Mm]|\d{4})(?=\p{Lu}\p{Ll}{2})/gu;
/** A category and a date without a space between their elements. */
const GLUED_CATEGORY = /^\p{L}{3,20}(?=\d{1,2}[.\s])/u;
const AGO =
  /^(?:(?:published|updated|posted)[\s:]{0,3})?(?:\d{1,3} ?(?:min(?:ute)?s?|hours?|hrs?|days?|weeks?|months?|years?|[mhdw]) ago|vor \d{1,3} (?:minuten?|stunden?|tagen?|wochen?)|il y a \d{1,3} (?:minutes?|heures?|jours?)|hace \d{1,3} (?:minutos?|horas?|días?))$/i;
/** "12", "1.2K", "– 30 –" */
const COUNT = /^[–—-]{0,2} ?\d[\d.,]{0,8} ?[km]? ?[–—-]{0,2}$/i;
const MAX_DATE_UNITS = 160;
const MIN_DATE_PARTS = 2;
const MAX_DATE_PART_WORDS = 5;

/**
 * A line that only says when, and perhaps by whom, an article was published: "By Jo Roe | Nov. 20, 2025, 4:15 p.m. ET".
 * @param isLast below the text, where a number counts readers
 */
export function isDateLine(line: string, isOutside: boolean, isLast = false): boolean {
  if (line.length > MAX_DATE_UNITS || !/\d/.test(line)) return false;
  if (AGO.test(line)) return isOutside;
  if (COUNT.test(line)) return isLast;
  const parts = line.split(/\s?[|•·]\s?/);
  // "By Jo Roe | Mar 3, 2025 | Money | 0 comments"
  if (isOutside && parts.length >= MIN_DATE_PARTS && !SENTENCE_END.test(line)) {
    const isShort = parts.every((part) => part.split(' ').length <= MAX_DATE_PART_WORDS);
    if (isShort && parts.some((part) => isDateLine(part, true) && YEAR.test(part))) return true;
  }
  const date = line
    .replace(GLUED_DATE, ' ')
    .replace(BYLINE, '')
    .replace(BYLINE_AFTER, '')
    .replace(NAME_BEFORE_DATE, '')
    .replace(GLUED_CATEGORY, '');
  if (!ONLY_SIGNS.test(date.replace(DATE_WORD, ''))) return false;
  if (!isOutside) return YEAR.test(date) && MARKER.test(date);
  const isDay = YEAR.test(date) && (MONTH_OR_DAY.test(date) || /\d[/.-]\d/.test(date));
  return isDay || (CLOCK.test(date) && MONTH_OR_DAY.test(date)) || MARKER.test(date);
}
