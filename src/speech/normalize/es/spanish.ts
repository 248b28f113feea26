import {
  type MatchContext,
  type NormalizationRule,
  parseRomanNumeral,
  parseTable,
  rule,
  sentenceStop,
} from '../language.ts';
import {
  createNumericDateRules,
  createResultRule,
  createSlashRangeRule,
  verbalizeDigitGroups,
} from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import {
  fractions,
  guessGender,
  money,
  numberVerbalizer,
  percentRule,
  units,
  verbalizeCardinal,
  verbalizeNumber,
  verbalizeOrdinal,
} from './numbers.ts';

const MONTHS = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ');

/** "03/05/2026", "24.12.1985", "2026-05-03"; a month written out needs no rule. */
const MONTH = `(${MONTHS.join('|')})(?!\\p{L})`;
const dateRules: readonly NormalizationRule[] = [
  ...createNumericDateRules(verbalizeDate),
  rule(/(0[1-9]|[12]\d|3[01])\/(0[1-9]|1[0-2])(?![\d/])/, ([, day = '', month = ''], place) =>
    /(?:^|\s)(?:el|del|al)\s$/iu.test(place.before)
      ? `${verbalizeCardinal(day)} de ${MONTHS[Number(month) - 1]}`
      : undefined,
  ),
  // "del 3 al 7/11", "jueves 6/3"
  rule(/([1-9]|[12]\d|3[01])\/([1-9]|1[0-2])(?![\d/])/, ([, day = '', month = ''], place) =>
    /(?:^|\s)(?:(?:del|entre el)\s\S{1,6}\s(?:al|y el)|hasta el|lunes|martes|miércoles|jueves|viernes|sábado|domingo)\s$/iu.test(
      place.before,
    )
      ? `${verbalizeCardinal(day)} de ${MONTHS[Number(month) - 1]}`
      : undefined,
  ),
  // "14 jul. 1789"
  rule(
    /([12]?\d|3[01])\s(?:de\s)?(ene|feb|mar|abr|may|jun|jul|ago|sept?|oct|nov|dic)\.(?=\s\d{4}|\s\p{Ll}|[,;)])(?:\s(?=\d{4}))?/u,
    ([written, day = '', name = '']) =>
      `${verbalizeCardinal(day)} de ${MONTHS.find((month) => month.startsWith(name.slice(0, 3)))}${written.endsWith(' ') ? ' de ' : ''}`,
  ),
  // In headlines: "31 marzo"
  rule(new RegExp(`([12]?\\d|3[01])(?= ${MONTH})`, 'u'), ([, day = '']) => `${verbalizeCardinal(day)} de`),
];

/** "14:30", "9:00 horas", "21 h", "14.30 h". */
const timeRules: readonly NormalizationRule[] = [
  // "5:02 p. m.", "12.15 a.m."
  rule(
    /(0?[1-9]|1[0-2])(?:[:.]([0-5]\d))?[ \u00a0]?([ap])\.?[ \u00a0]?m(?!\p{L})\.?/iu,
    ([written, hour = '', minute = '00', half = ''], place) =>
      `${verbalizeHalfDay(Number(hour), minute, half.toLowerCase() === 'a')}${sentenceStop(written, place)}`,
  ),
  rule(
    /([01]?\d|2[0-3]):([0-5]\d)\s?[-–]\s?([01]?\d|2[0-3]):([0-5]\d)(?![\d:])/,
    ([, hour = '', minute = '', lastHour = '', lastMinute = '']) =>
      `${verbalizeClock(hour, minute, false)} a ${verbalizeClock(lastHour, lastMinute, false)}`,
  ),
  // The time of a race: "2:58,3", "3:27.49"
  rule(/(\d{1,2}):([0-5]\d)[,.](\d{1,3})(?!\d)/, ([, minute = '', second = '', part = '']) => {
    const minutes = String(Number(minute));
    return `${numberVerbalizer.verbalizeQuantity(minutes, 'masculine')} ${minutes === '1' ? 'minuto' : 'minutos'} ${verbalizeNumber(`${Number(second)},${part}`)} segundos`;
  }),
  rule(
    /([01]?\d|2[0-3]):([0-5]\d)(?![\d:])(?:[ \u00a0](horas|hs?\.?|hrs\.?)(?!\p{L}))?/u,
    ([, hour = '', minute = '', unit]) => verbalizeClock(hour, minute, unit !== undefined),
  ),
  // "a las 21.00"
  rule(/([01]?\d|2[0-3])\.([0-5]\d)(?!\d|[.,]\d|\s?h)/, ([, hour = '', minute = ''], place) =>
    /(?:^|\s)las?\s$/u.test(place.before) ? verbalizeClock(hour, minute, false) : undefined,
  ),
  // "1'16\"", "2'05\"3"
  rule(/(\d{1,3})['’′]([0-5]\d)(?:["″”]|['’]{2})(\d{1,3})?(?!\d)/, ([, minute = '', second = '', part]) =>
    verbalizeSpan(minute, part === undefined ? second : `${Number(second)},${part}`),
  ),
  // "2h05:12"
  rule(
    /(\d{1,2})h ?([0-5]\d)(?::|['’′])([0-5]\d)?(?!\d)/,
    ([, hour = '', minute = '', second]) =>
      `${numberVerbalizer.verbalizeQuantity(String(Number(hour)), 'feminine')} ${Number(hour) === 1 ? 'hora' : 'horas'} ${verbalizeSpan(minute, second)}`,
  ),
  // "54\" a O'Connor"
  rule(/([1-9]\d?)["″”](?=\s(?:a|al|de|del|sobre|en|y)\s)/u, ([, second = ''], place) =>
    /(?:en|a|de|por|con|y)\s$/u.test(place.before) ? verbalizeSeconds(second) : undefined,
  ),
  // "19°01'N", "19° 01' 30\" N"
  rule(
    /(\d{1,3})°\s?(\d{1,2})['’′](?:\s?(\d{1,2})["″”])?/,
    ([, degrees = '', minute = '', second]) =>
      `${numberVerbalizer.verbalizeQuantity(degrees, 'masculine')} ${degrees === '1' ? 'grado' : 'grados'} ${verbalizeSpan(minute, second)} `,
  ),
  // "el 3T de 2025"
  rule(
    /([1-4])[TQ](?=\s(?:de(?:l año)?\s)?20\d\d)/,
    ([, quarter = '']) => `${verbalizeOrdinal(quarter, 'masculine')?.replace(/(primer|tercer)o$/, '$1')} trimestre`,
  ),
  // "de 8.30 a 12.00 h"
  rule(
    /([01]?\d|2[0-4])\.([0-5]\d)(?=\s(?:a|y|hasta)\s(?:las\s)?\d{1,2}(?:\.[0-5]\d)?\s?h(?:oras)?(?!\p{L}))/u,
    ([, hour = '', minute = '']) => verbalizeClock(hour, minute, false),
  ),
  rule(/([01]?\d|2[0-4])\.([0-5]\d)[ \u00a0]?(?:horas|hs?\.?|hrs\.?)(?!\p{L})/u, ([, hour = '', minute = '']) =>
    verbalizeClock(hour, minute, true),
  ),
  rule(/(\d{1,2})[ \u00a0]?(?:hs?|hrs)(?![\p{L}\p{N}/])/u, ([, hour = '']) => {
    const number = String(Number(hour));
    return `${numberVerbalizer.verbalizeQuantity(number, 'feminine')} ${number === '1' ? 'hora' : 'horas'}`;
  }),
  createResultRule(numberVerbalizer, 'a'),
];

function verbalizeSeconds(second: string): string {
  return `${numberVerbalizer.verbalizeQuantity(second, 'masculine')} ${second === '1' ? 'segundo' : 'segundos'}`;
}

/** "un minuto dieciséis segundos" */
function verbalizeSpan(minute: string, second: string | undefined): string {
  const count = (written: string, noun: string) => {
    const number = written.includes(',') ? written : String(Number(written));
    return `${numberVerbalizer.verbalizeQuantity(number, 'masculine')} ${noun}${number === '1' ? '' : 's'}`;
  };
  return second === undefined ? count(minute, 'minuto') : `${count(minute, 'minuto')} ${count(second, 'segundo')}`;
}

/** "cinco y dos de la tarde", "doce y cuarto de la noche" */
function verbalizeHalfDay(hour: number, minute: string, isMorning: boolean): string {
  const minutes = { '00': '', '15': ' y cuarto', '30': ' y media' }[minute] ?? ` y ${verbalizeCardinal(minute)}`;
  const day = isMorning
    ? hour === 12
      ? 'noche'
      : hour < 6
        ? 'madrugada'
        : 'mañana'
    : hour >= 8 && hour < 12
      ? 'noche'
      : 'tarde';
  return `${numberVerbalizer.verbalizeQuantity(String(hour), 'feminine')}${minutes} de la ${day}`;
}

/** "las catorce treinta", "las siete cero cinco", "las nueve horas". */
function verbalizeClock(hour: string, minute: string, hasUnit: boolean): string {
  const hours = numberVerbalizer.verbalizeQuantity(String(Number(hour)), 'feminine');
  if (Number(minute) === 0) return `${hours} ${Number(hour) === 1 ? 'hora' : 'horas'}`;
  const minutes = minute.startsWith('0') ? `cero ${verbalizeCardinal(minute)}` : verbalizeCardinal(minute);
  return `${hours} ${minutes}${hasUnit ? ' horas' : ''}`;
}

function verbalizeDate(day: string, month: string, year: string): string | undefined {
  const name = MONTHS[Number(month) - 1];
  if (name === undefined) return undefined;
  return `${verbalizeCardinal(day)} de ${name} de ${verbalizeCardinal(year)}`;
}

const generalAbbreviations: Readonly<Record<string, string>> = {
  ...parseTable(`
  EE. UU. = Estados Unidos; EE UU = Estados Unidos; EEUU = Estados Unidos; CC. OO. = Comisiones Obreras;
  CC OO = Comisiones Obreras; CCOO = Comisiones Obreras; JJ. OO. = Juegos Olímpicos; RR. HH. = Recursos Humanos;
  FF. AA. = Fuerzas Armadas; p. ej. = por ejemplo; a. C. = antes de Cristo; d. C. = después de Cristo; a. m. = A.M;
  p. m. = P.M; D. Ley = Decreto Ley; sept. = septiembre; prof. = profundidad; ctra. = carretera; ARNm = A.R.N mensajero; mill. = millones; etc. = etcétera; aprox. = aproximadamente; Ud. = usted; Uds. = ustedes; Vd. = usted; Vds. = ustedes;
  tel. = teléfono; tfno. = teléfono; máx. = máximo; mín. = mínimo; Cía. = compañía; avda. = avenida;
  dpto. = departamento; depto. = departamento; admón. = administración; Fdez. = Fernández; Hdez. = Hernández; Glez. = González; Gzlez. = González; Rguez. = Rodríguez;
  Mtnez. = Martínez; Mtz. = Martínez; Sr. y Sra. = señor y señora; y/o = y o; Av. de = avenida de; Av. del = avenida del; CC. AA. = comunidades autónomas;
  FF. CC. = ferrocarriles; Edo. = Estado; Pza. = plaza; Plza. = plaza; M.ª = María; Mª = María; ss. = siguientes; pte. = presidente; pdte. = presidente; Ldo. = licenciado;
  Urb. = urbanización; Edif. = edificio; izq. = izquierda; dcha. = derecha; Excmo. = excelentísimo; Excma. = excelentísima; Ilmo. = ilustrísimo; Ilma. = ilustrísima; hab. = habitantes; S. A. = S.A; S. L. = S.L
`),
  'c/': 'calle ',
};

const numberAbbreviations = parseTable(`
  n.º = número; n.° = número; nº = número; n° = número; Nº = Número; núm. = número; pág. = página; págs. = páginas;
  p. = página; pp. = páginas; art. = artículo; arts. = artículos; cap. = capítulo; vol. = volumen; fig. = figura;
  km. = kilómetro; kms. = kilómetros; ap. = apartado; op. = opus; pk = punto kilométrico; PK = punto kilométrico; p.k. = punto kilométrico; km = kilómetro; apdo. = apartado; inc. = inciso; párr. = párrafo; lun. = lunes; mar. = martes; mié. = miércoles; jue. = jueves;
  vie. = viernes; sáb. = sábado; dom. = domingo
`);

const titleAbbreviations = parseTable(`
  Sr. = señor; Sra. = señora; Srta. = señorita; Sres. = señores; Sras. = señoras; Dr. = doctor; Dra. = doctora;
  Dres. = doctores; D. = don; D.ª = doña; Dª = doña; Arq. = arquitecto; Cnel. = coronel; Cap. = capitán; Tte. = teniente; Pdta. = presidenta; Gob. = gobernador;
  Dip. = diputado; Sen. = senador; Dña. = doña; Prof. = profesor; Profa. = profesora; Lic. = licenciado;
  Ing. = ingeniero; Gral. = general; Sto. = Santo; Sta. = Santa; Av. = avenida; Avda. = avenida
`);

const pronouncedAcronyms = new Set(
  'ONU IVA AVE ETA COP VOX PIB ESO ERE OEA EL LA LOS LAS UN UNA DE DEL EN AL QUE CON POR NO SÍ ES SU SE'.split(' '),
);
const spelledAcronyms = new Set('RTVE BBVA OCDE UGT LGTBI LGTB HTTP CNMV CNMC CEOE'.split(' '));
const sentenceStarters = new Set(
  (
    'el la los las lo un una unos unas de del en al a con sin por para según tras desde hasta entre sobre ante bajo y o pero ' +
    'aunque si cuando como donde mientras porque pues además así también tampoco luego después antes entonces ahora hoy ' +
    'ayer mañana él ella ellos ellas yo tú nosotros usted ustedes este esta estos estas ese esa esos esas eso esto aquel ' +
    'su sus mi mis se no sí ya más menos muy todo todos toda todas qué quién cómo dónde cuándo hay fue es son era'
  ).split(' '),
);

const signNames = parseTable(`
  & = y; + = más; = = igual a; @ = arroba; % = por ciento; ‰ = por mil; $ = dólar; € = euro; £ = libra; ¥ = yen;
  ° = grados; § = párrafo; × = por; ÷ = dividido entre; ± = más menos; ≈ = aproximadamente; < = menor que;
  > = mayor que; → = a; / = barra; \\ = barra invertida; # = número; ~ = aproximadamente
`);

/** "1.º", "3.ª", "1er"; before a noun "primer", "tercer". */
const ordinalRule = rule(
  /(\d{1,2}|\d{3}(?=\.?(?:[ºª]|ᵉʳ))|\d{1}[. ]?\d{3}(?=\.?(?:[ºª]|ᵉʳ)))\.?(?:([ºª°])|(ᵉʳ|ero|era|er|do|da|ro|ra|to|ta|mo|ma|vo|va|no|na))(?![\p{L}\p{N}])/u,
  ([, written = '', sign, ending = ''], place) => {
    const digits = written.replace(/\D/g, '');
    const isShort = ending === 'er' || ending === 'ᵉʳ';
    if (sign === 'º' && isTemperature(digits, place))
      return `${numberVerbalizer.verbalizeQuantity(digits, 'masculine')} grados`;
    const gender = sign === 'ª' || ending.endsWith('a') ? 'feminine' : 'masculine';
    const words = verbalizeOrdinal(digits, gender);
    if (words === undefined) return undefined;
    const precedesNoun =
      /^[ \u00a0]\p{L}\p{Ll}/u.test(place.after) &&
      !/^[ \u00a0](?:y|o|de|del|en|con|por|tras|ante|a|al|entre|para|sin|sobre|según|desde)\s/u.test(place.after) &&
      !DIVISION_BEFORE.test(place.before);
    return isShort || (gender === 'masculine' && precedesNoun) ? words.replace(/(primer|tercer)o$/, '$1') : words;
  },
);
/** "artículo 1.º": the ordinal belongs to the noun before it. */
const DIVISION_BEFORE = /(?:^|[^\p{L}])(?:artículo|art\.|apartado|capítulo|título|punto|párrafo)\s$/iu;

/** "llegarán a 42º en Córdoba": the sign of an ordinal for that of degrees. */
function isTemperature(digits: string, place: MatchContext): boolean {
  if (/(?:^|\s)[-−–]$/.test(place.before)) return true;
  return (
    Number(digits) > 10 &&
    Number(digits) <= 60 &&
    TEMPERATURE_BEFORE.test(place.before) &&
    /^(?:[.,;:)]|\s(?:en|de|y|a|por|el|la|al|durante|este|esta|hoy)\s|$)/u.test(place.after)
  );
}
const TEMPERATURE_BEFORE =
  /(?:(?:^|\s)(?:a|hasta|los|entre|y|sobre|alcanz\p{L}{1,6}|roz\p{L}{1,6}|super\p{L}{1,6})|(?:máxim|mínim|temperatur|termómetr)\p{L}{1,5}(?:\s\p{L}{1,10}){0,3})\s$/iu;
/** "sacó un 9/10", which is no fraction. */
const gradeRule = rule(/(\d{1,3}(?:,\d{1,2})?)\/(\d{1,3})(?![\d/])/, ([, grade = '', best = ''], place) =>
  GRADE_BEFORE.test(place.before) ? `${verbalizeNumber(grade)} sobre ${verbalizeNumber(best)}` : undefined,
);
const GRADE_BEFORE =
  /(?:^|[^\p{L}])(?:sac\p{L}{1,5}|notas?|calific\p{L}{1,9}|puntu\p{L}{1,8}|valor\p{L}{1,8})(?:\s\p{L}{1,12}){0,3}\s$/iu;
/** A landline in groups: "91 123 45 67". */
const landlineRule = rule(/[89]\d[ \u00a0]\d{3}[ \u00a0]\d{2}[ \u00a0]\d{2}(?!\d)/, ([written]) =>
  verbalizeDigitGroups(numberVerbalizer, written),
);
/** Nine digits in groups after a word such as "teléfono". */
const telephoneGroupsRule = rule(
  /[6-9]\d{2}(?:[ \u00a0.-]\d{3}){2}(?!\d)|[6-9]\d{2}(?:[ \u00a0.-]\d{2}){3}(?!\d)/,
  ([written], place) =>
    /(?:tel[ée]?f?|llam|marc|contact|whatsapp|número|fax|móvil)/iu.test(place.before) ||
    /\d\d[ .-]\d\d[ .-]/.test(written)
      ? verbalizeDigitGroups(numberVerbalizer, written)
      : undefined,
);

/** "123-123-5678"; "1234-5678" unless it is a range of years */
const telephoneDashRule = rule(/\d{3}-\d{3}-\d{4}(?![\d-])|\d{4}-(\d{4})(?![\d-])/, ([written, last]) =>
  last === undefined || Number(last) > 2_100 ? verbalizeDigitGroups(numberVerbalizer, written) : undefined,
);

const COUNTED_BEFORE =
  /(?:^|[^\p{L}])(?:siglos?|capítulo|cap\.|tomo|parte|acto|artículo|libro|volumen|título|anexo|fase|tipo|grupo|liga|copa|guerra mundial)\s$/iu;
const SIGLO_BEFORE = /(?:^|[^\p{L}])(?:siglos?|s\.)\s(?:[IVX]{1,6}\s?(?:[-–]|al?|y)\s?)?$/iu;
const COUNTED_AFTER =
  /^\s(?:edición|congreso|jornadas?|cumbre|feria|encuentro|legislatura|semana|premios?|certamen|torneo|festival|república|concilio|milenio|centenario|aniversario|plan|trofeo|maratón|asamblea|conferencia)(?!\p{L})/iu;
const RULER_BEFORE = /(?:^|[^\p{L}])\p{Lu}[\p{Ll}]{2,20}\s$/u;
const WOMEN_BEFORE = /(?:Isabel|Margarita|Catalina|Juana|María|Cristina|Victoria)\s$/u;

const DIRECTIONS: Readonly<Record<string, string>> = {
  ...{ N: 'norte', S: 'sur', E: 'este', O: 'oeste', W: 'oeste' },
  ...{ NE: 'noreste', NO: 'noroeste', SE: 'sureste', SO: 'suroeste' },
};
/** "98,2° O", "viento del NO" */
const directionRule = rule(/[NS][EO]|[NSEOW]/u, ([letters], place) =>
  !/^[\p{L}\p{N}]/u.test(place.after) &&
  (letters.length === 1
    ? /\d\s?[°'’′"″]\s?$/.test(place.before)
    : /(?:vientos?|rachas|componente|flujo|rumbo|dirección)\s(?:del?\s)?$/iu.test(place.before))
    ? DIRECTIONS[letters]
    : undefined,
);
/** "de mar. a dom." */
const weekdayRule = rule(/(lun|mar|mié|jue|vie|sáb|dom)\.(?=\s[ay]\s|[,;:)]|\sde\s\d|$)/u, ([, name = ''], place) =>
  /(?:^|[\s(])(?:de|del|a|al|el|los|y)\s$/u.test(place.before)
    ? WEEKDAYS.find((weekday) => weekday.startsWith(name))
    : undefined,
);
const WEEKDAYS = 'lunes martes miércoles jueves viernes sábado domingo'.split(' ');
const chapterRule = rule(/[Cc]ap\.(?=\s[IVX]{1,6}(?![\p{L}\p{N}]))/u, () => 'capítulo');
const centuryRule = rule(/ss?\.(?=\s[IVX]{1,6}(?![\p{L}\p{N}]))/u, ([written]) =>
  written.startsWith('ss') ? 'siglos' : 'siglo',
);

/** Popes and kings up to the tenth have an ordinal: "Felipe sexto", "Alfonso trece". */
const romanRule = rule(/([IVXLCDM]{1,8})(?![\p{L}\p{N}]|\.\p{Lu})/u, ([, numeral = ''], place) => {
  const digits = parseRomanNumeral(numeral);
  if (digits === undefined) return undefined;
  const textBefore = place.before;
  if (SIGLO_BEFORE.test(textBefore))
    return Number(digits) < 10 ? verbalizeOrdinal(digits, 'masculine') : verbalizeCardinal(digits);
  if (COUNTED_BEFORE.test(textBefore)) return verbalizeCardinal(digits);
  if (numeral.length > 1 && COUNTED_AFTER.test(place.after)) {
    const gender = guessGender(/^\s(\p{L}+)/u.exec(place.after)?.[1]?.toLowerCase() ?? '');
    return verbalizeOrdinal(digits, gender)?.replace(/(primer|tercer)o$/, '$1') ?? verbalizeCardinal(digits);
  }
  const article = /(?:^|\s)(el|la|del|al|un|una)\s$/iu.exec(textBefore)?.[1]?.toLowerCase();
  if (article && /^\s\p{Lu}\p{Ll}/u.test(place.after) && numeral.length > 1) {
    const isFeminine = article === 'la' || article === 'una';
    const words = verbalizeOrdinal(digits, isFeminine ? 'feminine' : 'masculine');
    return words?.replace(/(primer|tercer)o$/, '$1') ?? verbalizeCardinal(digits);
  }
  if (/[LCDM]/.test(numeral) || !RULER_BEFORE.test(textBefore)) return undefined;
  if (numeral.length === 1 && /^\.?\s\p{Lu}/u.test(place.after)) return undefined;
  const gender = WOMEN_BEFORE.test(textBefore) ? 'feminine' : 'masculine';
  return Number(digits) <= 10 ? verbalizeOrdinal(digits, gender) : verbalizeCardinal(digits);
});

/** "1 voto", "21 alumnos", "200 personas"; by itself "uno". */
function verbalizeNumberInContext(written: string, place: MatchContext): string {
  const noun = /^[ \u00a0](?:mil\s)?(\p{Ll}{2,40})/u.exec(place.after)?.[1];
  if (/^[ \u00a0]de (?:el)?las(?!\p{L})/u.test(place.after))
    return numberVerbalizer.verbalizeQuantity(written, 'feminine');
  if (
    noun === undefined ||
    !/(?:1|[2-9]\d\d|\d\d00)$|\d{3}\D?\d{3}$/.test(written) ||
    NO_NOUN.has(noun) ||
    (written !== '1' && !noun.endsWith('s'))
  )
    return verbalizeNumber(written);
  return numberVerbalizer.verbalizeQuantity(written, guessGender(noun));
}

const NO_NOUN = new Set(
  'de del en al con por para que se es fue era son como sin tras desde hasta entre según cada pero'.split(' '),
);

/** Spanish of Spain. Genders are known only from the endings of nouns. */
export const spanish = createRuleBasedLanguage({
  code: 'es',
  extraLetters: 'áéíñóúü',
  numbers: numberVerbalizer,
  verbalizePlainNumber: verbalizeNumberInContext,
  units,
  money,
  fractions,
  abbreviations: { general: generalAbbreviations, titles: titleAbbreviations, numbered: numberAbbreviations },
  acronyms: { pronounced: pronouncedAcronyms, spelled: spelledAcronyms },
  signs: signNames,
  words: {
    dot: 'punto',
    hyphen: 'guion',
    underscore: 'guion bajo',
    hashtag: 'almohadilla',
    per: 'por',
    plus: 'más',
    minus: 'menos',
  },
  digits: {
    beforeAmounts: [
      ...dateRules,
      ...timeRules,
      telephoneGroupsRule,
      landlineRule,
      telephoneDashRule,
      gradeRule,
      createSlashRangeRule(numberVerbalizer),
      percentRule,
    ],
    afterAmounts: [ordinalRule],
  },
  letters: { beforeAmounts: [centuryRule, chapterRule, directionRule, weekdayRule], afterAmounts: [romanRule] },
  describeCode: (count) => `un código de ${count} caracteres`,
  plainWord: /(?!(?:pk|km) )[a-záéíóúüñ]{2,40}(?=[ ,;!?])/y,
  sentences: {
    finalLetter: /\d[ \u00a0]?[hmgl]$/u,
    neverFinal:
      /(?:^|[\s("«“¿¡])(?:Sr|Sra|Srta|Sres|Sras|Dr|Dra|Dres|D|Dña|Prof|Profa|Lic|Ing|Gral|Sto|Sta|art|arts|cap|pág|págs|núm|vol|fig|n|aprox|p\.\s?ej|EE|CC|JJ|RR|FF|Av|Avda|tel|tfno)$/iu,
    rarelyFinal:
      /(?:^|[\s("«“¿¡])(?:\d\s(?:de\s)?(?:ene|feb|mar|abr|may|jun|jul|ago|sept?|oct|nov|dic)|etc|UU|OO|HH|AA|Ud|Uds|Vd|Vds|hab|[ad]\.\s?C|S\.\s?[AL]|[IVX]{1,7})$/u,
    firstWords: sentenceStarters,
  },
});
