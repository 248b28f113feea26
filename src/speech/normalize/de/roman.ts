import { capitalize } from '../../../capitalize.ts';
import { type MatchContext, type NormalizationRule, parseRomanNumeral, rule } from '../language.ts';
import { ARTICLE_BEFORE, buildOrdinalStem, findAdjectiveEnding, numberVerbalizer, WEAK_BEFORE } from './numbers.ts';

const { verbalizeCardinal } = numberVerbalizer;

const COUNTED_BEFORE =
  /\b(?:kapitel|kap\.|band|bd\.|teil|akt|artikel|abschnitt|buch|klasse|stufe|typ|phase|gruppe|hartz|anlage|apollo|rocky|(?:landgericht|amtsgericht|staatsanwaltschaft|lg|ag) münchen|bgbl\.|gvbl\.)\s$/iu;
/** The senate of a court: "VI ZR 10/24". */
const FILE_NUMBER_AFTER = /^\s(?:[A-Z]{1,3}|StR|ARs)\s(?:\(\p{L}{1,5}\)\s)?\d{1,5}\/\d\d(?!\d)/u;
const NAME_BEFORE = /\b\p{Lu}[\p{Ll}]{2,20}\s$/u;
const WOMEN = /(?:Elisabeth|Elizabeth|Katharina|Margrethe|Maria|Viktoria|Victoria|Isabella|Christina|Anna)s?\s$/u;

/** After a name, "Ludwig XIV.", or a noun, "Kapitel IV"; before a noun, "II. Weltkrieg". */
export const romanRules: readonly NormalizationRule[] = [
  rule(/([IVX]{1,7})\.(?=[ \u00a0](?:\p{L}|(?<=\p{L}{2}\.[ \u00a0])\()|[,;:)]|$)/u, ([, numeral = ''], place) => {
    const digits = parseRomanNumeral(numeral);
    if (digits === undefined) return undefined;
    const textBefore = place.before;
    const isLast = place.end === place.text.length;
    if (numeral.length === 1 && isInitial(place)) return undefined;
    if (
      NAME_BEFORE.test(textBefore) &&
      !ARTICLE_BEFORE.test(textBefore) &&
      !WEAK_BEFORE.test(textBefore) &&
      !COUNTED_BEFORE.test(textBefore) &&
      (numeral.length > 1 || !isLast || RULER_BEFORE.test(textBefore))
    )
      return `${verbalizeRuler(buildOrdinalStem(digits), textBefore)}${isLast ? '.' : ''}`;
    if (COUNTED_BEFORE.test(textBefore)) return `${verbalizeCardinal(digits)}${isLast ? '.' : ''}`;
    if (/^\s\p{Lu}\p{Ll}/u.test(place.after)) return buildOrdinalStem(digits) + findAdjectiveEnding(place);
    return undefined;
  }),
  rule(/([IVXLCDM]{1,8})(?![\p{L}\p{N}.])/u, ([, numeral = ''], place) => {
    const digits = parseRomanNumeral(numeral);
    if (digits === undefined) return undefined;
    // "Art. 2 I GG"
    if (/(?:Art(?:\.|ikel)|§)\s\d{1,4}[a-z]?\s$/u.test(place.before)) return `Absatz ${verbalizeCardinal(digits)}`;
    if (!COUNTED_BEFORE.test(place.before) && !FILE_NUMBER_AFTER.test(place.after)) return undefined;
    return verbalizeCardinal(digits);
  }),
];

/** "Regie: V. Müller", but "Karl V. Müller" may be a ruler, and "der V. Zivilsenat", "I. Weltkrieg" are counted. */
function isInitial({ before, after }: MatchContext): boolean {
  return (
    /^\s\p{Lu}[\p{Ll}'’]/u.test(after) &&
    !RULER_BEFORE.test(before) &&
    !/(?<!\p{L})(?:d(?:er|ie|as|en|em|es)|[bv]eim|[iv]m|am|zu[mr]|vom|\p{Ll}{1,12}e[rnms]?)\s$/iu.test(before) &&
    !/^\s(?:\p{L}{4,20}e[rs]?\s)?\p{L}{0,20}(?:krieg|senat|kongress|liga|quartal|halbjahr|republik|reich|teil|band|akt|satz|symposium|konzil|kammer|abteilung|klasse|korps|armee|festival|sinfonie|symphonie|buch|kapitel|stock|geschoss|olympiade|programm|vatikanum|weltcup|gesang|bataillon)(?!\p{L})/iu.test(
      after,
    )
  );
}
const RULERS =
  'Karl|Charles|Friedrich|Wilhelm|Heinrich|Ludwig|Otto|Franz|Philipp|Georg|Eduard|Napoleon|Pius|Benedikt|Johannes|Paul|Leo|Gregor|Innozenz|Urban|Clemens|Klemens|Sixtus|Julius|Alexander|Nikolaus|Elisabeth|Elizabeth|Katharina|Margrethe|Isabella|Christina|Maria|Peter|Iwan|Harald|Olav|Haakon|Gustav|Christian|Carlos|Felipe|Ferdinand|Leopold|Maximilian|Joseph|Rudolf|Sigismund|Albert|Konrad|Ramses|Philippe|August|Ernst|Mohammed|Abdullah';
const RULER_BEFORE = new RegExp(`(?:${RULERS})s?\\s$`, 'u');
const GENITIVE_RULER_BEFORE = new RegExp(`(?:${RULERS})s\\s$`, 'u');

type Case = 'nominative' | 'genitive' | 'dative' | 'accusative';

const MAN_ARTICLES = { nominative: 'der', genitive: 'des', dative: 'dem', accusative: 'den' };
const WOMAN_ARTICLES = { nominative: 'die', genitive: 'der', dative: 'der', accusative: 'die' };

/** "der Zweite", "dem Zweiten", "die Zweite" */
function verbalizeRuler(ordinalStem: string, textBefore: string): string {
  const isWoman = WOMEN.test(textBefore);
  const nameCase = findCase(textBefore);
  const ending = nameCase === 'nominative' || (isWoman && nameCase === 'accusative') ? 'e' : 'en';
  return `${(isWoman ? WOMAN_ARTICLES : MAN_ARTICLES)[nameCase]} ${capitalize(ordinalStem)}${ending}`;
}

/** "König Karl ", "Karl V. und Papst Johannes Paul " */
const NAMES = String.raw`\s(?:\p{Lu}\p{Ll}{2,20}\s[IVX]{1,5}\.\sund\s)?(?:\p{Lu}\p{Ll}{2,20}\s){1,3}$`;
const ADJECTIVE = String.raw`(?:\s\p{Ll}{3,20}en)?`;
const PREPOSITIONS: readonly (readonly [Case, RegExp])[] = [
  [
    'dative',
    new RegExp(
      String.raw`(?<!\p{L})(?:[Vv]on|[Uu]nter|[Mm]it|[Bb]ei|[Nn]ach|[Zz]u|[Vv]or|[Aa]us|[Ss]eit|[Nn]eben|[Gg]egenüber|(?:Kritik|Zweifel|Mord) an|(?:[Dd]em|[Vv]om|[Zz]um|[Bb]eim)${ADJECTIVE}|[Dd]er${ADJECTIVE}(?=\s\p{Lu}\p{Ll}{2,12}in\s))${NAMES}`,
      'u',
    ),
  ],
  ['genitive', new RegExp(String.raw`(?<!\p{L})[Dd]es${ADJECTIVE}${NAMES}`, 'u')],
  [
    'accusative',
    new RegExp(
      String.raw`(?<!\p{L})(?:[Ff]ür|[Gg]egen|[Dd]urch|[Oo]hne|[Uu]m|[Üü]ber|[Aa]n|[Aa]uf|[Dd]en${ADJECTIVE})${NAMES}`,
      'u',
    ),
  ],
];

/** The subject of a main clause: the name after its verb is the object. */
const SUBJECT = String.raw`(?:^|[.;:!?]\s)(?:Er|Sie|Wir|Ich|Man|Der\s(?:\p{Ll}{3,15}\s)?\p{Lu}[\p{L}-]{1,25}(?<!in|ung|heit|keit|schaft|tät)`;
const DATIVE_VERBS =
  '(?:gehör|dien|folg|gratulier|dank|huldig|begegne|ähnel)(?:t|t?en?)|half|hilft|unterlag|unterstand|glich';
const VERBS: readonly (readonly [Case, RegExp])[] = [
  [
    'dative',
    new RegExp(
      String.raw`${SUBJECT}|(?:Das|Die|Eine?|(?:Sein|Ihr)e?)\s(?:\p{Ll}{3,15}\s)?\p{Lu}[\p{L}-]{1,25})\s(?:${DATIVE_VERBS})${NAMES}`,
      'u',
    ),
  ],
  [
    'accusative',
    new RegExp(
      String.raw`${SUBJECT})\s(?!(?:ist|war|sind|waren|wird|wurde|bleibt|blieb|heißt|hieß|als|wie|und|oder)\s)\p{Ll}{3,20}(?:\s(?:auch|dort|gestern|heute))?${NAMES}`,
      'u',
    ),
  ],
];

/** By the preposition or article, the ending of the name ("die Zeit Ludwigs XIV."), or the verb before it. */
function findCase(textBefore: string): Case {
  const byPreposition = PREPOSITIONS.find(([, pattern]) => pattern.test(textBefore))?.[0];
  if (byPreposition === 'dative') return 'dative';
  if (GENITIVE_RULER_BEFORE.test(textBefore)) return 'genitive';
  return byPreposition ?? VERBS.find(([, pattern]) => pattern.test(textBefore))?.[0] ?? 'nominative';
}
