import { MatchContext, type NormalizationRule, parseTable, rule, sentenceStop } from '../language.ts';
import { verbalizeNumberOrYear } from './dates.ts';
import { fractions, numberVerbalizer, units } from './numbers.ts';

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
