import {
  type MatchContext,
  type NormalizationRule,
  parseRomanNumeral,
  parseTable,
  rule,
  sentenceStop,
} from '../language.ts';
import { verbalizeCounted } from '../shared/amounts.ts';
import {
  createNumericDateRules,
  createResultRule,
  createSlashRangeRule,
  GAP,
  NUMBER,
  verbalizeDigitGroups,
} from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import {
  fractions,
  money,
  numberVerbalizer,
  roundTheClockRules,
  spellDigits,
  units,
  verbalizeCardinal,
  verbalizeNumber,
  verbalizeOrdinal,
} from './numbers.ts';

const MONTHS = 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');
const SHORT_MONTHS = parseTable(`
  janv. = janvier; févr. = février; avr. = avril; juil. = juillet; sept. = septembre; oct. = octobre; nov. = novembre;
  déc. = décembre
`);
const DAY = '(0?[1-9]|[12]\\d|3[01])';
const SHORT = Object.keys(SHORT_MONTHS).join('|').replaceAll('.', '\\.');

/** "03/05/2026", "24.12.1985", "2026-05-03", "14 juil."; a month written out needs no rule. */
const dateRules: readonly NormalizationRule[] = [
  ...createNumericDateRules(verbalizeDate),
  rule(
    new RegExp(`(${DAY}|1er)${GAP}(${SHORT})`, 'iu'),
    ([, written = '', , month = '']) => `${verbalizeDay(written)} ${SHORT_MONTHS[month.toLowerCase()]}`,
  ),
  rule(
    /1(?=[ \u00a0](?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)\b)/u,
    () => 'premier',
  ),
];

/** "14 h 30", "7h05", "21:00". */
const timeRules: readonly NormalizationRule[] = [
  rule(
    /([01]?\d|2[0-4])h([0-5]\d)?\s?[-–]\s?([01]?\d|2[0-4])h([0-5]\d)?(?![\p{L}\p{N}])/u,
    ([, hour = '', minute, lastHour = '', lastMinute]) =>
      `${verbalizeClock(hour, minute)} à ${verbalizeClock(lastHour, lastMinute)}`,
  ),
  rule(
    /([01]?\d|2[0-4])[ \u00a0\u202f]?(?:[hH]|heures?)(?:[ \u00a0\u202f]?([0-5]\d))?(?![\p{L}\p{N}]|\/\d)/u,
    ([, hour = '', minute]) => verbalizeClock(hour, minute),
  ),
  rule(/([01]?\d|2[0-3]):([0-5]\d)(?![\d:])/, ([, hour = '', minute]) => verbalizeClock(hour, minute)),
  // "1m85"
  rule(
    /(\d{1,2})[ \u00a0]?m[ \u00a0]?(\d{2})(?![\p{L}\p{N}])/u,
    ([, metres = '', centimetres = '']) =>
      `${verbalizeCardinal(metres)} ${metres === '1' ? 'mètre' : 'mètres'} ${verbalizeCardinal(centimetres)}`,
  ),

  createResultRule(numberVerbalizer, 'à'),
];

function verbalizeClock(hour: string, minute: string | undefined): string {
  const hours = String(Number(hour));
  const words = `${numberVerbalizer.verbalizeQuantity(hours, 'feminine')} ${Number(hours) < 2 ? 'heure' : 'heures'}`;
  return Number(minute ?? 0) === 0
    ? words
    : `${words} ${numberVerbalizer.verbalizeQuantity(String(Number(minute)), 'feminine')}`;
}

function verbalizeDay(written: string): string {
  return /^0?1(?:er)?$/.test(written) ? 'premier' : verbalizeCardinal(written);
}

function verbalizeDate(day: string, month: string, year: string): string | undefined {
  const name = MONTHS[Number(month) - 1];
  if (name === undefined) return undefined;
  return `${verbalizeDay(day)} ${name} ${verbalizeCardinal(year)}`;
}

const generalAbbreviations = parseTable(`
  p. ex. = par exemple; c.-à-d. = c'est-à-dire; av. J.-C. = avant Jésus-Christ; apr. J.-C. = après Jésus-Christ;
  ap. J.-C. = après Jésus-Christ; J.-C. = Jésus-Christ; etc. = et cetera; env. = environ; cf. = confer;
  tél. = téléphone; hab. = habitants; dép. = département; éd. = édition; ét. = étage; M. et Mme = Monsieur et Madame; M. le = Monsieur le; M. la = Monsieur la; M. l' = Monsieur l';
  Mme la = Madame la; Mme le = Madame le; Mme l' = Madame l'; et/ou = et ou; av. de = avenue de; av. du = avenue du; av. des = avenue des; max. = maximum;
  bd = boulevard; ARNm = A.R.N messager; rens. = renseignements; pl. = place; bât. = bâtiment; Sté = Société; Ets = Établissements; ex. = exemple; dir. gén. = directeur général;
  dir. = directeur; gén. = général; adj. = adjoint; resp. = responsable; sem. = semaine; suppl. = supplément; Cie = compagnie; St- = Saint-; Ste- = Sainte-
`);

const numberAbbreviations = parseTable(`
  n° = numéro; nᵒ = numéro; nᵒˢ = numéros; nº = numéro; N° = Numéro; no = numéro; nos = numéros; p. = page; pp. = pages; art. = article;
  chap. = chapitre; lun. = lundi; mar. = mardi; mer. = mercredi; jeu. = jeudi; ven. = vendredi; sam. = samedi; dim. = dimanche; vol. = volume; fig. = figure; al. = alinéa; RN = R.N; op. = opus; PK = point kilométrique; réf. = référence; ann. = annexe; dépt = département
`);

const titleAbbreviations = parseTable(`
  M. = Monsieur; MM. = Messieurs; Mme = Madame; Mmes = Mesdames; Mlle = Mademoiselle; Mlles = Mesdemoiselles;
  Mᵐᵉ = Madame; Mᵐᵉˢ = Mesdames; Mˡˡᵉ = Mademoiselle; Dʳ = Docteur; Pʳ = Professeur; Mᵉ = Maître; Mᵍʳ = Monseigneur;
  Dr. = Docteur; Pr. = Professeur; Dr = Docteur; Pr = Professeur; Me = Maître; Mgr = Monseigneur; Gal = Général; Gén. = Général; Cdt = Commandant; Cne = Capitaine; Lt = Lieutenant; St = Saint; Ste = Sainte; av. = avenue
`);

const pronouncedAcronyms = new Set(
  'ONU ENA CAC COP SUD LE LA LES UN UNE DES DU DE ET EN AU AUX QUI QUE EST PAS NON OUI SUR'.split(' '),
);
const spelledAcronyms = new Set('SARL CJUE CEDH FCFA OCDE AIEA RATP CFDT UMP INA HTTP ANPE RTBF'.split(' '));
const sentenceStarters = new Set(
  (
    'le la les l un une des du de il elle ils elles on nous vous je tu ce cet cette ces cela ça c en au aux à dans par pour ' +
    'sur avec sans sous chez mais et ou donc or ni car si quand lorsque comme puis ensuite après avant depuis pendant ' +
    'selon malgré ainsi alors aussi aujourd hier demain enfin pourtant cependant toutefois plus moins tout tous toutes ' +
    'son sa ses leur leurs notre nos mon ma mes qui que quel quelle où pourquoi comment ici là voici voilà ne pas'
  ).split(' '),
);

const signNames = parseTable(`
  & = et; + = plus; = = égale; @ = arobase; % = pour cent; ‰ = pour mille; $ = dollar; € = euro; £ = livre; ¥ = yen;
  ° = degrés; § = paragraphe; × = fois; ÷ = divisé par; ± = plus ou moins; ≈ = environ; < = inférieur à;
  > = supérieur à; → = vers; / = slash; \\ = antislash; # = dièse; ~ = environ
`);

/** "1er", "1re", "2e", "21ème", "2nde". */
const ordinalRule = rule(
  /(\d{1,4}|\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,4})(ers?|res?|ères?|èmes?|emes?|es?|ième|nde?)(?![\p{L}\p{N}])/u,
  ([, written = '', ending = '']) => {
    const digits = written.replace(/\D/g, '');
    const plural = ending.endsWith('s') ? 's' : '';
    if (digits === '1') return /^er/.test(ending) ? `premier${plural}` : `première${plural}`;
    if (/^(?:er|re|ère)/.test(ending)) return undefined;
    if (/^nd/.test(ending)) return digits === '2' ? ending.replace('n', 'secon') : undefined;
    return Number(digits) === 0 ? undefined : verbalizeOrdinal(digits) + plural;
  },
);
/** Five pairs: "01 23 45 67 89". */
const telephonePairsRule = rule(/0\d(?:[ \u00a0.\u202f-]\d{2}){4}(?!\d)/, ([written]) =>
  (written.match(/\d\d/g) ?? [])
    .map((pair) => (pair.startsWith('0') ? spellDigits(pair) : verbalizeCardinal(pair)))
    .join(', '),
);
/** "3 h 45 min.", "min. 3 ans" */
const minuteRule = rule(
  /min\.(?!\p{L})/u,
  ([written], place) => `${/\d[ \u00a0]?$/.test(place.before) ? 'minutes' : 'minimum'}${sentenceStop(written, place)}`,
);
/** "du mar. au dim." */
const weekdayRule = rule(
  /(lun|mar|mer|jeu|ven|sam|dim)\.(?=\sau\s|\set\s|[,;:)]|\sde\s\d|$)/u,
  ([, name = ''], place) =>
    /(?:^|[\s(])(?:du|au|le|les|et)\s$/u.test(place.before)
      ? WEEKDAYS.find((weekday) => weekday.startsWith(name))
      : undefined,
);
const WEEKDAYS = 'lundi mardi mercredi jeudi vendredi samedi dimanche'.split(' ');
/** "le 01/02": both with two digits. */
const shortDateRule = rule(/(0[1-9]|[12]\d|3[01])\/(0[1-9]|1[0-2])(?![\d/])/, ([, day = '', month = ''], place) =>
  /(?:^|\s)(?:le|du|au)\s$/iu.test(place.before) ? `${verbalizeDay(day)} ${MONTHS[Number(month) - 1]}` : undefined,
);
/** "du 3 au 7/11", "jeudi 6/3": the words before it make it a date. */
const clearDateRule = rule(/([1-9]|[12]\d|3[01])\/([1-9]|1[0-2])(?![\d/])/, ([, day = '', month = ''], place) =>
  /(?:^|\s)(?:(?:du|entre le)\s\S{1,6}\s(?:au|et le)|jusqu['’]au|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche)\s$/iu.test(
    place.before,
  )
    ? `${verbalizeDay(day)} ${MONTHS[Number(month) - 1]}`
    : undefined,
);
/** "7-6 (7/3)": points of a tie-break */
const tieBreakRule = rule(/(\d{1,2})[/-](\d{1,2})(?=\))/, ([, first = '', last = ''], place) =>
  /\d[-–/]\d\s?\($/.test(place.before) ? `${verbalizeCardinal(first)} à ${verbalizeCardinal(last)}` : undefined,
);
/** "le 49.3" of the constitution */
const constitutionRule = rule(/49[.,-]3(?!\d)/, () => 'quarante-neuf trois');
/** "120 x 80 cm"; not "4 x 100 m" */
const dimensionRule = rule(
  /(\d{2,4}|\d{1,3},\d{1,2})(?:[ \u00a0]?(?:cm|m))?[ \u00a0]?[x×](?=[ \u00a0]?\d{1,4}(?:,\d{1,2})?[ \u00a0]?(?:[x×]|[cm]?m(?!\p{L})))/u,
  ([, length = '']) => `${verbalizeNumber(length)} sur`,
);
/** "3,5 M d'habitants" */
const magnitudeRule = rule(
  new RegExp(`(${NUMBER})${GAP}(Mds?|Mrd|M)(?=\\sd(?:e\\s|['’]))`, 'u'),
  ([, written = '', name = '']) => {
    const noun = money.magnitudes[name];
    return noun && verbalizeCounted(numberVerbalizer, written, undefined, noun);
  },
);
/** "loi n° 2005-102": two numbers, no range. */
/** "les 17/18/19 mars", "les 5-6 juin" */
const dayListRule = rule(
  new RegExp(`(\\d{1,2}(?:[/-]\\d{1,2}){1,3})(?= (?:${MONTHS.join('|')})(?!\\p{L}))`, 'u'),
  ([written], place) =>
    /(?:^|\s)les\s$/iu.test(place.before) && (written.includes('/') || written.split('-').length > 2)
      ? written.split(/[/-]/).map(verbalizeDay).join(' ')
      : undefined,
);
const fileNumberRule = rule(/(\d{2,4})-(\d{1,6})(?![\d-])/, ([, first = '', last = ''], place) =>
  /(?:n°|nº|\bno|\b[LRDA]\.)\s?$/iu.test(place.before) ||
  (Number(last) < Number(first) && /(?:^|[^\p{L}])(?:articles?|art\.)\s$/iu.test(place.before))
    ? `${verbalizeNumber(first)} ${verbalizeNumber(last)}`
    : undefined,
);
const serviceNumberRule = rule(/0 ?8\d\d(?: ?\d{3}){2}(?!\d)/, ([written]) =>
  verbalizeDigitGroups(numberVerbalizer, written),
);
/** "9"84", "1'12''": results of races. */
const raceTimeRules = [
  rule(
    /(\d{1,2})(?:["″”]|'')(\d{2})(?!\d)/,
    ([, seconds = '', hundredths = '']) => `${verbalizeSpan(seconds, 'seconde')} ${verbalizeCardinal(hundredths)}`,
  ),
  rule(/(\d{1,3})['’′]([0-5]\d)(?:(?:["″”]|['’]{2})(\d{2,3})?)?(?!\d)/, ([, minutes = '', seconds = '', rest]) =>
    [
      verbalizeSpan(minutes, 'minute'),
      rest === undefined
        ? verbalizeSpan(seconds, 'seconde')
        : `${verbalizeSpan(seconds, 'seconde')} ${verbalizeCardinal(rest)}`,
    ].join(' '),
  ),
];

function verbalizeSpan(digits: string, noun: string): string {
  const number = String(Number(digits));
  return `${numberVerbalizer.verbalizeQuantity(number, 'feminine')} ${Number(number) < 2 ? noun : `${noun}s`}`;
}
/** "la guerre de 14-18" */
const warRule = rule(/(14|39)-(18|45)(?!\d)/, ([, first = '', last = ''], place) =>
  /guerre\s(?:de\s)?$/iu.test(place.before) ? `${verbalizeCardinal(first)} ${verbalizeCardinal(last)}` : undefined,
);
/** "noté 9/10", which is no fraction. */
const gradeRule = rule(/(\d{1,3}(?:,\d{1,2})?)\/(\d{1,3})(?![\d/])/, ([, grade = '', best = ''], place) =>
  GRADE_BEFORE.test(place.before) ? `${verbalizeNumber(grade)} sur ${verbalizeNumber(best)}` : undefined,
);
const GRADE_BEFORE = /(?:^|[^\p{L}])(?:notes?|noté[es]{0,2}|moyenne|score|évaluation)(?:\s\p{L}{1,12}){0,4}\s$/iu;
/** "l'ONU": the article is a separate token, so that the acronym rules apply. */
const elisionRule = rule(/(?:[cdjlmnst]|qu|lorsqu|puisqu|jusqu)['’](?=\p{Lu}|\d)/iu, ([written]) => written);
const romanRules = [
  // "J-10"
  rule(/J-(?=\d{1,3}(?!\d))/, () => 'J moins '),
  // "T3 2025"
  rule(/T([1-4])(?=\s20\d\d)/, ([, quarter = '']) => `${verbalizeOrdinal(quarter)} trimestre`),
  // "48,2° N"
  rule(/[NSEO](?![\p{L}\p{N}])/u, ([letter], place) =>
    /\d\s?[°'’′"″]\s?$/.test(place.before) ? DIRECTIONS[letter] : undefined,
  ),
  rule(/XV(?=\s(?:de|tricolore|du)\s)/, () => 'quinze'),
  rule(/([IVX]{1,7})(er|re|e|ème)(?![\p{L}\p{N}])/u, ([, numeral = '', ending = '']) => {
    const digits = parseRomanNumeral(numeral);
    if (digits === undefined) return undefined;
    if (digits === '1') return ending === 'er' ? 'premier' : 'première';
    return verbalizeOrdinal(digits);
  }),
  rule(/([IVXLCDM]{1,8})(?![\p{L}\p{N}]|\.\p{Lu})/u, ([, numeral = ''], place) => {
    const digits = parseRomanNumeral(numeral);
    if (digits === undefined) return undefined;
    const textBefore = place.before;
    // "article L. 121-1"
    if (/^[LCDM]$/.test(numeral)) return undefined;
    if (COUNTED_BEFORE.test(textBefore)) return verbalizeCardinal(digits);
    return numeral.length > 1 && !/[LCDM]/.test(numeral) && RULER_BEFORE.test(textBefore)
      ? verbalizeCardinal(digits)
      : undefined;
  }),
];
const DIRECTIONS: Readonly<Record<string, string>> = { N: 'nord', S: 'sud', E: 'est', O: 'ouest' };
const COUNTED_BEFORE =
  /(?:^|[^\p{L}])(?:chapitre|chap\.|tome|partie|acte|article|livre|volume|classe|type|phase|groupe|titre|annexe|guerre mondiale|louis|henri|charles|paul|pie|napoléon)\s$/iu;
const RULER_BEFORE = /(?:^|[^\p{L}])\p{Lu}[\p{Ll}-]{2,20}(?:-\p{Lu}\p{Ll}{1,20})?\s$/u;

/** "1 personne", "21 années", "années 80". */
function verbalizeNumberInContext(written: string, place: MatchContext): string {
  const noun = /^[ \u00a0](\p{Ll}{2,40})/u.exec(place.after)?.[1] ?? '';
  const isFeminine =
    /(?:tion|sion|ité|esse|ance|ence|ure|ette|ière|aine)s?$/u.test(noun) || FEMININE.has(noun.replace(/s$/, ''));
  return isFeminine ? numberVerbalizer.verbalizeQuantity(written, 'feminine') : verbalizeNumber(written);
}

const FEMININE = new Set(
  'personne femme fille année semaine heure minute seconde voiture maison ville école entreprise victime tonne livre place page voix fois chose partie équipe région commune étape édition'.split(
    ' ',
  ),
);

/** French of France. Genders are known only from endings and units. */
export const french = createRuleBasedLanguage({
  code: 'fr',
  extraLetters: 'àâæçéèêëîïôœùûüÿ',
  numbers: numberVerbalizer,
  verbalizePlainNumber: verbalizeNumberInContext,
  units,
  money,
  fractions,
  abbreviations: { general: generalAbbreviations, titles: titleAbbreviations, numbered: numberAbbreviations },
  acronyms: { pronounced: pronouncedAcronyms, spelled: spelledAcronyms },
  signs: signNames,
  words: {
    dot: 'point',
    hyphen: 'tiret',
    underscore: 'tiret bas',
    hashtag: 'hashtag',
    per: 'par',
    plus: 'plus',
    minus: 'moins',
  },
  digits: {
    beforeAmounts: [
      ...dateRules,
      dayListRule,
      telephonePairsRule,
      fileNumberRule,
      serviceNumberRule,
      ...raceTimeRules,
      constitutionRule,
      clearDateRule,
      tieBreakRule,
      createSlashRangeRule(numberVerbalizer),
      dimensionRule,
      warRule,
      gradeRule,
      shortDateRule,
      magnitudeRule,
      ...timeRules,
    ],
    afterAmounts: [ordinalRule, ...roundTheClockRules],
  },
  letters: { beforeAmounts: [elisionRule, minuteRule, weekdayRule], afterAmounts: romanRules },
  describeCode: (count) => `un code de ${count} caractères`,
  plainWord: /(?!nos )[a-zà-öø-ÿœ]{3,40}(?=[ ,;!?])/y,
  sentences: {
    finalLetter: /\d[ \u00a0\u202f]?[hmgl]$/u,
    closing: /^»\s{0,9}/,
    neverFinal:
      /(?:^|[\s("«“])(?:M|MM|Mme|Mlle|Dr|Pr|Me|Mgr|St|Ste|art|Art|chap|vol|fig|pp|cf|env|av|apr|tél|lun|jeu|ven|sam|dim|p\.\s?ex|c\.-à-d)$/u,
    rarelyFinal: /(?:^|[\s("«“])(?:etc|min|hab|J\.-C|ap|janv|févr|avr|juil|sept|oct|nov|déc|[IVX]{1,7})$/u,
    firstWords: sentenceStarters,
  },
});
