import { findTable, parseTable, rule } from '../language.ts';
import { spellLetters } from '../shared/abbreviations.ts';
import { buildAlternatives } from '../shared/amounts.ts';
import { createPressureRule, createSlashRangeRule, NUMBER, verbalizeDigitGroups } from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import { createDirectionRule, createEuropeanActRule } from '../shared/serials.ts';
import {
  bibleRule,
  chessRules,
  contextualAbbreviationRules,
  earlyAbbreviationRules,
  mixedCaseAcronyms,
  SHORT_ENDS,
} from './abbreviations.ts';
import { dateRules, monthRules, timeRules, yearRules } from './dates.ts';
import { countedRules, halfRule, romanRules, verbalizePlainNumber } from './inflected-numbers.ts';
import { fractions, magnitudeRule, money, numberVerbalizer, ordinalRules, units, verbalizeYear } from './numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

/** "17-Jähriger", "3-fach", "20-köpfig". */
const compoundRule = rule(
  /(\d{1,4})[-‑]?((?:[Jj]ährig|köpfig|prozentig|[Ff]ach|mal|stündig|tägig|wöchig|monatig|minütig|teilig|stellig|stöckig|malig)\p{L}{0,4})(?!\p{L})/u,
  ([, digits = '', ending = '']) => (digits === '1' ? 'ein' : verbalizeCardinal(digits)) + ending.toLowerCase(),
);
/** The file number of a court: "VI ZR 12/23". */
const fileNumberRule = rule(/(\d{1,5})\/(\d{2})(?![\d/])/, ([, number = '', year = ''], place) =>
  /(?:\b(?:\d{1,4} [A-Z]{1,3}|[A-Z][A-Za-z]?R|Bv[EFLQ]|KLs|[IVX]{1,4} [A-Z]{1,3}|Js|Ks|Ls|Ds|Qs|Ws)|Az\.:?)\s$/.test(
    place.before,
  )
    ? `${verbalizeCardinal(number)} Schrägstrich ${verbalizeCardinal(year)}`
    : undefined,
);
/** The chamber of a court: "3 K 123/23" */
const chamberRule = rule(
  /(\d{1,4}) ([A-Z]{1,2})(?= \d{1,5}[./]\d\d(?!\d))/,
  ([, chamber = '', letters = ''], { before, after }) =>
    /^ \d+\//.test(after) || /(?:VGH?|Az\.?:?) $/.test(before)
      ? `${verbalizeCardinal(chamber)} ${spellLetters(letters)}`
      : undefined,
);
/** "der 20%ige Rabatt" */
const percentageRule = rule(
  /(\d{1,3}(?:,\d{1,2})?)[ \u00a0]?%[-‑]?(ig\p{L}{1,3})(?!\p{L})/u,
  ([, written = '', ending = '']) => `${verbalizeNumber(written)}prozent${ending}`,
);
/** "(dpa/lby)", "(APA/dpa)": agencies and their regional services */
const agencyRule = rule(/\/(\p{Ll}{2,3}|AFP|AP)(?=\)|\/)/u, ([, service = ''], { before }) =>
  /(?:dpa|epd|kna|apa|AFP|AP|APA|D\.P\.A)(?:\/p{L}{2,3})?$/.test(before) ? ` ${spellLetters(service)}` : undefined,
);
const localTelephoneRule = rule(/0\d{1,5}\)?(?:[ \u00a0/-]{1,3}\d{1,9}){1,4}(?!\d)/, ([written]) =>
  written.replace(/\D/g, '').length < 6 ? undefined : verbalizeDigitGroups(numberVerbalizer, written),
);
/** "§ 1 Abs. 2 S. 1", "§ 3 S. 2": a sentence of the law, no page */
const legalSentenceRule = rule(/(\d{1,3}[a-z]?) S\.(?= \d)/, ([, digits = ''], place) =>
  /(?:Abs(?:\.|atz)|§|Art(?:\.|ikel))\s$/u.test(place.before)
    ? `${verbalizeNumber(digits.replace(/\D/g, ''))}${digits.replace(/\d+/, ' ').trimEnd()} Satz`
    : undefined,
);
/** "die 110 wählen", "Notruf 112" */
const serviceNumberRule = rule(/(?:116\d{3}|11[02568]|19[ \u00a0]?222)(?!\d|[ ,.:/-]\d)/, ([digits], place) =>
  digits.length > 3 ||
  /(?:Notruf(?:nummern?|e)?(?: 11[02] (?:und|oder))?|Rufnummer|Nummer|Hotline|Telefon|Tel\.|unter|unter der|wählen Sie(?: die)?)\s$/u.test(
    place.before,
  ) ||
  /^(?:\s(?:oder|und)\s(?:die\s)?\d{3,6})?\s(?:wählen|anrufen|wählte|gewählt)(?!\p{L})/u.test(place.after)
    ? numberVerbalizer.spellDigits(digits)
    : undefined,
);
/** "bei 1860 München" */
const clubYearRule = rule(
  /(1[89])(\d\d)(?=\s(?:München|Hoffenheim))/u,
  ([, century = '', year = '']) => `${verbalizeCardinal(century)}hundert${verbalizeCardinal(year)}`,
);
/** "1.299,- Euro" */
const evenPriceRule = rule(
  /(\d{1,3}(?:\.\d{3})*)(?:,[-–—]{1,2}|\.[-–—](?=\s?(?:Fr|CHF)))(?:\s?(€|Euro|EUR|Franken|CHF|Fr\.)(?!\p{L}))?/u,
  ([, written = '', currency = '']) =>
    `${numberVerbalizer.verbalizeQuantity(written, 'masculine')} ${/^[FC]/.test(currency) ? 'Franken' : 'Euro'}`,
);
/** "EU-VO 2023/1115" */
const actNumberRule = rule(/((?:19|20)\d\d)\/(\d{1,4})(?![\d/])/, ([, year = '', number = ''], { before }) =>
  /(?:VO|RL|V\.O|Verordnung|Richtlinie)(?: \(?EU\)?)? $/.test(before)
    ? `${verbalizeYear(year)} ${verbalizeCardinal(number)}`
    : undefined,
);
/** "PIN 4321", "Kundennummer 4711-0815" */
const identifierRule = rule(/\d{3,6}(?:[ -]\d{2,6}){0,3}(?![\d.,]\d|\d)/, ([digits], { before }) =>
  /(?:(?<!\p{L})(?:PIN|TAN|WKN|PLZ|Postfach|Code)|(?:Kunden|Konto|Los|Bestell|Artikel|Vorgangs|Ausweis|Matrikel|Mitglieds|Serien)nummer|Postleitzahl)(?: lautet)?:? $/u.test(
    before,
  )
    ? verbalizeDigitGroups(numberVerbalizer, digits)
    : undefined,
);
/** "10117 Berlin", "Hauptstr. 5, 12345 Neustadt" */
const postcodeRule = rule(/\d{5}(?=[ \u00a0]\p{Lu}\p{Ll})/u, ([digits], place) =>
  /\d[a-z]?,\s$|(?:^|[\s(])D-$|(?:PLZ|Postleitzahl)\s$/u.test(place.before) || LARGE_CITY_AFTER.test(place.after)
    ? numberVerbalizer.spellDigits(digits)
    : undefined,
);
const LARGE_CITY_AFTER =
  /^\s(?:Berlin|Hamburg|München|Köln|Frankfurt|Stuttgart|Düsseldorf|Leipzig|Dortmund|Essen|Bremen|Dresden|Hannover|Nürnberg|Duisburg|Bochum|Wuppertal|Bielefeld|Bonn|Münster|Mannheim|Karlsruhe|Augsburg|Wiesbaden|Mainz|Kiel|Magdeburg|Erfurt|Rostock|Potsdam|Schwerin|Saarbrücken)(?!\p{L}|er)/u;
/** A license plate: "HH-AB 1234" */
const plateRule = rule(
  /([A-ZÄÖÜ]{1,3})[- ]([A-Z]{1,2})[- ](\d{1,4})([EH]?)(?![\p{L}\p{N}]|[.,/]\d)/u,
  ([written, place = '', letters = '', digits = '', sign = ''], { before }) =>
    written.includes('-') && (before === '' || /[\s("„]$/.test(before))
      ? [place, letters].map(spellLetters).join(' ') + ` ${numberVerbalizer.spellDigits(digits)} ${sign}`.trimEnd()
      : undefined,
);
/** "in 4K" */
const resolutionRule = rule(/[248]K(?![\p{L}\p{N}])/u, ([digits]) => `${verbalizeCardinal(digits.charAt(0))} K`);
/** "im 4. OG" */
const storeyRule = rule(/(O|U)G(?![\p{L}\p{N}])/u, ([, kind], place) =>
  /\d\.\s$/.test(place.before) ? (kind === 'O' ? 'Obergeschoss' : 'Untergeschoss') : undefined,
);
/** "4x100-m-Staffel" */
const compoundUnitRule = rule(
  new RegExp(`(${NUMBER})-?(${buildAlternatives(Object.keys(units))})-(?=\\p{Lu})`, 'u'),
  ([, written = '', name = '']) => `${verbalizeNumber(written)} ${units[name]?.many} `,
);
/** "Ü50-Party" */
const overAgeRule = rule(/[Üü]-?(\d{2})(?!\d)/u, ([, digits = '']) => `Ü ${verbalizeCardinal(digits)}`);
const directions = parseTable(findTable(tables, 'directions'));
const mixedCaseRule = rule(
  new RegExp(`(?:${buildAlternatives(Object.keys(mixedCaseAcronyms))})(?![\\p{L}\\p{N}])`, 'u'),
  ([written]) => mixedCaseAcronyms[written],
);

/** "KfW", "GdP", "BfV" */
const shortMixedCaseRule = rule(/[A-ZÄÖÜ][dfvz][A-ZÄÖÜ](?![\p{L}\p{N}])/u, ([letters]) => spellLetters(letters));
/** A law that no table has: "§ 3 ZaDiG" */
const lawRule = rule(/(?:[A-ZÄÖÜ]\p{Ll}{0,4}){2,6}(?![\p{L}\p{N}])/u, ([written], place) =>
  /\p{Ll}/u.test(written) &&
  written.length <= 6 &&
  /§[^.;]{1,4}(?:\d{1,3}[a-z]?[., ]|Abs\.|S\.|Nr\.|Satz| ){0,9}$/u.test(place.before)
    ? spellLetters(written)
    : undefined,
);

const MONTH_AFTER =
  /^(?:Jan|Feb|März|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrhundert|Jh|Jahrestag|Geburtstag|Platz|Rang|Runde|Minute|Spieltag|Lebensjahr|Etage|Stock|Liga|Bundesliga)/u;
const COUNTED_BEFORE =
  /(?:^|\s)(?:der|die|das|dem|den|des|am|im|vom|zum|zur|beim|bis|ab|seit|nach|spätestens|(?:[msd]?ein|ihr|unser|jed|dies)(?:e|en|em|er|es))\s\(?\d{1,3}$/iu;

/** Cases and genders are known only from articles and endings. */
export const german = createRuleBasedLanguage({
  code: 'de',
  extraLetters: 'äöüß',
  capitalizesNouns: true,
  verbalizePlainNumber,
  ...{ tables, numbers: numberVerbalizer, units, money, fractions },
  digits: {
    beforeAmounts: [
      ...dateRules,
      ...timeRules,
      serviceNumberRule,
      postcodeRule,
      identifierRule,
      actNumberRule,
      createEuropeanActRule(numberVerbalizer),
      resolutionRule,
      clubYearRule,
      localTelephoneRule,
      fileNumberRule,
      chamberRule,
      ...chessRules.digits,
      percentageRule,
      ...countedRules,
      compoundUnitRule,
      legalSentenceRule,
      evenPriceRule,
      createPressureRule(numberVerbalizer, 'zu'),
      createSlashRangeRule(numberVerbalizer),
    ],
    afterAmounts: [magnitudeRule, compoundRule, ...yearRules, ...ordinalRules],
  },
  letters: {
    beforeAbbreviations: [bibleRule, ...earlyAbbreviationRules],
    beforeAmounts: [
      // "im Ø", "Ø 25 Tage", "Ø 26 cm"
      rule(/Ø(?![\p{L}\p{N}])/u, (_match, { before, after }) => {
        if (/\p{L}$/u.test(before)) return undefined;
        if (/^\s?\d{1,4}(?:,\d)?\s?[cm]?m(?!\p{L})/u.test(after) || /\d\s?[cm]?m\s$/.test(before)) return 'Durchmesser';
        return /(?:^|\s)im\s$/i.test(before) ? 'Durchschnitt' : 'durchschnittlich';
      }),
      ...monthRules,
      plateRule,
      ...contextualAbbreviationRules,
    ],
    afterAmounts: [
      ...chessRules.letters,
      // "die Kamera mit f/1,8"
      rule(/f\/(?=\d)/, () => 'Blende '),
      // "Wind aus NW"
      rule(/[NS]?[NOSW](?![\p{L}\p{N}])/u, ([letters], { before }) =>
        /(?<!\p{L})(?:Winde?|Luft|Böen|Bft|Beaufort) (?:\p{Ll}+ )?aus $/u.test(before)
          ? directions[letters]
          : undefined,
      ),
      ...romanRules,
      storeyRule,
      mixedCaseRule,
      shortMixedCaseRule,
      lawRule,
      overAgeRule,
      createDirectionRule(directions, /^\s(?:von|des|der)\s/u),
    ],
  },
  signRules: [
    // "im Mai '45"
    rule(/['’‘](\d\d)(er)?(?![\d\p{L}])/u, ([, digits = '', plural = '']) => verbalizeCardinal(digits) + plural),
    rule(/§§\s?/, () => 'Paragrafen '),
    agencyRule,
    // "Ende 2024/Anfang 2025"
    rule(/\/(?=(?:Anfang|Mitte|Ende|Frühjahr|Sommer|Herbst|Winter)(?!\p{L}))/u, () => ', '),
    // "um ½ 8"
    rule(/½ ?(?=\d{1,2}(?!\d|[.,/]\d))/, (_match, { before }) =>
      /(?<!\p{L})(?:um|gegen|bis|ab) $/iu.test(before) ? 'halb ' : undefined,
    ),
    halfRule,
    // "B 3/B 75"
    rule(/\/(?=[ABEKLSU] ?\d)/, (_match, place) =>
      /(?<!\p{L})[ABEKLSU] \d{1,4}$/u.test(place.before) ? ' ' : undefined,
    ),
    // "LGBTIQ*-Szene"
    rule(/\*-(?=\p{Lu})/u, (_match, place) => (/\p{Lu}$/u.test(place.before) ? '-' : undefined)),
    // "der/die Täter/in"
    rule(/\/(?=(?:der|die|das|dem|den|des|ein|eine|einen|einer|einem|eines|jede[nrms]?|zu[mr])\s)/u, (_match, place) =>
      /(?<!\p{L})(?:d(?:er|ie|as|en|em|es)|eine?[rnms]?|jede[rnms]?|zu[mr])$/iu.test(place.before)
        ? ' oder '
        : undefined,
    ),
    // "FRITZ!Box"
    rule(/!(?=\p{Lu}\p{Ll})/u, (_match, place) => (/\p{Lu}{3}$/u.test(place.before) ? ' ' : undefined)),
    // "(21./Foulelfmeter)"
    rule(/\/(?=\p{Lu})/u, (_match, place) => (/\(\d{1,3}\.(?:\+\d{1,2})?$/.test(place.before) ? ', ' : undefined)),
    // "Schüler/innen", "Bürger:innen"
    rule(/(?:\/-?|[:*_])(?=in(?:nen)?(?!\p{L}))/u, (_match, place) => (/\p{Ll}$/u.test(place.before) ? '' : undefined)),
  ],
  describeCode: (count) => `ein Code aus ${count} Zeichen`,
  plainWord: /(?!(?:dpa|epd|apa|kna)(?![a-zäöüß]))[a-zäöüß]{2,40}(?=[ ,;!?])/y,
  sentences: {
    neverFinal: new RegExp(
      String.raw`(?:^|[\s("„“«/-])(?:Dr|Prof|Hr|Fr|St|Nr|Nrn|Art|Abs|Kap|Abb|Bd|Ziff|Rn|Rs|Az|Dipl|Ing|bzw|ca|vgl|ggf|evtl|inkl|sog|mind|max|\p{L}\p{Ll}{1,20}[bcdfghkmnrstz]l|z\.\s?B|d\.\s?h|u\.\s?a|v\.\s?a|i\.\s?d|geb|bspw|insb|Hl|Gebr|ehem|bes|erm|\p{L}{0,20}(?:${SHORT_ENDS})|(?:(?:am|bis|ab|vom|seit|von|und|jeden)\s|(?:Mo|Di|Mi|Do|Fr|Sa|So)\.?[-–])(?:Mo|Di|Mi|Do|Fr|Sa|So)|n\.\s?[VE])$`,
      'iu',
    ),
    rarelyFinal:
      /(?:^|[\s("„“«/-])(?:usw|etc|Jh|Jhdt|Chr|Mio|Mrd|Tsd|Str|Tel|jr|sen|Std|Min|Sek|Co|Bio|Jan|Feb|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez|[IVX]{1,7}|\p{L}{3,30}(?:str|pl)|Pl|e\.\s?V|a\.\s?D|a\.\s?M|z\.\s?T|u\.\s?U|d\.\s?R)$/u,
    isOrdinal: (tail, head, startsAnew) =>
      /(?:^|(?<!\d[,:])(?<!\d))(?:\d{1,3}|[1-9]\d{3})$/u.test(tail) &&
      (!/\d{4}$/.test(tail) || MONTH_AFTER.test(head)) &&
      (MONTH_AFTER.test(head) ||
        /^[-–/+][\d\p{L}]/u.test(head) ||
        /^(?:0?[1-9]|1[0-2])\.\s?(?:\d|$)/.test(head) ||
        (/^(?:[12]\d{3}(?!\d)|\d\d(?![\d.]))/.test(head) && /\d\.\s?\d{1,2}$/.test(tail)) ||
        (/^\d{1,2}\.(?:\s?\d|$)/.test(head) && COUNTED_BEFORE.test(tail)) ||
        // "am 4. 9. in Kassel", "am 4.10. (C-621/22)"
        (/^(?:0?[1-9]|1[0-2])\.\s\p{Ll}/u.test(head) && COUNTED_BEFORE.test(tail)) ||
        (head.startsWith('(') && /\d\.\d{1,2}$/.test(tail)) ||
        (/^\p{L}/u.test(head) && (COUNTED_BEFORE.test(tail) || !startsAnew))),
  },
});
