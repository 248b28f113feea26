import {
  findTable,
  type MatchContext,
  type NormalizationRule,
  parseRomanNumeral,
  parseTable,
  parseWords,
  rule,
  wordSet,
} from '../language.ts';
import { createMagnitudeRule, createNounParser, type MoneyWords, type Noun } from '../shared/amounts.ts';
import {
  createNumericDateRules,
  createRaceTimeRules,
  createShortDateRule,
  createSpanRules,
  createWeekdayRule,
} from '../shared/dates.ts';
import type { FractionWords } from '../shared/fractions.ts';
import {
  createNumberVerbalizer,
  createResultRule,
  createSlashRangeRule,
  createTieBreakRule,
  type Gender,
  groupThousands,
  verbalizeDigitGroups,
} from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import { createDirectionRule } from '../shared/serials.ts';
import tables from './tables.txt' with { type: 'text' };

const parseNouns = createNounParser('es');

const ONES = parseWords(findTable(tables, 'ones'));
const TENS = '_ _ vinte trinta quarenta cinquenta sessenta setenta oitenta noventa'.split(' ');
const HUNDREDS = parseWords(findTable(tables, 'hundreds'));
/** As in Brazil; in Portugal a bilhão is "mil milhões". */
const SCALES: readonly (readonly [one: string, many: string])[] = [
  ['milhão', 'milhões'],
  ['bilhão', 'bilhões'],
  ['trilhão', 'trilhões'],
];
const ORDINALS = '_ primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono'.split(' ');
const ORDINAL_TENS =
  '_ décimo vigésimo trigésimo quadragésimo quinquagésimo sexagésimo septuagésimo octogésimo nonagésimo'.split(' ');

const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'vírgula',
  groupsDecimals: true,
  inflect: (words, gender) => (gender === 'feminine' ? toFeminine(words) : words),
  isOne: (written) => written === '1',
  rangeWord: 'a',
  pointWord: 'ponto',
});
const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

function toFeminine(words: string): string {
  return words
    .replace(/(?<!\p{L})um$/u, 'uma')
    .replace(/(?<!\p{L})dois(?=$| mil(?!\p{L}))/gu, 'duas')
    .replace(/(cent|zent|hent)os(?!\p{L})/gu, '$1as');
}

/** "1234" → "mil duzentos e trinta e quatro"; "e" stands before the last group where it is below 100 or ends in 00. */
function verbalizeWhole(digits: string): string {
  const groups = groupThousands(digits).map(({ value, power }) => ({ value, words: verbalizeGroup(value, power) }));
  return groups
    .map(({ value, words }, index) => {
      if (index === 0) return words;
      const takesE = index === groups.length - 1 && (value < 100 || value % 100 === 0);
      return `${takesE ? 'e ' : ''}${words}`;
    })
    .join(' ');
}

function verbalizeGroup(value: number, power: number): string {
  if (power === 0) return verbalizeBelowThousand(value);
  if (power === 1) return value === 1 ? 'mil' : `${verbalizeBelowThousand(value)} mil`;
  const [one = '', many = ''] = SCALES[power - 2] ?? [];
  return value === 1 ? `um ${one}` : `${verbalizeBelowThousand(value)} ${many}`;
}

/** @returns the ordinal of a number up to 99, undefined for a higher one */
function verbalizeOrdinal(digits: string, gender: Gender): string | undefined {
  const value = Number(digits);
  if (value < 1 || value > 99) return undefined;
  const tens = value < 10 ? '' : (ORDINAL_TENS[Math.floor(value / 10)] ?? '');
  const ones = value % 10 === 0 ? '' : (ORDINALS[value % 10] ?? '');
  const masculine = `${tens} ${ones}`.trim();
  return gender === 'feminine' ? masculine.replace(/o(?= |$)/g, 'a') : masculine;
}

function verbalizeBelowThousand(value: number): string {
  if (value === 100) return 'cem';
  const words: string[] = [];
  if (value >= 100) words.push(HUNDREDS[Math.floor(value / 100)] ?? '');
  if (value % 100 > 0) words.push(verbalizeBelowHundred(value % 100));
  return words.join(' e ');
}

function verbalizeBelowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens} e ${ONES[value % 10]}`;
}

const MASCULINE = wordSet(findTable(tables, 'masculine'));
const FEMININE = wordSet(findTable(tables, 'feminine'));

/** By the ending of the noun. */
function guessGender(noun: string): Gender {
  if (MASCULINE.has(noun) || MASCULINE.has(noun.replace(/s$/, ''))) return 'masculine';
  return FEMININE.has(noun) || /(?:as?|ção|ções|são|sões|dade|dades|gem|gens|tude|ice)$/u.test(noun)
    ? 'feminine'
    : 'masculine';
}

const money: MoneyWords = {
  currencies: parseNouns(findTable(tables, 'currencies')),
  magnitudes: parseNouns(findTable(tables, 'magnitudes')),
  centJoint: 'e ',
  namesCents: true,
  partitive: (number) => (/lh(?:ão|ões)$/.test(number) ? 'de ' : ''),
  inflectMagnitude: (words) => words.replace(/^um mil$/, 'mil'),
};

const units = parseNouns(findTable(tables, 'units'));

const fractions: FractionWords = {
  denominators: parseNouns(findTable(tables, 'denominators')),
  nameDenominator: (digits): Noun | undefined => {
    if (Number(digits) < 11 || Number(digits) > 99) return undefined;
    const fraction = `${verbalizeCardinal(digits)} avo`;
    return { one: fraction, many: `${fraction}s`, gender: 'masculine' };
  },
  signs: parseTable('½ = meio; ⅓ = um terço; ⅔ = dois terços; ¼ = um quarto; ¾ = três quartos'),
  joint: 'e ',
  half: 'meio',
  halves: {
    ...{ masculine: 'meio', feminine: 'meia', before: { masculine: 'meio ', feminine: 'meia ' } },
    guessGender: (noun) =>
      /^(?:horas?|anos?|dias?|semanas?|toneladas?|xícaras?)$/u.test(noun) ? guessGender(noun) : undefined,
  },
  fixed: { '24/7': 'vinte e quatro por sete' },
};

const MONTHS = 'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(' ');

/** "03/05/2026", "1º de maio"; a month written out needs no rule. */
const dateRules: readonly NormalizationRule[] = [
  ...createNumericDateRules((day, month, year) => {
    const name = MONTHS[Number(month) - 1];
    const dayWords = Number(day) === 1 ? 'primeiro' : verbalizeCardinal(day);
    return name && `${dayWords} de ${name} de ${verbalizeCardinal(year)}`;
  }),
  createShortDateRule(
    /(?:^|[^\p{L}])(?:(?:de|entre)\s\d{1,2}(?:\/\d{1,2})?\s(?:a|e)|dia|dias|(?:segunda|terça|quarta|quinta|sexta)(?:-feira)?,?|sábado,?|domingo,?|(?:seg|ter|qua|qui|sex|sáb|dom)\.?,?|até)\s(?:\(|)$/iu,
    /(?:^|[^\p{L}])(?:em|no|a|de|do|ao|desde)\s$/iu,
    (day, month) => `${Number(day) === 1 ? 'primeiro' : verbalizeCardinal(day)} de ${MONTHS[month - 1]}`,
  ),
  rule(new RegExp(`1[ºo°]?(?=\\sde\\s(?:${MONTHS.join('|')}))`, 'u'), () => 'primeiro'),
];

/** "14h30", "9h", "14:30", "das 8h às 18h". */
const SPAN_UNITS = 'd = grau|graus; h = hora|horas|feminine; m = minuto|minutos; s = segundo|segundos';
const timeRules: readonly NormalizationRule[] = [
  ...createRaceTimeRules(numberVerbalizer, SPAN_UNITS),
  ...createSpanRules(numberVerbalizer, SPAN_UNITS),
  // "em 10s92", "a 0s152"
  rule(
    /(\d{1,2})s(\d{2,3})(?![\p{L}\p{N}])/u,
    ([, seconds = '', part = '']) =>
      `${verbalizeCardinal(seconds)} ${Number(seconds) < 2 ? 'segundo' : 'segundos'} e ${verbalizeCardinal(part)}`,
  ),
  // "2x ao dia", "12x de R$ 416"
  rule(
    /(\d{1,3})x(?=\s(?:ao|por|de|sem|no|na|mais|maior|menos|menor|em|campe|seguid))/u,
    ([, count = '']) => `${numberVerbalizer.verbalizeQuantity(count, 'feminine')} ${count === '1' ? 'vez' : 'vezes'}`,
  ),
  // "aos 90+4'"
  rule(/(\d{2,3})['’′]?\+(\d{1,2})['’′]?(?![\p{L}\p{N}])/u, ([, minute = '', extra = ''], { before }) =>
    /(?:^|\s)(?:aos?|os|dos)\s$/iu.test(before)
      ? `${verbalizeCardinal(minute)} mais ${verbalizeCardinal(extra)} minutos`
      : undefined,
  ),
  // "São Paulo, 27 nov (Reuters)"
  rule(
    /(\d{1,2}) (jan|fev|mar|abr|mai|jun|jul|ago|set|out|nov|dez)(?=\s\(\p{Lu})/u,
    ([, day = '', month = '']) => `${verbalizeCardinal(day)} de ${MONTHS.find((name) => name.startsWith(month))}`,
  ),
  // "no 3º tri"
  rule(/([1-4])º tri(?!\p{L})\.?/u, ([, quarter = '']) => `${verbalizeOrdinal(quarter, 'masculine')} trimestre`),
  // "aos 22' do segundo tempo"
  rule(/(\d{1,3})['’′](?![\p{L}\p{N}])/u, ([, minutes = ''], { before }) =>
    /(?:^|\s)(?:aos?|os|dos|com|de)\s$/iu.test(before) ? `${verbalizeCardinal(minutes)} minutos` : undefined,
  ),
  // "no 3T25"
  rule(
    /([1-4])T(?:20)?(\d\d)(?![\p{L}\p{N}])/u,
    ([, quarter = '', year = '']) =>
      `${verbalizeOrdinal(quarter, 'masculine')} trimestre de ${verbalizeCardinal(`20${year}`)}`,
  ),
  rule(
    /([01]?\d|2[0-4])[ \u00a0]?h(?:oras?)?[ \u00a0]?([0-5]\d)?(?:min)?(?![\p{L}\p{N}/])/u,
    ([, hour = '', minute], place) =>
      DURATION_AFTER.test(place.after) || DURATION_BEFORE.test(place.before)
        ? `${verbalizeClock(hour, undefined)}${minute === undefined ? '' : ` e ${verbalizeCardinal(minute)} ${minute === '01' ? 'minuto' : 'minutos'}`}`
        : verbalizeClock(hour, minute),
  ),
  rule(/([01]?\d|2[0-4]):([0-5]\d)(?![\d:])/, ([, hour = '', minute]) => verbalizeClock(hour, minute)),
  createTieBreakRule(numberVerbalizer, 'a'),
  createResultRule(numberVerbalizer, 'a'),
  // "Palmeiras 2 x 1 Santos"
  rule(/(\d{1,2})\s?x\s?(\d{1,2})(?![\d,]|\s?(?:c?m|cm|kg)(?!\p{L}))/u, ([, first = '', last = ''], place) =>
    /\p{Lu}\p{L}{2,20}\s$|(?:^|\s)(?:por|de|em|placar)\s$/u.test(place.before)
      ? `${verbalizeCardinal(first)} a ${verbalizeCardinal(last)}`
      : undefined,
  ),
];

/** "1h20 de atraso", "durou 2h10" */
const DURATION_AFTER =
  /^\sde\s(?:atraso|duração|jogo|voo|viagem|filme|espera|debate|depoimento|reunião|prova|show|conversa|sessão|julgamento|antecedência|diferença)(?!\p{L})/u;
const DURATION_BEFORE =
  /(?:^|[^\p{L}])(?:dur\p{L}{1,5}|tem|tinha|com|em|por|após|levou|leva|quase|cerca de|mais de|menos de)\s$/iu;
/** "quatorze e trinta", "nove horas", "uma hora". */
function verbalizeClock(hour: string, minute: string | undefined): string {
  const hours = numberVerbalizer.verbalizeQuantity(String(Number(hour)), 'feminine');
  if (Number(minute ?? 0) === 0) return `${hours} ${Number(hour) === 1 ? 'hora' : 'horas'}`;
  return `${hours} e ${verbalizeCardinal(minute ?? '')}`;
}

/** "1º", "3ª", "21.º"; before a feminine noun the sign is "ª". */
const ordinalRule = rule(/(\d{1,2})\.?([ºª°])(?![\p{L}\p{N}]|\s?[CF](?!\p{L}))/u, ([, digits = '', sign], place) =>
  sign === '°' && !/^\s\p{L}/u.test(place.after)
    ? undefined
    : verbalizeOrdinal(digits, sign === 'ª' ? 'feminine' : 'masculine'),
);
/** "0800 722 0000" */
const freeCallRule = rule(
  /(?:0[38]00[ -]\d{3}[ -]\d{3,4}|(?:70[78]|80[089])(?: \d{3}){2}|(?:70[78]|80[089])(?: \d{2}){3})(?!\d)/,
  ([written]) => verbalizeDigitGroups(numberVerbalizer, written),
);
/** "CEP 01001-000" */
const postcodeRule = rule(/(\d{5}|\d{4})-(\d{3})(?![\d-])/, ([written], place) =>
  /(?:CEP|Código Postal|código postal)[:\s]\s?$/u.test(place.before) ||
  (/^\d{4}-\d{3}$/.test(written) && /^\s\p{Lu}/u.test(place.after))
    ? verbalizeDigitGroups(numberVerbalizer, written)
    : undefined,
);
/** "o dep. Lira", "a dep. Tabata" */
const politicianRule = rule(
  /(dep|sen|gov|min|pres)\.(?=\s\p{Lu})/iu,
  ([, title = ''], { before }) =>
    POLITICIANS[title.toLowerCase()]?.split('|')[/(?:^|\s)(?:a|da|à|pela|na)\s(?:ex-)?$/iu.test(before) ? 1 : 0],
);
const POLITICIANS = parseTable(findTable(tables, 'politicians'));
const telephoneRule = rule(/\d{4,5}-\d{4}(?![\d-])/, ([written], place) =>
  /^\d{4}-\d{4}$/.test(written) && !/(?:tel|liga|fone|whatsapp|número|fax)/iu.test(place.before)
    ? undefined
    : verbalizeDigitGroups(numberVerbalizer, written),
);
const areaCodeRule = rule(
  /\s?\(\d{2}\)\s?\d{4,5}-\d{4}(?![\d-])/,
  ([written]) => ` ${verbalizeDigitGroups(numberVerbalizer, written)}`,
);
const COUNTED_BEFORE =
  /(?:^|[^\p{L}])(?:inciso|inc\.|capítulo|tomo|parte|ato|artigo|livro|volume|título|anexo|fase|tipo|grupo|guerra mundial)\s$/iu;
const CENTURY_BEFORE = /(?:^|[^\p{L}])(?:séculos?|séc\.)\s$/iu;
const RULER_BEFORE = /(?:^|[^\p{L}])\p{Lu}[\p{Ll}]{2,20}\s$/u;
const WOMEN_BEFORE = /(?:Isabel|Elizabeth|Margarida|Catarina|Maria|Vitória|Leopoldina)\s$/u;

/** "século XXI" → "vinte e um"; "João VI" → "sexto"; from eleven on cardinals. */
const romanRule = rule(/([IVXLCDM]{1,8})(?![\p{L}\p{N}]|\.\p{Lu})/u, ([, numeral = ''], place) => {
  const digits = parseRomanNumeral(numeral);
  if (digits === undefined) return undefined;
  const isSmall = Number(digits) <= 10;
  if (CENTURY_BEFORE.test(place.before))
    return isSmall ? verbalizeOrdinal(digits, 'masculine') : verbalizeCardinal(digits);
  if (
    COUNTED_BEFORE.test(place.before) ||
    /§\s?\d{1,2}[º°]?,\s$|§§?\s?\d{1,2}[º°]?,\s(?:inc\.|inciso)\s$/u.test(place.before)
  )
    return verbalizeCardinal(digits);
  const article = /(?:^|\s)(o|a|do|da|no|na)\s$/iu.exec(place.before)?.[1]?.toLowerCase();
  // From 100 on it is mostly an initialism: "o CD Nacional".
  if (article && numeral.length > 1 && Number(digits) < 100 && /^\s\p{Lu}\p{Ll}/u.test(place.after)) {
    return verbalizeOrdinal(digits, article.endsWith('a') ? 'feminine' : 'masculine') ?? verbalizeCardinal(digits);
  }
  if (/[LCDM]/.test(numeral) || !RULER_BEFORE.test(place.before)) return undefined;
  if (numeral.length === 1 && /^\.?\s\p{Lu}/u.test(place.after)) return undefined;
  return isSmall
    ? verbalizeOrdinal(digits, WOMEN_BEFORE.test(place.before) ? 'feminine' : 'masculine')
    : verbalizeCardinal(digits);
});

const NO_NOUN = wordSet(findTable(tables, 'no noun'));

/** "1 voto", "2 mulheres", "200 pessoas". */
function verbalizeNumberInContext(written: string, place: MatchContext): string {
  const noun = /^[ \u00a0](?:mil\s)?(\p{Ll}{2,40})/u.exec(place.after)?.[1];
  // "e 240 estão desalojadas"
  if (/^[ \u00a0](?:estão|ficaram|foram|continuam|seguem|saíram)[ \u00a0]\p{Ll}{3,20}as(?!\p{L})/u.test(place.after))
    return numberVerbalizer.verbalizeQuantity(written, 'feminine');
  if (
    noun === undefined ||
    NO_NOUN.has(noun) ||
    !/(?:^|\D|[2-9\d])(?:[12]|\d[12])$|\d00$/.test(written) ||
    /1[12]$/.test(written)
  ) {
    return verbalizeNumber(written);
  }
  return numberVerbalizer.verbalizeQuantity(written, guessGender(noun));
}

/** Portuguese of Brazil. Genders are known only from the endings of nouns. */
export const portuguese = createRuleBasedLanguage({
  code: 'pt',
  extraLetters: 'áàâãçéêíóôõúü',
  verbalizePlainNumber: verbalizeNumberInContext,
  ...{ tables, numbers: numberVerbalizer, units, money, fractions },
  digits: {
    beforeAmounts: [
      createSlashRangeRule(numberVerbalizer),
      ...dateRules,
      ...timeRules,
      createMagnitudeRule(numberVerbalizer, money.magnitudes, 'mi|bi|tri|M'),
      freeCallRule,
      postcodeRule,
      telephoneRule,
    ],
    afterAmounts: [ordinalRule],
  },
  letters: {
    beforeAmounts: [
      politicianRule,
      // "no tri"
      rule(/tri(?=[,.;)]|\s(?:de|do|contra|ante|e|foi|com|em)\s|$)/, (_match, { before }) =>
        /(?:^|\s)(?:no|do|neste|último|próximo|primeiro|segundo|terceiro|quarto)\s$/iu.test(before)
          ? 'trimestre'
          : undefined,
      ),
      createWeekdayRule(
        'segunda terça quarta quinta sexta sábado domingo'.split(' '),
        /(?:^|[\s(])(?:de|da|do|a|e|na|no)\s$/u,
      ),
      createDirectionRule(parseTable(findTable(tables, 'directions')), /^\.?\s(?:de|do|da)\s/u),
    ],
    afterAmounts: [romanRule],
  },
  signRules: [areaCodeRule],
  describeCode: (count) => `um código de ${count} caracteres`,
  plainWord: /[a-záàâãçéêíóôõú]{4,40}(?=[ ,;!?])/y,
  sentences: {
    neverFinal:
      /(?:^|[\s("«“])(?:Sr|Sra|Srs|Sras|Srta|Dr|Dra|Drs|D|Prof|Profa|Eng|Gen|Cel|Cap|Dep|Sen|Gov|Min|Pe|Sto|Sta|Pres|pres|Des|Del|Desa|Rod|rod|Pça|pça|art|arts|cap|pág|págs|núm|vol|fig|n|aprox|p\.\s?ex|Av|av|tel|séc|Sp|próx|mag)$/iu,
    rarelyFinal: /(?:^|[\s("«“])(?:etc|hab|[ad]\.\s?C|S\.A|Ltda|[IVX]{1,7})$/u,
    finalLetter: /\d[ \u00a0]?[hmgl]$/u,
  },
});
