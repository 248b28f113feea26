import { findTable, type NormalizationRule, parseTable, rule, sentenceStop } from '../language.ts';
import { createContextualRule } from '../shared/abbreviations.ts';
import { buildAlternatives } from '../shared/amounts.ts';
import { findWeakEnding, numberVerbalizer } from './numbers.ts';
import tables from './tables.txt' with { type: 'text' };

/** Initialisms with lowercase letters. */
export const mixedCaseAcronyms = parseTable(findTable(tables, 'mixed case acronyms'));

/** Ends of compounds, with a full stop: "Polizeipräs.", "Innenmin." */
const shortEnds = parseTable(findTable(tables, 'short ends'));

const { verbalizeCardinal } = numberVerbalizer;

/** "Hauptstr.", "Marienpl. 8", "Rathauspl.", but not "Dipl." */
const streetRule = rule(/(\p{L}[\p{L}-]{1,30})([Ss]tr|[Pp]l)\.(?!\p{L})/u, ([written, name = '', kind = ''], place) => {
  if (kind === 'pl' && !/^\s?\d/.test(place.after) && (name.length < 4 || /^Exem?$/.test(name))) return undefined;
  return `${name}${kind.endsWith('l') ? `${kind}atz` : `${kind}aße`}${sentenceStop(written, place)}`;
});
export const SHORT_ENDS = buildAlternatives(Object.keys(shortEnds));
/** "Polizeipräs. Meyer" */
const shortCompoundRule = rule(
  new RegExp(`(\\p{Lu}\\p{L}{2,20})(${SHORT_ENDS})\\.(?=\\s|,)`, 'u'),
  ([, start = '', end = '']) => start + shortEnds[end],
);
/** "Kinder u. 5 Jahren", "Köln u. Bonn" */
const underRule = rule(/u\.(?!\p{L})/u, (_match, place) =>
  /^ \d{1,2} (?:Jahren|J\.)/.test(place.after) && !/\d\s$/.test(place.before) ? 'unter' : 'und',
);
/** "Entwurf v. 14.11.", "F. Henckel v. Donnersmarck" */
const fromRule = rule(/v\.(?=[ \u00a0](?:\d{1,2}\.|\p{Lu}))/u, (_match, place) =>
  /^\s\d/.test(place.after) ? 'vom' : 'von',
);
/** "in der 89. Min.", "3 Std. 41 Min.", "min. 3 Jahre" */
const minuteRule = rule(/[Mm]in\.(?!\p{L}|-)/u, ([written], place) => {
  const noun = /\d\.(?:\+\d)?\s$/.test(place.before) ? 'Minute' : 'Minuten';
  return `${written.startsWith('m') ? 'minimal' : noun}${sentenceStop(written, place)}`;
});
/** "Ges. f. Chemie", "Sitz d. Firma", "Vors. d. Vereins", "§ 5 f.", "Haar b. München", "Mühldorf a. Inn", "Do., d. 5. Juni" */
const smallWordRule = rule(/([fdbai])\.(?!\p{L})/u, ([written, letter], place) => {
  if (letter === 'f' && /\d[a-z]?\s?$/.test(place.before)) return `folgende${sentenceStop(written, place)}`;
  if (letter === 'd' && /^\s\d{1,2}\.\s/.test(place.after)) return 'den';
  if (letter === 'd' && /^\s\p{Lu}\p{Ll}{2,30}[^s\P{L}]s(?!\p{L})/u.test(place.after)) return 'des';
  return /^\s\p{Lu}\p{Ll}/u.test(place.after)
    ? { f: 'für', d: 'der', b: 'bei', a: 'am', i: 'im' }[letter ?? '']
    : undefined;
});

const adjectives = parseTable(findTable(tables, 'adjectives'));
/** "die sog. Reichsbürger", "mit dem stellv. Vorsitzenden", "Tag der Dt. Einheit", "Hl. Martin" */
const adjectiveRule = rule(
  new RegExp(`(${buildAlternatives(Object.keys(adjectives))})\\.(?=[ \\u00a0]\\p{Lu})`, 'u'),
  ([, short = ''], place) => {
    const isSaint = short === 'hl' || short === 'Hl';
    if (isSaint && isAlone(place.before)) return `${adjectives[short]}er`;
    // "der hl. Martin", "die Hl. Drei Könige"
    if (isSaint && /(?<!\p{L})der\s$/iu.test(place.before)) return `${adjectives[short]}e`;
    if (isSaint && /^\sDrei/.test(place.after)) return `${adjectives[short]}en`;
    return `${adjectives[short]}${findWeakEnding(place)}`;
  },
);
/** Whether no article is before it. */
function isAlone(before: string): boolean {
  return !/(?<!\p{L})(?:d(?:er|ie|as|en|em|es)|vom|zu[mr]|beim|[ai]m)\s$/iu.test(before);
}
/** "erhebl. Schäden": adjectives in -lich; no lowercase word of German ends in a consonant and l. */
const shortAdjectiveRule = rule(/(\p{L}\p{Ll}{1,20}[bcdfghkmnprstz])l\.(?=\s\p{L})/u, ([, stem = ''], place) =>
  /^\s\p{Lu}/u.test(place.after) ? `${stem}lich${findWeakEnding(place)}` : `${stem}lich`,
);

/** Before the abbreviations of the tables. */
export const earlyAbbreviationRules: readonly NormalizationRule[] = [
  adjectiveRule,
  // "Angela Merkel (geb. Kasner)"
  createContextualRule(
    /geb\.(?=[ \u00a0](?:(?:von|de|van) )?\p{Lu}\p{L}{1,30}(?:-\p{Lu}\p{L}{1,30})?[),;])/u,
    'geborene',
    /\p{Lu}\p{L}+,? \(?$/u,
  ),
  createContextualRule(/Vors\.(?!\p{L})/u, 'Vorsitzende', /(?<!\p{L})(?:der|die) (?:\d\. )?$/iu),
  createContextualRule(/Abg\.(?!\p{L})/u, 'Abgeordnete', /(?<!\p{L})(?:der|die) $/iu),
  createContextualRule(/Abg\.(?!\p{L})/u, 'Abgeordneten', /(?<!\p{L})(?:dem|den|des) $/iu),
  createContextualRule(/Kl\.(?!\p{L})/u, 'Klasse', /\d\. $/),
  createContextualRule(/OStA(?=[ \u00a0]\p{Lu})/u, 'Oberstaatsanwalt'),
  createContextualRule(/StA(?=[ \u00a0]\p{Lu}\p{Ll})/u, 'Staatsanwalt', /(?:^|[,;] |\b(?:und|durch|von|so) )$/u),
  createContextualRule(/RA(?=[ \u00a0](?:Dr\.|\p{Lu}\p{Ll}))/u, 'Rechtsanwalt'),
  createContextualRule(/Std\.(?!\p{L})/u, 'Stunde', /(?<!\p{L})(?:pro|je|jede|die|der|einer) $/iu),
  createContextualRule(/Hrsg\.(?= (?:von|v\.) )/u, 'herausgegeben'),
  createContextualRule(/Prof\.(?= (?:der|für|am|an|des) )/, 'Professor'),
  createContextualRule(/em\.(?= Prof)/, 'emeritierter'),
  createContextualRule(/jun\.(?!\p{L})/u, 'junior', /\p{Lu}[\p{L}-]+,? $/u),
  createContextualRule(/VO(?=[ \u00a0]\((?:EU|EG)\))/u, 'Verordnung'),
  createContextualRule(/Rs\.(?=\s[CT]-\d)/, 'Rechtssache'),
];

/** After the abbreviations of the tables. */
export const contextualAbbreviationRules: readonly NormalizationRule[] = [
  minuteRule,
  underRule,
  fromRule,
  smallWordRule,
  streetRule,
  shortCompoundRule,
  shortAdjectiveRule,
];

const books = parseTable(findTable(tables, 'books'));
/** "Mt 5,3-12": chapter and verses */
export const bibleRule: NormalizationRule = rule(
  new RegExp(
    `(${buildAlternatives(Object.keys(books))})\\.? (\\d{1,3}),(\\d{1,3})(?:[-–](\\d{1,3})|f{1,2}\\.?(?!\\p{L}))?(?![\\d,])`,
    'u',
  ),
  ([written, book = '', chapter = '', verse = '', last]) => {
    const end = last === undefined ? (/f\.?$/.test(written) ? ' folgende' : '') : ` bis ${verbalizeCardinal(last)}`;
    return `${books[book]} ${verbalizeCardinal(chapter)}, ${verbalizeCardinal(verse)}${end}`;
  },
);

const pieces = parseTable('K = König; D = Dame; T = Turm; L = Läufer; S = Springer');
const MOVE = '(?:[KDTLS]?[a-h]?[1-8]?x?[a-h][1-8]|0-0)(?:[+#!?]|(?![\\p{L}\\p{N}]))';
/** Moves in chess: "1. e4 e5 2. Sf3" */
export const chessRules = {
  digits: [
    rule(new RegExp(`(\\d{1,2})\\.{1,3}\\s?(?=${MOVE})`, 'u'), ([, move = '']) => `${verbalizeCardinal(move)} `),
  ],
  letters: [
    rule(
      /([KDTLS])(x?)([a-h])([1-8])(?![\p{L}\p{N}])/u,
      ([, piece = '', takes, file = '', rank = '']) =>
        `${pieces[piece]} ${takes ? 'schlägt ' : ''}${file.toUpperCase()} ${verbalizeCardinal(rank)}`,
    ),
  ],
} as const satisfies Record<string, readonly NormalizationRule[]>;
