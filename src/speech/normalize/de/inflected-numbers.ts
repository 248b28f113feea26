import { capitalize } from '../../../capitalize.ts';
import {
  MatchContext,
  type NormalizationRule,
  parseRomanNumeral,
  parseTable,
  rule,
  sentenceStop,
} from '../language.ts';
import { verbalizeNumberOrYear } from './dates.ts';
import {
  ARTICLE_BEFORE,
  buildOrdinalStem,
  findAdjectiveEnding,
  fractions,
  numberVerbalizer,
  units,
  WEAK_BEFORE,
} from './numbers.ts';

const { verbalizeCardinal } = numberVerbalizer;

/** "jeden 1 Euro": a masculine noun after a word that takes the accusative. */
const accusativeRule = rule(
  /1(?=[ \u00a0](?:€|(?:Euro|Dollar|Franken|Cent|Rubel|Yen|Punkt|Tag|Monat|Meter|Kilometer|Liter|Platz|Prozentpunkt|Sitz|Sieg|Treffer|Elfmeter|Fall|Toten|Schwerverletzten|Leichtverletzten|Verletzten|Vermissten|Antrag|Schuss|Satz|Zähler|Bruder|Sohn|Hund|Mann|Spieler|Helfer|Mitarbeiter|Arbeiter|Polizisten|Schüler|Lehrer|Arzt|Trainer|Gast|Zeugen|Verdächtigen|Wagen|Bus|Zug|Raum|Stellplatz|Parkplatz|Unfall|Brand|Einsatz|Hektar)(?!\p{L})))/u,
  (_match, place) =>
    (/^\s(?:Schwer|Leicht)?(?:Verletz|To|Vermiss)ten/.test(place.after) &&
      !/(?<!\p{L})(?:mit|von|bei|neben)\s$/iu.test(place.before)) ||
    /(?<!\p{L})(?:jeden|für|um|ohne|gegen|durch|pro|je|über|verliert|verlor|verloren|holt|holte|holten|gewinnt|gewann|hat|hatte|haben|bekommt|bekam|erhält|erhielt|braucht|brauchte|kostet|kostete|gab|gibt|zählt|zählte|meldet|meldete|zahlt|zahlte|zahlen|bezahlt|bezahlen|bekommen|erhalten|kosten|koste|spart|sparen|spendet|verdient|verlangt|auf)\s(?:nur|etwa|rund|gerade|mindestens|knapp|genau)?\s?$/iu.test(
      place.before,
    )
      ? 'einen'
      : undefined,
);
/** "an 1/4 der Messstellen" */
const dativeFractionRule = rule(/1\/(\d{1,2})(?=\sde[rs]\s|[.,;]?$)/u, ([, bottom = ''], place) => {
  const name = fractions.denominators[bottom]?.one;
  return name && bottom !== '2' && /(?<!\p{L})(?:an|in|bei|mit|zu|von|nach|auf)\s$/iu.test(place.before)
    ? `einem ${name}`
    : undefined;
});
/** "nach 1 Jahr", "in 1 Stunde" */
const dativeRule = rule(/1(?=[ \u00a0]\p{Lu}\p{Ll}{2,30}(?!\p{L}|\.\s\p{Ll}))/u, (_match, place) => {
  if (!/(?<!\p{L})(?:nach|mit|bei|von|aus|seit|vor|in|binnen|ab)\s$/iu.test(place.before)) return undefined;
  return verbalizePlainNumber('1', place) === 'eine' ? 'einer' : 'einem';
});
/** "mit 34 Pkt. vor", "unter 12 J." */
const dativeUnitRule = rule(
  /(\d{1,3}) (Pkte?\.|J\.|Tg\.|Mon\.|Bp\.?|BP|bp|Lj\.)(?!\p{L})/u,
  ([written, digits = '', unit = ''], place) =>
    /(?<!\p{L})(?:mit|bei|von|nach|aus|seit|vor|in|ab|zu|unter|(?<!\d\s)u\.)\s(?:\d{1,2}\s(?:J\.|Jahren)\s(?:und|u\.)\s)?$/iu.test(
      place.before,
    ) && digits !== '1'
      ? `${verbalizeCardinal(digits)} ${DATIVE_UNITS[unit.charAt(0).toUpperCase()]}${sentenceStop(written, place)}`
      : undefined,
);
const DATIVE_UNITS = parseTable('B = Basispunkten; L = Lichtjahren; P = Punkten; J = Jahren; T = Tagen; M = Monaten');
/** "1-Euro-Job", "1¾ Stunden" */
const oneRule = rule(
  /1(?=-(?:Euro|Cent|Zimmer|Jahres?|Tages?|Stunden?|Mann|Frau|Personen|Liter|Meter|Kilo|Prozent|Punkte?|Tore?|Minuten?|Monats|Wochen|Dollar|Kind|Raum|Grad|Millionen|Milliarden|Mi[ot]|Mrd|Gigabit|Megawatt)\p{L}{0,20}(?!\p{L})|\s?[⅓⅔¼¾])/u,
  (_match, { after }) => (after.startsWith('-') ? 'ein' : 'ein '),
);
/** "mit 6-3" is a result, "5 - 14 - 22 - 31" a list of numbers. */
const dashedNumbersRules = [
  rule(/\d{1,2}(?:\s[-–]\s\d{1,2}){2,9}(?![\d.,:])/, ([written]) =>
    (written.match(/\d+/g) ?? []).map(verbalizeCardinal).join(', '),
  ),
  rule(/(\d{1,2})[-–](\d{1,2})(?=[,;)]|\.?$|\s(?:gegen|im|und|nach|in)\s)/, ([, first = '', last = ''], { before }) =>
    Number(first) > Number(last) && !/[\d.,/-]$/.test(before)
      ? `${verbalizeCardinal(first)} zu ${verbalizeCardinal(last)}`
      : undefined,
  ),
];
/** Medals: "16/8/13" */
const tripleRule = rule(/(\d{1,3})\/(\d{1,3})\/(\d{1,3})(?![\d/])/, ([, ...parts]) =>
  parts.map(verbalizeCardinal).join(', '),
);
/** "Gr. 38/40" */
const sizeRule = rule(/(\d{2})\/(\d{2})(?![\d/])/, ([, first = '', last = ''], { before }) =>
  /(?:Gr\.|[Gg]rößen?|Linien|Gleise?|Räume|Zimmer|Häuser|Hausnummern|Buslinien|Parzellen)\s$/.test(before)
    ? `${verbalizeCardinal(first)} ${verbalizeCardinal(last)}`
    : undefined,
);
/** "1/2 TL", "½ Tasse", "nach 1/2 Stunde", "1/4 l" */
export const halfRule = rule(
  /(?:([1-9])\/(2|3|4|5|8)|½) (\p{L}{1,20})(?![\p{L}\p{N}²³/])/u,
  ([, top = '1', bottom = '2', name = ''], { before }) => {
    const unit = units[name];
    const noun = unit?.one ?? name;
    if (unit === undefined && !/^\p{Lu}\p{Ll}{2}/u.test(name)) return undefined;
    if (bottom !== '2') {
      const denominator = fractions.denominators[bottom]?.one;
      return unit && Number(top) < Number(bottom)
        ? `${numberVerbalizer.verbalizeQuantity(top, 'masculine')} ${denominator} ${noun}`
        : undefined;
    }
    if (top !== '1' || /\d\s?$/.test(before)) return undefined;
    const isFeminine =
      unit?.gender === 'feminine' ||
      (unit === undefined && verbalizePlainNumber('1', new MatchContext(` ${name}`, 0, 0)) === 'eine');
    const isDative = /(?<!\p{L})(?:in|nach|vor|seit|mit|von|aus|zu|bei|binnen) $/iu.test(before);
    if (isDative) return `${isFeminine ? 'einer' : 'einem'} halben ${noun}`;
    if (isFeminine) return `eine halbe ${noun}`;
    if (
      /^(?:\p{L}*[Jj]ahr|Stück|Kilo|Kilogramm|Gramm|Pfund|Dutzend|Prozent|Glas|Bund|Brot|Hähnchen|Paket)$/u.test(noun)
    )
      return `ein halbes ${noun}`;
    return `${before === '' ? 'ein halber' : 'einen halben'} ${noun}`;
  },
);

/** "1 Kind", "1 Frage"; "Platz 1". */
export function verbalizePlainNumber(written: string, place: MatchContext): string {
  if (written !== '1') return verbalizeNumberOrYear(written, place);
  if (/(?:Art(?:ikel|\.)|Abs(?:atz|\.)|Satz|\sS\.|Nr\.|§)\s$/u.test(place.before)) return 'eins';
  if (/^\s?(?:[-–]|bis)\s?\d{1,3}\s(?!Grad)\p{Lu}\p{Ll}/u.test(place.after) && !/[-−–]$/.test(place.before))
    return 'ein';
  const noun = /^[ \u00a0](\p{Lu}\p{Ll}[\p{Ll}-]{0,40})(?!\p{L})/u.exec(place.after)?.[1];
  if (noun === undefined) return 'eins';
  return /(?:e|ung|ion|heit|keit|schaft|tät|erin|ik|frau|Frau|Person|Stadt|Firma|Zahl|Nacht|Wahl|Hand|Uhr|Tür|Bank|Fahrt|Mutter|Tochter|Schwester|Kammer|Mauer|Nummer|Feier|Oper|Arbeit|[Zz]eit|Zwiebel|Regel|Tafel|Insel|Kartoffel|Schachtel|Villa|Yacht|Bar|Band|Kuh|Maus|Last|Kraft|Million)$/u.test(
    noun,
  )
    ? 'eine'
    : 'ein';
}

/** Numbers whose case and gender the words around them tell, before the rules for amounts. */
export const countedRules: readonly NormalizationRule[] = [
  accusativeRule,
  oneRule,
  tripleRule,
  ...dashedNumbersRules,
  sizeRule,
  halfRule,
  dativeRule,
  dativeFractionRule,
  dativeUnitRule,
];

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
