import { capitalize } from '../../../capitalize.ts';
import {
  findTable,
  type MatchContext,
  type NormalizationRule,
  parseRomanNumeral,
  parseTable,
  parseWords,
  rule,
  sentenceStop,
} from '../language.ts';
import {
  createNumericDateRules,
  createRaceTimeRules,
  createShortDateRule,
  createSpanRules,
  createWeekdayRule,
} from '../shared/dates.ts';
import {
  createResultRule,
  createShortYearRules,
  createSlashRangeRule,
  createTieBreakRule,
  NUMBER,
  verbalizeDigitGroups,
} from '../shared/numbers.ts';
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

const MONTHS = parseWords(findTable(tables, 'months'));
const MONTH = `(?:${MONTHS.join('|')})(?!\\p{L})`;
const SHORT_MONTHS = parseTable(findTable(tables, 'short months'));

/** "03/05/2026", "2026-05-03", "1 maggio", "12 sett." */
const dateRules: readonly NormalizationRule[] = [
  // "la guerra del 1915-18"
  rule(/(1[5-9]\d\d|20\d\d)[-–](\d\d)(?![\d-]|[.,]\d)/, ([, first = '', last = '']) =>
    Number(first.slice(2)) < Number(last) ? `${verbalizeCardinal(first)} ${verbalizeCardinal(last)}` : undefined,
  ),
  ...createNumericDateRules((day, month, year) => {
    const name = MONTHS[Number(month) - 1];
    return name && `${verbalizeDay(day)} ${name} ${verbalizeCardinal(year)}`;
  }),
  createShortDateRule(
    /(?:^|[^\p{L}])(?:(?:dal|tra il|fra il|dall['’])\s?\d{1,2}(?:\/\d{1,2})?\s(?:al|e il|all['’])|(?:luned|marted|mercoled|gioved|venerd)ì|sabato|domenica|(?:lun|mar|mer|gio|ven|sab|dom)\.?|entro il|fino al)\s?$/iu,
    /(?:^|[^\p{L}])(?:il|dal|al|del|nel|l['’]|dell['’]|dall['’]|all['’])\s?$/iu,
    (day, month) => `${verbalizeDay(day)} ${MONTHS[month - 1]}`,
  ),
  rule(new RegExp(`(1)[°º]?(?=\\s${MONTH})`, 'u'), () => 'primo'),
  rule(
    new RegExp(`(\\d{1,2})\\s(${Object.keys(SHORT_MONTHS).join('|')})\\.(?=\\s\\d{4}|\\s\\p{Ll}|[,;)]|$)`, 'u'),
    ([, day = '', month = '']) => `${verbalizeDay(day)} ${SHORT_MONTHS[month]}`,
  ),
];

function verbalizeDay(day: string): string {
  return Number(day) === 1 ? 'primo' : verbalizeCardinal(day);
}

const SPAN_UNITS = 'd = grado|gradi; h = ora|ore|feminine; m = minuto|minuti; s = secondo|secondi';
const TIME_BEFORE = /(?:^|[^\p{L}])(?:ore|alle|dalle|le|delle|all['’]|verso le|fino alle|entro le|h)\s?$/iu;

/** "alle 14.30", "ore 9:05", "14:30". */
const timeRules: readonly NormalizationRule[] = [
  rule(/([01]?\d|2[0-4])\.([0-5]\d)(?![.,]?\d)/, ([, hour = '', minute = ''], place) =>
    TIME_BEFORE.test(place.before) ? verbalizeClock(hour, minute) : undefined,
  ),
  rule(/([01]?\d|2[0-4]):([0-5]\d)(?![\d:])/, ([, hour = '', minute = '']) => verbalizeClock(hour, minute)),
  ...createRaceTimeRules(numberVerbalizer, SPAN_UNITS).map(
    (timeRule): NormalizationRule =>
      (text, at) => {
        const match = timeRule(text, at);
        return match && { ...match, spoken: match.spoken.replace(/^una ora/, "un'ora") };
      },
  ),
  ...createSpanRules(numberVerbalizer, SPAN_UNITS),
  // "in 2h e 16'", "è durato 58'"
  rule(/(\d{1,3})['’′](?![\p{L}\p{N}"”″'’+])/u, ([, minute = ''], { before }) =>
    /(?<!\p{L})(?:\d{1,2}\s?h\s(?:e\s)?|\d\sore\se\s|dur\p{L}{1,5}\s(?:solo\s|circa\s)?|giocato\s|giocati\s|soli\s)$/iu.test(
      before,
    )
      ? `${verbalizeCardinal(minute)} minuti`
      : undefined,
  ),
  // "al 90'+3", "un ritardo di 90'"
  rule(/(\d{1,3})['’′](?:\s?\+\s?(\d{1,2})['’′]?)?(?![\p{L}\p{N}])/u, ([, minute = '', extra], { before }) => {
    const isCounted = /(?:^|[^\p{L}])(?:di|ha|circa|ogni|per|con|da|dopo|oltre|durata)\s$/iu.test(before);
    if (extra === undefined && (isCounted || (/(?:,|\()\s?$/.test(before) && Number(minute) > 59)))
      return `${verbalizeCardinal(minute)} minuti`;
    if (Number(minute) < 1 || Number(minute) > 130) return undefined;
    return `${verbalizeOrdinal(minute)}${extra ? ` più ${verbalizeCardinal(extra)}` : ''}`;
  }),
  createTieBreakRule(numberVerbalizer, 'a'),
  createResultRule(numberVerbalizer, 'a'),
];

/** "quattordici e trenta", "una", "venti". */
function verbalizeClock(hour: string, minute: string): string {
  const hours = numberVerbalizer.verbalizeQuantity(String(Number(hour)), 'feminine');
  return Number(minute) === 0 ? hours : `${hours} e ${verbalizeCardinal(minute)}`;
}

/** "1º", "3ª", "21°"; before a noun of any gender the sign decides. */
const ordinalRule = rule(/(\d{1,4})([ºª°])(?![\p{L}\p{N}]|\s?[CF](?!\p{L}))/u, ([, digits = '', sign], place) => {
  if (Number(digits) === 0) return undefined;
  // Degrees come after a larger number or before a full stop of a temperature.
  if (sign === '°' && !/^\s\p{L}/u.test(place.after)) return undefined;
  const noun = /^\s(\p{L}+)/u.exec(place.after)?.[1] ?? '';
  const isFeminine = sign === 'ª' || (sign === '°' && guessGender(noun) === 'feminine');
  return verbalizeOrdinal(digits, isFeminine ? 'feminine' : 'masculine');
});
/** "la 17enne", "un 23enne" */
const ageRule = rule(
  /(\d{2,3})[- ]?enn([ei])(?!\p{L})/u,
  ([, digits = '', ending = '']) =>
    `${verbalizeCardinal(digits)
      .replace(/tré$/, 'tre')
      .replace(/(?<!tre)[aeiou]$/, '')}enn${ending}`,
);
/** "24-25 novembre" */
const dayPairRule = rule(new RegExp(`(\\d{1,2})[-/](\\d{1,2})(?=\\s${MONTH})`, 'u'), ([, first = '', last = '']) =>
  Number(last) === Number(first) + 1 ? `${verbalizeCardinal(first)} e ${verbalizeCardinal(last)}` : undefined,
);
/** "è 8° a 12 secondi" */
const rankRule = rule(/(\d{1,3})[°ª](?!\s?[CF](?!\p{L}))/u, ([written, digits = ''], { before, after }) =>
  (/\p{L},\s$/u.test(before) && /^\s(?:in|al|nel|nella|dietro|davanti)\s/.test(after)) ||
  /(?<!\p{L})(?:partirà|parte|chiuderà|arriverà|finirà|sarà|partiva|chiudeva|era|giunto|arrivato|terzo|salito)\s$/iu.test(
    before,
  ) ||
  /(?<!\p{L})(?:è|era|fu|resta|chiude|finisce|arriva|termina|sale|parte|scatta|giunge|classificat[oa])\s$/iu.test(
    before,
  )
    ? verbalizeOrdinal(digits, written.endsWith('ª') ? 'feminine' : 'masculine')
    : undefined,
);
/** "4,7 ha svegliato": no hectares */
const hasRule = rule(new RegExp(NUMBER), ([written], place) =>
  /^[ \u00a0]ha\s(?:\p{L}{2,15}(?:[aiu]to|rso|sto|tto|nto)|perso|preso|reso|chiuso|deciso|ucciso|messo|vinto)(?!\p{L})/u.test(
    place.after,
  )
    ? verbalizeNumber(written)
    : undefined,
);
/** "3° posto": no degrees before a noun */
const ordinalSignRule: NormalizationRule = (text, at) =>
  /^\d{1,3}° (?!(?:a|al|alla|in|di|e|o|con|nel|nella|sul|sulla|per|ma|gradi|sopra|sotto|centigradi)\s)\p{Ll}/u.test(
    text.slice(at, at + 24),
  )
    ? ordinalRule(text, at)
    : undefined;
/** Groups after "tel." or with the prefix of mobile phones. */
const telephoneRule = rule(/(?:0\d{1,3}|[38]\d{2})[ /.-]\d{3,8}(?:[ .-]\d{2,4}){0,3}(?!\d)/, ([written], place) =>
  /(?:tel|chiama|numero|fax|whatsapp|cell|inform|prenot|centralino|contatt|info)/iu.test(place.before) ||
  /^3\d\d[ .-]\d{3}[ .-]?\d{3,4}$/.test(written)
    ? verbalizeDigitGroups(numberVerbalizer, written)
    : undefined,
);
/** "il numero verde 1522": in pairs */
const serviceNumberRule = rule(/(15)(\d\d)(?!\d|[.,:/-]\d)/, ([, first = '', last = ''], place) =>
  /(?:^|[^\p{L}])(?:numero|chiam\p{L}{1,5}|compor\p{L}{1,4}|telefon\p{L}{1,4}|linea)(?:\s(?!del|nel|dal)\p{L}{1,15}){0,3}\s$/iu.test(
    place.before,
  )
    ? `${verbalizeCardinal(first)} ${last.startsWith('0') ? numberVerbalizer.spellDigits(last) : verbalizeCardinal(last)}`
    : undefined,
);
/** "l'art. 5": the article is a separate token, so that other rules apply. */
const elisionRule = rule(
  /(?:[dl]|all|dell|nell|sull|dall|un|quest|quell)['’](?=\p{L}{2,6}\.|\p{Lu}|\d)/iu,
  ([written]) => written,
);

const COUNTED_BEFORE =
  /(?:^|[^\p{L}])(?:capitolo|tomo|parte|sezione|sez\.|atto|articolo|libro|volume|titolo|allegato|fase|tipo|gruppo|serie)\s$/iu;
const CENTURY =
  /^\s(?:sec\.|ed\.|trim\.|sem\.|trimestre|semestre|quadrimestre|guerra|repubblica|festival|concorso|premio|settimana|domenica|incontro|assemblea|rapporto|zona|commissione|sezione|girone|categoria|lezione|tappa|turno|grado|livello|conferenza|vertice|forum|maratona|mostra|biennale|rassegna|circoscrizione|armata|divisione|brigata|secolo|congresso|edizione|legislatura|municipio|giornata|dinastia|reggimento|arrondissement)/iu;
const RULER_BEFORE = /(?:^|[^\p{L}])\p{Lu}[\p{Ll}]{2,20}\s$/u;
const WOMEN_BEFORE = /(?:Elisabetta|Margherita|Caterina|Maria|Vittoria|Isabella|Cristina)\s$/u;

/** "XXI secolo", "Giovanni Paolo II", "capitolo IV". */
const romanRule = rule(/([IVXLCDM]{1,8})(?![\p{L}\p{N}]|\.\p{Lu})/u, ([, numeral = ''], place) => {
  const digits = parseRomanNumeral(numeral);
  if (digits === undefined) return undefined;
  const { before, after } = place;
  if (CENTURY.test(after)) {
    const isFeminine = /^\sed\./.test(after) || guessGender(/^\s(\p{L}+)/u.exec(after)?.[1] ?? '') === 'feminine';
    return verbalizeOrdinal(digits, isFeminine ? 'feminine' : 'masculine');
  }
  if (/(?:^|[^\p{L}])sec(?:olo|\.)\s$/iu.test(before)) return verbalizeOrdinal(digits);
  if (COUNTED_BEFORE.test(before)) return verbalizeCardinal(digits);
  if (/[LCDM]/.test(numeral) || !RULER_BEFORE.test(before)) return undefined;
  if (numeral.length === 1 && /^\.?\s\p{Lu}/u.test(after)) return undefined;
  return verbalizeOrdinal(digits, WOMEN_BEFORE.test(before) ? 'feminine' : 'masculine');
});

/** "1 voto", "1 persona"; by itself "uno". */
function verbalizeNumberInContext(written: string, place: MatchContext): string {
  const noun = /^[ \u00a0](\p{Ll}{2,40})/u.exec(place.after)?.[1];
  if (
    written !== '1' ||
    noun === undefined ||
    /^(?:a|e|o|ed|od|ad|di|su|per|con|in|da|contro|al|del|all|dell|nell|dall|sull|alla|nel|dal|sul|ai|ma|dopo|e)$/.test(
      noun,
    )
  ) {
    return verbalizeNumber(written);
  }
  return numberVerbalizer.verbalizeQuantity(written, guessGender(noun));
}

/** Genders are known only from endings. */
export const italian = createRuleBasedLanguage({
  code: 'it',
  extraLetters: 'àèéìíîòóùú',
  verbalizePlainNumber: verbalizeNumberInContext,
  ...{ tables, numbers: numberVerbalizer, units, money, fractions },
  verbalizePer: (noun) =>
    /^\d/.test(noun)
      ? 'ogni '
      : /^[aeiou]/.test(noun)
        ? "all'"
        : /^(?:tonnellata|persona|settimana|notte)/.test(noun)
          ? 'a '
          : 'al ',
  digits: {
    beforeAmounts: [
      dayPairRule,
      ageRule,
      rankRule,
      ...dateRules,
      ...timeRules,
      createSlashRangeRule(numberVerbalizer),
      telephoneRule,
      serviceNumberRule,
      ordinalSignRule,
      hasRule,
    ],
    afterAmounts: [ordinalRule],
  },
  letters: {
    beforeAmounts: [
      // "delle h 8.21"
      rule(/h(?=\s\d{1,2}(?:[.:]\d\d)?(?![\d\p{L}]))/u, () => 'ore'),
      // "Min. -2°C, max. 14°C"
      rule(/(m)(in|ax)\.(?!\p{L})/iu, ([written, first = '', rest], place) => {
        const ending = /^\s(?:di\s)?[-−–+]?\d{1,2}\s?°/.test(place.after) ? 'a' : 'o';
        return `${first}${rest === 'in' ? 'inim' : 'assim'}${ending}${sentenceStop(written, place)}`;
      }),
      // "a 3 km di prof."
      rule(/prof\.(?!\s\p{Lu}\p{Ll}|\p{L})/u, ([written], place) =>
        /\d\s?k?m\s(?:di|in)\s$/.test(place.before) ? `profondità${sentenceStop(written, place)}` : undefined,
      ),
      // "27 NOV", in a dateline
      rule(/(GEN|FEB|MAR|APR|MAG|GIU|LUG|AGO|SET|OTT|NOV|DIC)(?=\s[-–(])/, ([month = ''], { before }) =>
        /\p{Lu}{3,},\s\d{1,2}\s$/u.test(before) ? SHORT_MONTHS[month.toLowerCase()] : undefined,
      ),
      // "attivo h24"
      rule(/[hH]24(?![\p{L}\p{N}])/u, () => 'acca ventiquattro'),
      elisionRule,
      createWeekdayRule(
        'lunedì martedì mercoledì giovedì venerdì sabato domenica'.split(' '),
        /(?:^|[\s(])(?:di|da|il|al|e)\s$/u,
      ),
      createDirectionRule(parseTable(findTable(tables, 'directions')), /^\.?\s(?:di|del|della)\s|^\sa\s\d/u),
    ],
    afterAmounts: [romanRule],
  },
  signRules: [
    // "nel '900"
    rule(/['’]([2-9])00(?!\d)/, ([, hundreds = '']) => capitalize(verbalizeCardinal(`${hundreds}00`))),
    ...createShortYearRules(numberVerbalizer),
  ],
  describeCode: (count) => `un codice di ${count} caratteri`,
  plainWord: /[a-zàèéìòù]{4,40}(?=[ ,;!?])/y,
  sentences: {
    neverFinal:
      /(?:^|[\s("«“'’])(?:sig|sig\.ra|dott|dott\.ssa|dr|prof|prof\.ssa|ing|avv|arch|on|sen|sez|sent|Cass|Trib|fraz|Min|min|Pres|pres|ten|magg|geom|gen|col|mons|card|art|artt|pag|pagg|pp|vol|fig|cap|n|nn|nr|ca|cfr|tel|cell|max|ad\s?es|per\s?es|p\.\s?es|S)$/iu,
    rarelyFinal: /(?:^|[\s("«“])(?:ecc|ab|[ad]\.\s?C|S\.p\.A|S\.r\.l|[IVX]{1,7})$/u,
    finalLetter: /\d[ \u00a0]?[hmgl]$/u,
  },
});
