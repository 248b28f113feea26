import { type MatchContext, parseTable, rule, sentenceStop } from '../language.ts';
import { spellLetters } from '../shared/abbreviations.ts';
import { buildAlternatives } from '../shared/amounts.ts';
import { createPressureRule, createSlashRangeRule, NUMBER, verbalizeDigitGroups } from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import { createDirectionRule, createEuropeanActRule } from '../shared/serials.ts';
import { abbreviations, acronyms, mixedCaseAcronyms, sentenceStarters, shortEnds, signs } from './abbreviations.ts';
import { dateRules, monthRules, timeRules, verbalizeNumberOrYear, yearRules } from './dates.ts';
import { fractions, magnitudeRule, money, numberVerbalizer, ordinalRules, romanRules, units } from './numbers.ts';

const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

/** "17-Jähriger", "3-fach", "20-köpfig". */
const compoundRule = rule(
  /(\d{1,4})[-‑]?((?:[Jj]ährig|köpfig|prozentig|fach|mal|stündig|tägig|wöchig|monatig|minütig|teilig|stellig|stöckig|malig)\p{L}{0,4})(?!\p{L})/u,
  ([, digits = '', ending = '']) => (digits === '1' ? 'ein' : verbalizeCardinal(digits)) + ending.toLowerCase(),
);
/** The file number of a court: "VI ZR 12/23". */
const fileNumberRule = rule(/(\d{1,5})\/(\d{2})(?![\d/])/, ([, number = '', year = ''], place) =>
  /(?:\b(?:[A-Z][A-Za-z]?R|Bv[EFLQ]|KLs|[IVX]{1,4} [A-Z]{1,3}|Js|Ks|Ls|Ds|Qs|Ws)|Az\.:?)\s$/.test(place.before)
    ? `${verbalizeCardinal(number)} Schrägstrich ${verbalizeCardinal(year)}`
    : undefined,
);
/** "der 20%ige Rabatt" */
const percentageRule = rule(
  /(\d{1,3}(?:,\d{1,2})?)[ \u00a0]?%[-‑]?(ig\p{L}{1,3})(?!\p{L})/u,
  ([, written = '', ending = '']) => `${verbalizeNumber(written)}prozent${ending}`,
);
/** "Hauptstr.", "Marienpl. 8", "Rathauspl.", but not "Dipl." */
const streetRule = rule(/(\p{L}[\p{L}-]{1,30})([Ss]tr|[Pp]l)\.(?!\p{L})/u, ([written, name = '', kind = ''], place) => {
  if (kind === 'pl' && !/^\s?\d/.test(place.after) && (name.length < 4 || /^Exem?$/.test(name))) return undefined;
  return `${name}${kind.endsWith('l') ? `${kind}atz` : `${kind}aße`}${sentenceStop(written, place)}`;
});
const SHORT_ENDS = buildAlternatives(Object.keys(shortEnds));
/** "Polizeipräs. Meyer" */
const shortCompoundRule = rule(
  new RegExp(`(\\p{Lu}\\p{L}{2,20})(${SHORT_ENDS})\\.(?=\\s|,)`, 'u'),
  ([, start = '', end = '']) => start + shortEnds[end],
);
/** "(dpa/lby)": an agency and its regional service */
const agencyRule = rule(/\/(l\p{Ll}{2})(?=\))/u, ([, service = ''], { before }) =>
  /(?:dpa|D\.P\.A)$/.test(before) ? ` ${spellLetters(service)}` : undefined,
);
const localTelephoneRule = rule(/0\d{1,5}\)?(?:[ \u00a0/-]{1,3}\d{1,9}){1,4}(?!\d)/, ([written]) =>
  written.replace(/\D/g, '').length < 6 ? undefined : verbalizeDigitGroups(numberVerbalizer, written),
);
/** "jeden 1 Euro": a masculine noun after a word that takes the accusative. */
const accusativeRule = rule(
  /1(?=[ \u00a0](?:€|(?:Euro|Dollar|Franken|Cent|Rubel|Yen|Punkt|Tag|Monat|Meter|Kilometer|Liter|Platz|Prozentpunkt|Sitz|Sieg|Treffer|Elfmeter|Fall|Toten|Verletzten|Vermissten|Antrag|Schuss|Satz|Zähler)(?!\p{L})))/u,
  (_match, place) =>
    /(?<!\p{L})(?:jeden|für|um|ohne|gegen|durch|pro|je|über|verliert|verlor|verloren|holt|holte|holten|gewinnt|gewann|hat|hatte|haben|bekommt|bekam|erhält|erhielt|braucht|brauchte|kostet|kostete|gab|gibt|zählt|zählte|meldet|meldete|zahlt|zahlte|zahlen|bezahlt|bezahlen|bekommen|erhalten|kosten|koste|spart|sparen|spendet|verdient|verlangt|auf)\s(?:nur|etwa|rund|gerade|mindestens|knapp|genau)?\s?$/iu.test(
      place.before,
    )
      ? 'einen'
      : undefined,
);
/** "an 1/4 der Messstellen" */
const dativeFractionRule = rule(/1\/(\d{1,2})(?=\sde[rs]\s)/u, ([, bottom = ''], place) => {
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
const dativeUnitRule = rule(/(\d{1,3}) (Pkte?|J|Tg|Mon)\.(?!\p{L})/u, ([written, digits = '', unit = ''], place) =>
  /(?<!\p{L})(?:mit|bei|von|nach|aus|seit|vor|in|unter|(?<!\d\s)u\.)\s$/iu.test(place.before) && digits !== '1'
    ? `${verbalizeCardinal(digits)} ${DATIVE_UNITS[unit.charAt(0)]}${sentenceStop(written, place)}`
    : undefined,
);
const DATIVE_UNITS = parseTable('P = Punkten; J = Jahren; T = Tagen; M = Monaten');
/** "Kinder u. 5 Jahren", "Köln u. Bonn" */
const underRule = rule(/u\.(?!\p{L})/u, (_match, place) =>
  /^ \d{1,2} (?:Jahren|J\.)/.test(place.after) && !/\d\s$/.test(place.before) ? 'unter' : 'und',
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
  /(?:Notruf(?:nummer)?|Rufnummer|Nummer|Hotline|Telefon|Tel\.|unter|unter der|wählen Sie(?: die)?)\s$/u.test(
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
/** "erhebl. Schäden": adjectives in -lich; no lowercase word of German ends in a consonant and l. */
const shortAdjectiveRule = rule(/(\p{L}\p{Ll}{1,20}[bcdfghkmnprstz])l\.(?=\s\p{L})/u, ([, stem = ''], place) =>
  /^\s\p{Lu}/u.test(place.after) ? `${stem}liche` : `${stem}lich`,
);
/** "1.299,- Euro" */
const evenPriceRule = rule(
  /(\d{1,3}(?:\.\d{3})*),[-–—]{1,2}(?:\s?(?:€|Euro|EUR)(?!\p{L}))?/u,
  ([, written = '']) => `${numberVerbalizer.verbalizeQuantity(written, 'masculine')} Euro`,
);
/** "Entwurf v. 14.11.", "F. Henckel v. Donnersmarck" */
const fromRule = rule(/v\.(?=[ \u00a0](?:\d{1,2}\.|\p{Lu}))/u, (_match, place) =>
  /^\s\d/.test(place.after) ? 'vom' : 'von',
);
/** "Ges. f. Chemie", "Sitz d. Firma", "§ 5 f.", "Haar b. München", "Mühldorf a. Inn" */
const smallWordRule = rule(/([fdbai])\.(?!\p{L})/u, ([, letter], place) => {
  if (letter === 'f' && /\d[a-z]?\s?$/.test(place.before)) return 'folgende';
  return /^\s\p{Lu}\p{Ll}/u.test(place.after)
    ? { f: 'für', d: 'der', b: 'bei', a: 'am', i: 'im' }[letter ?? '']
    : undefined;
});
/** "in der 89. Min.", "3 Std. 41 Min.", "min. 3 Jahre" */
const minuteRule = rule(/[Mm]in\.(?!\p{L}|-)/u, ([written], place) => {
  const noun = /\d\.(?:\+\d)?\s$/.test(place.before) ? 'Minute' : 'Minuten';
  return `${written.startsWith('m') ? 'minimal' : noun}${sentenceStop(written, place)}`;
});
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
  /([A-ZÄÖÜ]{1,3})[- ]([A-Z]{1,2})[- ](\d{1,4})([EH]?)(?![\p{L}\p{N}]|[.,]\d)/u,
  ([written, place = '', letters = '', digits = '', sign = ''], { before }) =>
    written.includes('-') && (before === '' || /[\s("„]$/.test(before))
      ? [place, letters].map(spellLetters).join(' ') + ` ${numberVerbalizer.spellDigits(digits)} ${sign}`.trimEnd()
      : undefined,
);
/** "in der Rs. C-311/18" */
const caseNumberRule = rule(/Rs\.(?=\s[CT]-\d)/, () => 'Rechtssache');
/** "der Hl. Stuhl", "vom Hl. Geist", "Hl. Martin" */
const saintRule = rule(/Hl\.(?=[ \u00a0]\p{Lu})/u, (_match, { before }) => {
  if (/(?<!\p{L})(?:de[mns]|vom|zum|beim|im)\s$/iu.test(before)) return 'Heiligen';
  return /(?<!\p{L})(?:der|die|das)\s$/iu.test(before) ? 'Heilige' : 'Heiliger';
});
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
const mixedCaseRule = rule(
  new RegExp(`(?:${buildAlternatives(Object.keys(mixedCaseAcronyms))})(?![\\p{L}\\p{N}])`, 'u'),
  ([written]) => mixedCaseAcronyms[written],
);

/** "Tag der Dt. Einheit", "dem dt. Meister" */
const germanAdjectiveRule = rule(/([Dd])t\.(?=[ \u00a0]\p{Lu})/u, ([, initial], { before }) =>
  /(?<!\p{L})(?:des|dem|den|im|am|zum|zur|vom|beim)\s$/iu.test(before) ||
  (initial === 'D' && /(?<!\p{L})der\s$/iu.test(before))
    ? `${initial}eutschen`
    : undefined,
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

/** "1 Kind", "1 Frage"; "Platz 1". */
function verbalizePlainNumber(written: string, place: MatchContext): string {
  if (written !== '1') return verbalizeNumberOrYear(written, place);
  if (/^\s?(?:[-–]|bis)\s?\d{1,3}\s(?!Grad)\p{Lu}/u.test(place.after) && !/[-−–]$/.test(place.before)) return 'ein';
  if (/(?:Art(?:ikel|\.)|Abs(?:atz|\.)|Satz|\sS\.|Nr\.|§)\s$/u.test(place.before)) return 'eins';
  const noun = /^[ \u00a0](\p{Lu}\p{Ll}[\p{Ll}-]{0,40})(?!\p{L})/u.exec(place.after)?.[1];
  if (noun === undefined) return 'eins';
  return /(?:e|ung|ion|heit|keit|schaft|tät|erin|ik|frau|Frau|Person|Stadt|Firma|Zahl|Nacht|Wahl|Hand|Uhr)$/u.test(noun)
    ? 'eine'
    : 'ein';
}

const MONTH_AFTER =
  /^(?:Jan|Feb|März|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrhundert|Jh|Jahrestag|Geburtstag|Platz|Rang|Runde|Minute|Spieltag|Lebensjahr|Etage|Stock|Liga|Bundesliga)/u;
const COUNTED_BEFORE =
  /(?:^|\s)(?:der|die|das|dem|den|des|am|im|vom|zum|zur|beim|bis|ab|seit|nach|(?:[msd]?ein|ihr|unser|jed|dies)(?:e|en|em|er|es))\s\(?\d{1,3}$/iu;

/** Cases and genders are known only from articles and endings. */
export const german = createRuleBasedLanguage({
  code: 'de',
  extraLetters: 'äöüß',
  capitalizesNouns: true,
  verbalizePlainNumber,
  ...{ abbreviations, acronyms, signs, numbers: numberVerbalizer, units, money, fractions },
  periods: parseTable('a = Jahr; d = Tag; Std = Stunde; Einw = Einwohner; Pers = Person'),
  words: parseTable(
    'ratio = zu; or = oder; less = weniger als; more = mehr als; inches = Zoll; dot = Punkt; hyphen = minus; underscore = Unterstrich; hashtag = Hashtag; per = pro; plus = plus; minus = minus',
  ),
  digits: {
    beforeAmounts: [
      ...dateRules,
      ...timeRules,
      serviceNumberRule,
      postcodeRule,
      createEuropeanActRule(numberVerbalizer),
      resolutionRule,
      clubYearRule,
      localTelephoneRule,
      fileNumberRule,
      percentageRule,
      accusativeRule,
      compoundUnitRule,
      legalSentenceRule,
      evenPriceRule,
      dativeRule,
      dativeFractionRule,
      dativeUnitRule,
      createPressureRule(numberVerbalizer, 'zu'),
      createSlashRangeRule(numberVerbalizer),
    ],
    afterAmounts: [magnitudeRule, compoundRule, ...yearRules, ...ordinalRules],
  },
  letters: {
    beforeAbbreviations: [germanAdjectiveRule],
    beforeAmounts: [
      // "im Ø", "Ø 25 Tage", "Ø 26 cm"
      rule(/Ø(?![\p{L}\p{N}])/u, (_match, { before, after }) => {
        if (/\p{L}$/u.test(before)) return undefined;
        if (/^\s?\d{1,4}(?:,\d)?\s?[cm]?m(?!\p{L})/u.test(after) || /\d\s?[cm]?m\s$/.test(before)) return 'Durchmesser';
        return /(?:^|\s)im\s$/i.test(before) ? 'Durchschnitt' : 'durchschnittlich';
      }),
      ...monthRules,
      caseNumberRule,
      saintRule,
      minuteRule,
      underRule,
      fromRule,
      smallWordRule,
      plateRule,
      streetRule,
      shortCompoundRule,
      shortAdjectiveRule,
    ],
    afterAmounts: [
      ...romanRules,
      storeyRule,
      mixedCaseRule,
      shortMixedCaseRule,
      lawRule,
      overAgeRule,
      createDirectionRule(
        parseTable(
          'N = Nord; S = Süd; O = Ost; E = Ost; W = West; NO = Nordost; NW = Nordwest; SO = Südost; SW = Südwest',
        ),
        /^\s(?:von|des|der)\s/u,
      ),
    ],
  },
  signRules: [
    // "im Mai '45"
    rule(/['’‘](\d\d)(er)?(?![\d\p{L}])/u, ([, digits = '', plural = '']) => verbalizeCardinal(digits) + plural),
    rule(/§§\s?/, () => 'Paragrafen '),
    agencyRule,
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
    firstWords: sentenceStarters,
    isOrdinal: (tail, head, startsAnew) =>
      /(?:^|\D)(?:\d{1,3}|[1-9]\d{3})$/u.test(tail) &&
      (!/\d{4}$/.test(tail) || MONTH_AFTER.test(head)) &&
      (MONTH_AFTER.test(head) ||
        /^[-–/+][\d\p{L}]/u.test(head) ||
        /^(?:0?[1-9]|1[0-2])\.\s?(?:\d|$)/.test(head) ||
        (/^(?:[12]\d{3}(?!\d)|\d\d(?![\d.]))/.test(head) && /\d\.\s?\d{1,2}$/.test(tail)) ||
        (/^\d{1,2}\.(?:\s?\d|$)/.test(head) && COUNTED_BEFORE.test(tail)) ||
        (/^\p{L}/u.test(head) && (COUNTED_BEFORE.test(tail) || !startsAnew))),
  },
});
