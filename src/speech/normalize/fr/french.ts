import { findTable, type MatchContext, parseRomanNumeral, parseTable, rule, sentenceStop } from '../language.ts';
import { createMagnitudeRule } from '../shared/amounts.ts';
import { createShortYearRules, createSlashRangeRule, createTieBreakRule } from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import { createDirectionRule, createEuropeanActRule } from '../shared/serials.ts';
import {
  dateRules,
  fractions,
  guessGender,
  money,
  numberVerbalizer,
  raceTimeRules,
  roundTheClockRules,
  timeRules,
  units,
  verbalizeOrdinal,
  weekdayRule,
} from './numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const { verbalizeCardinal, verbalizeNumber, spellDigits } = numberVerbalizer;

/** "1er", "1re", "2e", "21ème", "2nde". */
const ordinalRule = rule(
  /(\d{1,4}|\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,4})(ers?|res?|ères?|èmes?|emes?|es?|è|ième|n?de?)(?![\p{L}\p{N}])/u,
  ([, written = '', ending = '']) => {
    const digits = written.replace(/\D/g, '');
    const plural = ending.endsWith('s') ? 's' : '';
    if (digits === '1') return /^er/.test(ending) ? `premier${plural}` : `première${plural}`;
    if (/^(?:er|re|ère)/.test(ending)) return undefined;
    if (/^n?d/.test(ending)) return digits === '2' ? `secon${ending.replace('n', '')}` : undefined;
    return Number(digits) === 0 ? undefined : verbalizeOrdinal(digits) + plural;
  },
);
/** Five pairs: "01 23 45 67 89", "0612345678". */
const telephonePairsRule = rule(/0\d(?:[ \u00a0.\u202f-]\d{2}){4}(?!\d)|0[1-9]\d{8}(?!\d)/, ([written]) =>
  (written.match(/\d\d/g) ?? []).map(sayGroup).join(', '),
);
/** "en ré min." */
const keyRule = rule(/(min|maj)\.(?!\p{L})/u, ([written, mode], place) =>
  /(?:^|\s)(?:do|ut|ré|mi|fa|sol|la|si)(?:\s(?:bémol|dièse))?\s$/iu.test(place.before)
    ? `${mode === 'min' ? 'mineur' : 'majeur'}${sentenceStop(written, place)}`
    : undefined,
);
/** "Mes Dupont et Leroy" */
const lawyersRule = rule(/Mes(?=\s\p{Lu}[\p{L}'’-]{1,20}(?:,|\set)\s\p{Lu})/u, () => 'Maîtres');
/** "Ligue 1 (13e j.)", "2e éd.", "éd. 2024", "éd. Gallimard", "art. L. 121-1" */
const countedRules = [
  rule(/j\.(?!\p{L})/u, ([written], place) =>
    /\d(?:re|e)\s$/u.test(place.before) ? `journée${sentenceStop(written, place)}` : undefined,
  ),
  rule(
    /[ée]d\.(?!\p{L})/iu,
    ([written], place) =>
      `édition${/\d(?:re|e)\s$/u.test(place.before) || /^\s(?:19|20)\d\d(?!\d)/.test(place.after) ? '' : 's'}${sentenceStop(written, place)}`,
  ),
  rule(/s\.(?!\p{L})/u, ([written], place) =>
    /[IVX]e\s$/u.test(place.before) ? `siècle${sentenceStop(written, place)}` : undefined,
  ),
  rule(
    /([Aa])rt\.(?=\s(?:[LRDA]\.?[\s*-]?)?\d|\s[IVXL]{1,6}(?!\p{L}))/u,
    ([, first = ''], place) => `${first}rticle${/(?:^|\s)(?:[ldc]es|aux)\s$/iu.test(place.before) ? 's' : ''}`,
  ),
  rule(/sem\.(?!\p{L})/u, ([written], place) =>
    /\d(?:er|e)\s$/u.test(place.before) ? `semestre${sentenceStop(written, place)}` : undefined,
  ),
  // "art. R.413-17"
  rule(/[LRDA]\.(?=\s?\d)/, ([letter], place) =>
    /(?:^|[^\p{L}])(?:articles?|art\.)\s$/iu.test(place.before)
      ? `${letter.charAt(0)}${/^\s/.test(place.after) ? '' : ' '}`
      : undefined,
  ),
];
/** "3 h 45 min.", "min. 3 ans" */
const minuteRule = rule(
  /min\.(?!\p{L})/u,
  ([written], place) => `${/\d[ \u00a0]?$/.test(place.before) ? 'minutes' : 'minimum'}${sentenceStop(written, place)}`,
);
/** "le 49.3" of the constitution */
const constitutionRule = rule(/49[.,-]3(?!\d)/, () => 'quarante-neuf trois');
/** "120 x 80 cm"; not "4 x 100 m" */
const dimensionRule = rule(
  /(\d{2,4}|\d{1,3},\d{1,2})(?:[ \u00a0]?(?:cm|m))?[ \u00a0]?[x×](?=[ \u00a0]?\d{1,4}(?:,\d{1,2})?[ \u00a0]?(?:[x×]|[cm]?m(?!\p{L})))/u,
  ([, length = '']) => `${verbalizeNumber(length)} sur`,
);
/** "loi n° 2005-102": two numbers, no range. */
const fileNumberRule = rule(/(\d{2,4})-(\d{1,6})(?:-(\d{1,3}))?(?![\d-])/, ([, first = '', last = '', part], place) =>
  /(?:articles?|art\.)\s[\d-]{3,9}(?:,\s[\d-]{3,9}){0,3}\set\s$|(?:n°|nº|\bno|\b[LRDA]\.|décrets?|ordonnances?|arrêtés?|lois?)\s?$/iu.test(
    place.before,
  ) ||
  (Number(last) < Number(first) && /(?:^|[^\p{L}])(?:articles?|art\.)\s$/iu.test(place.before))
    ? [first, last, ...(part === undefined ? [] : [part])].map(verbalizeNumber).join(' ')
    : undefined,
);
/** "n° 22-13.456": an appeal */
const appealRule = rule(/(\d{2})-(\d{2})[. ](\d{3})(?!\d)/, ([, ...groups], place) =>
  /n[°º]s?\s?$/u.test(place.before) ? groups.map(verbalizeCardinal).join(' ') : undefined,
);
/** "019" → "zéro dix-neuf", "000" → "zéro zéro zéro" */
const sayGroup = (digits: string) => {
  const [zeros = ''] = /^0*/.exec(digits) ?? [];
  const rest = digits.slice(zeros.length);
  return `${spellDigits(zeros)} ${rest && verbalizeCardinal(rest)}`.trim();
};
/** "0 800 130 000", "0805 12 34 56" */
const serviceNumberRule = rule(
  /0[ \u00a0]?(8\d\d)(?:[ \u00a0]?(\d{3})[ \u00a0]?(\d{3})|((?:[ \u00a0]?\d{2}){3}))(?!\d)/,
  ([, start = '', middle = '', end = '', pairs]) =>
    ['0', start, ...(pairs === undefined ? [middle, end] : (pairs.match(/\d\d/g) ?? []))].map(sayGroup).join(', '),
);
/** "le 3919" */
const shortNumberRule = rule(/(3\d)(\d\d)(?![\d\p{L}]|[.,]\d)/u, ([, first = '', last = ''], place) =>
  /(?:^|[\s(])(?:le|au|du|numéros?|appelez|composez|contactez|joindre|appelant|composant|tél\.)(?:\s(?:vert|national|le|au))?\s$/iu.test(
    place.before,
  ) && /^(?:$|[.,;:!?)»]|\s(?:est|et|ou|pour|a|en|qui|à|depuis|24|7|\()(?![\p{L}]))/u.test(place.after)
    ? `${verbalizeCardinal(first)} ${sayGroup(last)}`
    : undefined,
);
/** "+33 1 40 20 50 50": pairs as within the country */
const frenchNumberRule = rule(
  /\+33[ \u00a0]?(?:\(0\)[ \u00a0]?)?([1-9])((?:[ \u00a0.]?\d\d){4})(?!\d)/,
  ([, area = '', pairs = '']) =>
    `plus trente-trois, ${[area, ...(pairs.match(/\d\d/g) ?? [])].map(sayGroup).join(', ')}`,
);
/** "3/4 litre" */
const quarterRule = rule(
  /([13])\/4[ \u00a0](litre|heure|verre|tasse|kilo|siècle|tour|cuillère|l|kg|km|h)(?!\p{L})/u,
  ([, top, name = '']) => {
    const noun = units[name]?.one ?? name;
    return `${top === '1' ? 'un quart' : 'trois quarts'} ${noun.startsWith('h') ? "d'" : 'de '}${noun}`;
  },
);
/** "1/4 de finale", "les 1/8 de finale" */
const finalRule = rule(/1\/(2|4|8|16|32)(?=\s(?:de\s)?finales?(?!\p{L}))/u, ([, part = ''], { before }) => {
  const noun = fractions.denominators[part] ?? { one: verbalizeOrdinal(part), many: `${verbalizeOrdinal(part)}s` };
  return /(?:^|\s)(?:les|des|aux|en)\s$/iu.test(before) && part !== '2' ? noun.many : noun.one;
});
/** "la guerre de 14-18" */
const warRule = rule(/(14|39)-(18|45)(?!\d)/, ([, first = '', last = ''], place) =>
  /guerre\s(?:de\s)?$/iu.test(place.before) ? `${verbalizeCardinal(first)} ${verbalizeCardinal(last)}` : undefined,
);
/** "noté 9/10", which is no fraction. */
const gradeRule = rule(/(\d{1,3}(?:,\d{1,2})?)\/(\d{1,3})(?![\d/])/, ([, grade = '', best = ''], place) =>
  GRADE_BEFORE.test(place.before) ||
  SHOTS_AFTER.test(place.after) ||
  grade.includes(',') ||
  (Number(grade) > 1 && PLURAL_AFTER.test(place.after) && !/(?:^|\s)(?:les|des|aux)\s$/iu.test(place.before))
    ? `${verbalizeNumber(grade)} sur ${verbalizeNumber(best)}`
    : undefined,
);
/** "3/4 penalties" */
const PLURAL_AFTER = /^ (?!(?:des|dans|les|sous|sans|plus|puis|chez|fois|temps)\s)\p{Ll}{3,20}s(?!\p{L})/u;
/** "6/7 au tir" */
const SHOTS_AFTER = /^\s(?:au tir|aux tirs|à trois points|à 3 points|aux lancers?|au pied|au but)(?!\p{L})/u;
const GRADE_BEFORE =
  /(?:^|[^\p{L}])(?:notes?|noté[es]{0,2}|moyenne|score|évaluation|risque|niveau|indice|échelle|étoiles)(?:\s[\p{L}'’]{1,12}){0,4}\s$/iu;
/** "l'ONU": the article is a separate token, so that the acronym rules apply. */
const elisionRule = rule(/(?:[cdjlmnst]|qu|lorsqu|puisqu|jusqu)['’](?=\p{Lu}|\d)/iu, ([written]) => written);
const romanRules = [
  // "J-10"
  rule(/J-(?=\d{1,3}(?!\d))/, () => 'J moins '),
  // "T3 2025", "au T3"
  rule(
    /([TS])([1-4])(?=\s20\d\d|(?<=(?:^|\s)au\s[TS]\d)(?![\p{L}\p{N}]))/u,
    ([, letter, part = '']) => `${verbalizeOrdinal(part)} ${letter === 'S' ? 'semestre' : 'trimestre'}`,
  ),
  createDirectionRule(parseTable(findTable(tables, 'directions')), /^\s(?:de|du|des|d['’])/u),
  rule(/XV(?=\s(?:de|tricolore|du)\s)/, () => 'quinze'),
  rule(
    /I(er|re|ère)(s?)(?![\p{L}\p{N}])/u,
    ([, ending, plural = '']) => `${ending === 'er' ? 'premier' : 'première'}${plural}`,
  ),
  rule(/([IVX]{1,7})(?:e|ème)(s?)(?![\p{L}\p{N}])/u, ([, numeral = '', plural = '']) => {
    const digits = parseRomanNumeral(numeral);
    return digits && verbalizeOrdinal(digits) + plural;
  }),
  rule(/([IVXLCDM]{1,8})(?![\p{L}\p{N}]|\.\p{Lu})/u, ([, numeral = ''], place) => {
    const digits = parseRomanNumeral(numeral);
    if (digits === undefined) return undefined;
    const textBefore = place.before;
    if (COUNTED_BEFORE.test(textBefore)) return verbalizeCardinal(digits);
    return numeral.length > 1 && !/[LCDM]/.test(numeral) && RULER_BEFORE.test(textBefore)
      ? verbalizeCardinal(digits)
      : undefined;
  }),
];
const COUNTED_BEFORE =
  /(?:^|[^\p{L}])(?:chapitre|chap\.|tome|partie|acte|article|livre|volume|classe|type|phase|groupe|titre|annexe|guerre mondiale|super bowl|louis|henri|charles|paul|pie|napoléon)\s$/iu;
const RULER_BEFORE = /(?:^|[^\p{L}])\p{Lu}[\p{Ll}-]{2,20}(?:-\p{Lu}\p{Ll}{1,20})?\s$/u;

const FEMININE_ADJECTIVE =
  /^(?:seule|grande|petite|nouvelle|belle|vieille|bonne|mauvaise|longue|haute|première|dernière|ancienne|grosse|forte)s?$/;

/** "1 personne", "1 seule école", "21 années", "années 80". */
function verbalizeNumberInContext(written: string, place: MatchContext): string {
  const noun = /^[ \u00a0](?:autres? |jeunes? )?(\p{Ll}{2,40})/u.exec(place.after)?.[1] ?? '';
  const isFeminine =
    FEMININE_ADJECTIVE.test(noun) ||
    guessGender(noun) === 'feminine' ||
    /(?:^|\s)voix (?:contre|à)\s$/u.test(place.before);
  return isFeminine ? numberVerbalizer.verbalizeQuantity(written, 'feminine') : verbalizeNumber(written);
}

/** French of France. Genders are known only from endings and units. */
export const french = createRuleBasedLanguage({
  code: 'fr',
  extraLetters: 'àâæçéèêëîïôœùûüÿ',
  verbalizePlainNumber: verbalizeNumberInContext,
  ...{ tables, numbers: numberVerbalizer, units, money, fractions },
  digits: {
    beforeAmounts: [
      ...dateRules,
      telephonePairsRule,
      appealRule,
      createEuropeanActRule(numberVerbalizer),
      fileNumberRule,
      serviceNumberRule,
      shortNumberRule,
      finalRule,
      quarterRule,
      ...raceTimeRules,
      constitutionRule,
      createTieBreakRule(numberVerbalizer, 'à'),
      createSlashRangeRule(numberVerbalizer),
      dimensionRule,
      warRule,
      gradeRule,
      createMagnitudeRule(numberVerbalizer, money.magnitudes, 'Mds?|Mrd\\.?|Mio\\.?|M'),
      ...timeRules,
    ],
    afterAmounts: [ordinalRule, ...roundTheClockRules],
  },
  signRules: [
    frenchNumberRule,
    // "les - de 3 ans"
    rule(/\s[-–]\s(?=de\s\d)/, (_match, { before }) =>
      /(?:^|\s)(?:les|des?|aux|gratuit|gratuite|réduit|tarif|pour)$/iu.test(before) ? ' moins ' : undefined,
    ),
    rule(/[-–](?=(?:lun|mar|mer|jeu|ven|sam|dim)\.)/, (_match, { before }) =>
      /(?:lun|mar|mer|jeu|ven|sam|dim)\.$/iu.test(before) ? ' à ' : undefined,
    ),
    ...createShortYearRules(numberVerbalizer),
  ],
  letters: {
    beforeAmounts: [
      keyRule,
      elisionRule,
      lawyersRule,
      ...countedRules,
      minuteRule,
      weekdayRule,
      // "2 fois par j."
      rule(/j\.(?!\p{L})/u, ([written], place) =>
        /(?:^|\s)par\s$/u.test(place.before) ? `jour${sentenceStop(written, place)}` : undefined,
      ),
    ],
    afterAmounts: romanRules,
  },
  describeCode: (count) => `un code de ${count} caractères`,
  plainWord: /[a-zà-öø-ÿœ]{3,40}(?=[ ,;!?])/y,
  sentences: {
    finalLetter: /\d[ \u00a0\u202f]?[hmgl]$/u,
    closing: /^»\s{0,9}/,
    neverFinal:
      /(?:^|[\s("«“'’])(?:M|MM|Mme|Mlle|Dr|Pr|Me|Mgr|St|Ste|art|Art|chap|vol|fig|pp|cf|env|av|apr|tél|lun|jeu|ven|sam|dim|éd|Ph|Cl|\d{1,2}(?:er|e)\s(?:sem|trim)|p\.\s?ex|c\.-à-d)$/u,
    rarelyFinal: /(?:^|[\s("«“])(?:etc|min|hab|J\.-C|ap|janv|févr|avr|juil|sept|oct|nov|déc|[IVX]{1,7})$/u,
  },
});
