import { findTable, type MatchContext, parseTable, rule, sentenceStop } from '../language.ts';
import { isSingle } from '../shared/abbreviations.ts';
import { createMagnitudeRule } from '../shared/amounts.ts';
import {
  createPressureRule,
  createShortYearRules,
  createSlashRangeRule,
  createTieBreakRule,
  NUMBER,
  verbalizeDigitGroups,
} from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import { createDirectionRule } from '../shared/serials.ts';
import { dateRules, marchRule, timeRules, weekdayRule } from './dates.ts';
import {
  degreeRule,
  fractions,
  guessGender,
  money,
  NO_NOUN,
  numberVerbalizer,
  ordinalRule,
  percentRule,
  romanRule,
  units,
  verbalizeOrdinal,
} from './numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;
/** "sacó un 9/10", which is no fraction. */
const gradeRule = rule(/(\d{1,3}(?:,\d{1,2})?)\/(\d{1,3})(?![\d/])/, ([, grade = '', best = ''], place) =>
  SHOTS_AFTER.test(place.after) ||
  (Number(grade) > 1 && PLURAL_AFTER.test(place.after) && !/(?:^|\s)(?:las|los)\s$/iu.test(place.before))
    ? `${verbalizeNumber(grade)} de ${verbalizeNumber(best)}`
    : GRADE_BEFORE.test(place.before)
      ? `${verbalizeNumber(grade)} sobre ${verbalizeNumber(best)}`
      : undefined,
);
/** "4/5 estrellas" */
const PLURAL_AFTER = /^ (?!(?:tras|más|menos|partes|veces)(?!\p{L}))\p{Ll}{3,20}s(?!\p{L})/u;
/** "1/4 kilo", "2/3 partes" */
const partRules = [
  rule(/([1-9])\/([3-9]|10)(?= partes?(?!\p{L}))/u, ([, top = '', bottom = '']) => {
    const part = verbalizeOrdinal(bottom, 'feminine');
    return `${numberVerbalizer.verbalizeQuantity(top, 'feminine')} ${part}${top === '1' ? '' : 's'}`;
  }),
  rule(/([13])\/4(?= (\p{Ll}{2,20})(?!\p{L}))/u, ([, top, noun = '']) =>
    NO_NOUN.has(noun) || noun.endsWith('s') ? undefined : `${top === '1' ? 'un cuarto' : 'tres cuartos'} de`,
  ),
];
/** "los 1/8 de final" */
const finalRule = rule(
  /1\/(4|8|16|32)(?=\sde final(?!\p{L}))/u,
  ([, part = '']) => (fractions.denominators[part] ?? fractions.nameDenominator?.(part))?.many,
);
const SHOTS_AFTER = /^\s(?:T[123LC]|en (?:triples|tiros|libres)|triples|tiros|libres)(?!\p{L})/u;
const GRADE_BEFORE =
  /(?:^|[^\p{L}])(?:sac\p{L}{1,5}|notas?|calific\p{L}{1,9}|puntu\p{L}{1,8}|valor\p{L}{1,8}|riesgo|nivel|índice|escala)(?:\s\p{L}{1,12}){0,3}\s$/iu;
/** "al 900 111 000", "al 612345678" */
const serviceNumberRule = rule(/([6-9]\d{2})[ \u00a0]?(\d{3})[ \u00a0]?(\d{3})(?!\d|[.,]\d)/, ([, ...groups], place) =>
  /(?:^|\s)(?:el|al|del|teléfono:?|tel\.:?)\s$/iu.test(place.before) &&
  !/^\s(?:\p{Sc}|\p{Ll}+s(?!\p{L})|de\s)/u.test(place.after)
    ? verbalizeDigitGroups(numberVerbalizer, groups.join(' '))
    : undefined,
);
/** "el artículo 139.1.ª" */
const articlePartRule = rule(/(\d{1,3})\.(\d{1,2})\.?([ºª])/u, ([, article = '', part = '', sign], place) =>
  /(?:artículos?|arts?\.)\s$/iu.test(place.before)
    ? `${verbalizeCardinal(article)} ${verbalizeOrdinal(part, sign === 'ª' ? 'feminine' : 'masculine')}`
    : undefined,
);
/** A landline in groups: "91 123 45 67". */
const landlineRule = rule(/[89]\d[ \u00a0]\d{3}[ \u00a0]\d{2}[ \u00a0]\d{2}(?!\d)/, ([written]) =>
  verbalizeDigitGroups(numberVerbalizer, written),
);
/** Nine digits in groups after a word such as "teléfono". */
const telephoneGroupsRule = rule(
  /\d{2,3}[ -]\d{3,4}[ -]\d{4}(?!\d)|[6-9]\d{2}(?:[ \u00a0.-]\d{3}){2}(?!\d)|[6-9]\d{2}(?:[ \u00a0.-]\d{2}){3}(?!\d)/,
  ([written], place) =>
    /(?:tel[ée]?f?|tfno|tlf|llam|mar(?:c|qu)|contact|whatsapp|número|fax|móvil)/iu.test(place.before) ||
    /\d\d[ .-]\d\d[ .-]/.test(written)
      ? verbalizeDigitGroups(numberVerbalizer, written)
      : undefined,
);

/** "123-123-5678"; "1234-5678" unless it is a range of years */
const telephoneDashRule = rule(
  /(?:\d{3,4}-\d{3}-\d{4}|0800-\d{3}-\d{3,4})(?![\d-])|\d{4}-(\d{4})(?![\d-])/,
  ([written, last], place) =>
    last === undefined || Number(last) > 2_100 || /\(\d{2,3}\)\s$/.test(place.before)
      ? verbalizeDigitGroups(numberVerbalizer, written)
      : undefined,
);

const directionRule = createDirectionRule(parseTable(findTable(tables, 'directions')), /^\sdel?\s/u);
/** "ss. XVI-XVIII", "págs. 3 y ss." */
const centuryRule = rule(/ss?\.(?!\p{L})/u, ([written], place) => {
  if (/^\s[IVX]{1,6}(?![\p{L}\p{N}])/u.test(place.after)) return written.startsWith('ss') ? 'siglos' : 'siglo';
  return written.startsWith('ss') ? `siguientes${sentenceStop(written, place)}` : undefined;
});

/** "1 voto", "21 alumnos", "200 personas"; by itself "uno". */
function verbalizeNumberInContext(written: string, place: MatchContext): string {
  // "200-300 personas", "entre 200 y 300 personas": both have the gender of the noun.
  const other = /^(?:\s?[-–]\s?|\s[ayo]\s)[\d.]{1,9}(?=\s\p{Ll})/u.exec(place.after)?.[0] ?? '';
  const after = place.after.slice(other.length).replace(/^ de cada (?:\d{1,3}|\p{Ll}{2,5})(?= )/u, '');
  const noun = /^[ \u00a0](?:mil\s)?["'“‘«]?(\p{Ll}{2,40}|UCI|ONG)/u.exec(after)?.[1];
  // "a la 1", "las 200 mujeres", "la 101 edición"
  if (/(?:^|\s)(?:las|unas|otras|estas|esas|(?<=^|\s)a la|la(?=\s\d+\s\p{Ll}{2,20}[aón]\s))\s$/iu.test(place.before))
    return numberVerbalizer.verbalizeQuantity(written, 'feminine');
  // "y 101 resultaron heridas"
  if (
    /^[ \u00a0](?:resultaron|quedaron|fueron|siguen|continúan|están|murieron)[ \u00a0]\p{Ll}{3,20}as(?!\p{L})/u.test(
      place.after,
    )
  )
    return numberVerbalizer.verbalizeQuantity(written, 'feminine');
  if (/^[ \u00a0]de (?:el)?las(?!\p{L})/u.test(place.after))
    return numberVerbalizer.verbalizeQuantity(written, 'feminine');
  if (
    noun === undefined ||
    /(?:número|n\.º|nº|núm\.)\s?$/iu.test(place.before) ||
    !/(?:1|[2-9]\d\d|\d\d00)$|\d{3}\D?\d{3}$/.test(written) ||
    NO_NOUN.has(noun) ||
    (written !== '1' && !noun.endsWith('s'))
  )
    return verbalizeNumber(written);
  const gender = guessGender(noun);
  return after !== place.after && gender === 'masculine'
    ? verbalizeNumber(written)
    : numberVerbalizer.verbalizeQuantity(written, gender);
}

/** "el 11 ha vuelto": no hectares */
const HAS_AFTER =
  /^[ \u00a0]han?\s(?:\p{L}{2,15}[aií]do|sido|ido|dado|hecho|visto|vuelto|muerto|puesto|dicho|abierto|escrito|roto|ganado|cubierto|resuelto|impuesto|propuesto|supuesto|descubierto|devuelto|deshecho)(?!\p{L})/u;
const hasRule = rule(new RegExp(NUMBER), ([written], place) =>
  HAS_AFTER.test(place.after) ? verbalizeNumber(written) : undefined,
);

/** "9 m. de prisión", "24 h/7 d", "2V-0D" */
const countRules = [
  rule(/(\d{1,3}) m\.(?=\sde\s(?:prisión|cárcel|condena|suspensión|arresto|multa)(?!\p{L}))/u, ([, months = '']) =>
    months === '1' ? 'un mes' : `${verbalizeCardinal(months)} meses`,
  ),
  // A movement: "el 15M"
  rule(/(\d{1,2})M(?=[.,;)]|\s(?!de)\p{Ll}|$)/u, ([, day = ''], { before }) =>
    /(?:^|\s)(?:el|del|al|movimiento)\s$/iu.test(before) ? `${verbalizeCardinal(day)} M` : undefined,
  ),
  rule(/24 ?h\/7 ?d(?:ías)?(?!\p{L})/u, () => 'veinticuatro horas siete días'),
  rule(/(\d{1,2})V-(\d{1,2})D(?![\p{L}\p{N}])/u, ([, wins = '', losses = '']) =>
    [count(wins, 'victoria'), count(losses, 'derrota')].join(' y '),
  ),
];

function count(written: string, noun: string): string {
  return `${numberVerbalizer.verbalizeQuantity(written, 'feminine')} ${noun}${written === '1' ? '' : 's'}`;
}

const FEMININE_TITLES = parseTable(findTable(tables, 'feminine titles'));
/** "la Lic. Mora" */
const feminineTitleRule = rule(/(Lic|Ing|Arq|Prof|Dip|Sen|Mag|Insp)\.(?=\s\p{Lu})/u, ([, title = ''], { before }) =>
  /(?:^|\s)(?:la|una)\s$/iu.test(before) ? FEMININE_TITLES[title] : undefined,
);

/** "los/as alumnos/as", "el/la director/a" */
const genderRules = [
  rule(/(el|un|los|unos|del|al)\/(la|una|las|unas|a|as)(?!\p{L})/iu, ([, masculine = '', ending = '']) => {
    const feminine = { a: /^un$/i.test(masculine) ? 'una' : 'la', as: /^unos$/i.test(masculine) ? 'unas' : 'las' }[
      ending
    ];
    const joint = /s$/i.test(masculine) ? 'y' : 'o';
    const preposition = { del: 'de ', al: 'a ' }[masculine.toLowerCase()] ?? '';
    return `${masculine} ${joint} ${preposition}${feminine ?? ending}`;
  }),
  rule(/(\p{L}{2,20})(os?|es|(?<=[rlnz]))\/(as?)(?!\p{L})/u, ([, stem = '', ending = '', other = ''], place) =>
    isSingle(place) && other.length === (ending.endsWith('s') ? 2 : 1)
      ? `${stem}${ending} ${other === 'as' ? 'y' : 'o'} ${stem}${other}`
      : undefined,
  ),
];

/** America, except the south, has points before decimals: "10,000", "$3,145", and where such a number or a decimal point is near. */
function isCommaGroup(written: string, { text, at, end, before }: MatchContext): boolean {
  if (written.endsWith(',000') || /\$\s?$/.test(before)) return true;
  const around = `${text.slice(Math.max(0, at - maxEvidenceDistance), at)} ${text.slice(end, end + maxEvidenceDistance)}`;
  return /(?<!(?:^|\s)las?\s\d?)\d\.\d{1,2}(?!\d|\.|\s?h)|\d,(?:000|\d{3},\d{3})(?!\d)/.test(around);
}
const maxEvidenceDistance = 200;
/** "1,234 réplicas" */
const commaGroupRule = rule(/\d{1,3},\d{3}(?![\d,.%]|\s?%)/, ([written], place) =>
  isCommaGroup(written, place) ? verbalizeNumberInContext(written.replace(',', '.'), place) : undefined,
);

/** Spanish of Spain. Genders are known only from the endings of nouns. */
export const spanish = createRuleBasedLanguage({
  code: 'es',
  extraLetters: 'áéíñóúü',
  verbalizePlainNumber: verbalizeNumberInContext,
  isCommaGroup,
  ...{ tables, numbers: numberVerbalizer, units, money, fractions },
  digits: {
    beforeAmounts: [
      ...dateRules,
      ...countRules,
      ...timeRules,
      telephoneGroupsRule,
      serviceNumberRule,
      landlineRule,
      telephoneDashRule,
      createMagnitudeRule(numberVerbalizer, money.magnitudes, 'M|mill\\.'),
      gradeRule,
      createTieBreakRule(numberVerbalizer, 'a'),
      finalRule,
      ...partRules,
      articlePartRule,
      hasRule,
      createPressureRule(numberVerbalizer, 'sobre'),
      degreeRule,
      commaGroupRule,
      createSlashRangeRule(numberVerbalizer),
      percentRule,
    ],
    afterAmounts: [ordinalRule],
  },
  signRules: [
    ...createShortYearRules(numberVerbalizer),
    // "$3 mdp"
    rule(/\$(?=\s?[\d.,]{1,12}\s?md[dep](?!\p{L}))/u, () => ''),
    // "Lun.-vie."
    rule(/[-–](?=(?:lun|mar|mié|jue|vie|sáb|dom)\.)/u, (_match, { before }) =>
      /(?:lun|mar|mié|jue|vie|sáb|dom)\.$/iu.test(before) ? ' a ' : undefined,
    ),
  ],
  letters: {
    beforeAbbreviations: [feminineTitleRule],
    beforeAmounts: [centuryRule, directionRule, marchRule, weekdayRule, ...genderRules],
    afterAmounts: [romanRule],
  },
  describeCode: (count) => `un código de ${count} caracteres`,
  plainWord: /[a-záéíóúüñ]{2,40}(?=[ ,;!?])/y,
  sentences: {
    finalLetter: /\d[ \u00a0]?[hmgl]$/u,
    neverFinal:
      /(?:^|[\s("«“¿¡])(?:Sr|Sra|Srta|Sres|Sras|Dr|Dra|Dres|D|Dña|Prof|Profa|Lic|Mtr[oa]|Ing|Gral|Sto|Sta|art|arts|cap|pág|págs|núm|vol|fig|n|aprox|p\.\s?ej|ss|Gs|Bs|EE|CC|JJ|RR|FF|Av|Avda|tel|tfno)$/iu,
    rarelyFinal:
      /(?:^|[\s("«“¿¡])(?:\d\s(?:de\s)?(?:[Ee]ne|[Ff]eb|[Mm]ar|[Aa]br|[Mm]ay|jun|jul|ago|sept?|oct|nov|dic)|etc|UU|OO|HH|AA|Ud|Uds|Vd|Vds|hab|\d(?:er|ero|era|do|da|ro|ra|to|ta|mo|ma|vo|va|no|na)|[ad]\.\s?C|S\.\s?[AL]|[IVX]{1,7})$/u,
  },
});
