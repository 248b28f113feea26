import {
  findTable,
  type MatchContext,
  type NormalizationRule,
  parseRomanNumeral,
  parseTable,
  rule,
  wordSet,
} from '../language.ts';
import { createMagnitudeRule } from '../shared/amounts.ts';
import {
  createNumericDateRules,
  createRaceTimeRules,
  createShortDateRule,
  createSpanRules,
  createWeekdayRule,
} from '../shared/dates.ts';
import { createResultRule, createSlashRangeRule, createTieBreakRule, verbalizeDigitGroups } from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import { createDirectionRule } from '../shared/serials.ts';
import {
  fractions,
  guessGender,
  money,
  numberVerbalizer,
  units,
  verbalizeCardinal,
  verbalizeNumber,
  verbalizeOrdinal,
} from './numbers.ts';
import tables from './tables.txt' with { type: 'text' };

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

const general = parseTable(findTable(tables, 'general'));
const numbered = parseTable(findTable(tables, 'numbered'));
const titles = parseTable(findTable(tables, 'titles'));

const pronounced = wordSet(`
  RAM ROM COP IPCA ONU IVA SUS OEA PIB MEC ENEM FIFA UEFA OTAN O A OS AS UM UMA DE DO DA EM NO NA POR COM SEM SÃO NÃO QUE SE E
`);
const spelled = new Set('BNDES IBGE INSS CNBB PSDB PMDB CPMF FGTS IPTU OCDE AIEA HTTP URL'.split(' '));
const sentenceStarters = wordSet(findTable(tables, 'sentence starters'));
const signs = parseTable(findTable(tables, 'signs'));

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
const POLITICIANS = parseTable(
  'dep = deputado|deputada; sen = senador|senadora; gov = governador|governadora; min = ministro|ministra; pres = presidente|presidente',
);
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

const NO_NOUN = wordSet(`
  de do da em no na e ou por para com a que se é foi era como sem até entre mas contra
`);

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
  ...{ abbreviations: { general, titles, numbered }, acronyms: { pronounced, spelled }, signs },
  ...{ numbers: numberVerbalizer, units, money, fractions },
  periods: parseTable('hab = habitante; pess = pessoa; d = dia; sem = semana; h = hora'),
  words: parseTable(
    'ratio = para; or = ou; less = menos de; more = mais de; inches = polegadas; games = a; dot = ponto; hyphen = hífen; underscore = sublinhado; hashtag = hashtag; per = por; plus = mais; minus = menos',
  ),
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
      createDirectionRule(
        parseTable(
          'N = norte; S = sul; E = leste; O = oeste; W = oeste; NE = nordeste; NO = noroeste; NW = noroeste; SE = sudeste; SO = sudoeste; SW = sudoeste',
        ),
        /^\.?\s(?:de|do|da)\s/u,
      ),
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
    firstWords: sentenceStarters,
  },
});
