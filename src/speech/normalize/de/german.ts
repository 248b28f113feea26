import { contextAfter, type MatchContext, parseTable, rule } from '../language.ts';
import { createAbbreviationRules, createNumberedRules, createTitleRules } from '../shared/abbreviations.ts';
import { buildAlternatives } from '../shared/amounts.ts';
import { verbalizeDigitGroups } from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import { fractionRules, fractionSigns, magnitudeRules, moneyRules, units } from './amounts.ts';
import { dateRules, monthRules, timeRules, verbalizeNumberOrYear, yearRules } from './dates.ts';
import { numberVerbalizer, ordinalRules, romanRules, verbalizeCardinal } from './numbers.ts';

/** Abbreviations anywhere in a sentence. */
const generalAbbreviations = parseTable(`
  z. B. = zum Beispiel; d. h. = das heißt; u. a. = unter anderem; u. U. = unter Umständen; i. d. R. = in der Regel;
  i. A. = im Auftrag; z. T. = zum Teil; z. Zt. = zur Zeit; z. Z. = zur Zeit; o. Ä. = oder Ähnliches;
  o. ä. = oder ähnlich; u. Ä. = und Ähnliches; u. ä. = und ähnlich; a. D. = außer Dienst; a. M. = am Main;
  a. d. = an der; Dr. h. c. = Doktor honoris causa; h. c. = honoris causa; ü. M. = über dem Meer;
  ü. d. M. = über dem Meer; e. V. = E.V; m. E. = meines Erachtens; s. o. = siehe oben; s. u. = siehe unten;
  v. a. = vor allem; v. Chr. = vor Christus; n. Chr. = nach Christus; v. l. n. r. = von links nach rechts;
  usw. = und so weiter; etc. = et cetera; bzw. = beziehungsweise; ca. = circa; vgl. = vergleiche;
  ggf. = gegebenenfalls; evtl. = eventuell; inkl. = inklusive; exkl. = exklusive; max. = maximal; min. = minimal;
  mind. = mindestens; sog. = sogenannte; usf. = und so fort; geb. = geboren; gest. = gestorben; verh. = verheiratet;
  Jh. = Jahrhundert; Jhdt. = Jahrhundert; Tel. = Telefon; Str. = Straße; Hrsg. = Herausgeber; Std. = Stunden;
  jr. = junior; sen. = senior; bspw. = beispielsweise; tlw. = teilweise; zzgl. = zuzüglich; abzgl. = abzüglich;
  insb. = insbesondere; einschl. = einschließlich; St. Gallen = Sankt Gallen; Mio. = Millionen; Mrd. = Milliarden
`);

/** Before a number. */
const numberAbbreviations = parseTable(`
  Nr. = Nummer; Nrn. = Nummern; S. = Seite; Art. = Artikel; Abs. = Absatz; Kap. = Kapitel; Abb. = Abbildung;
  Tab. = Tabelle; Bd. = Band; Ziff. = Ziffer; Rn. = Randnummer; Az. = Aktenzeichen
`);

/** Before a name. */
const titleAbbreviations = parseTable(`
  Dr. = Doktor; Prof. = Professor; Hr. = Herr; Fr. = Frau; St. = Sankt; Dipl.-Ing. = Diplomingenieur;
  Ing. = Ingenieur; Gebr. = Gebrüder; Hl. = Heiliger
`);

/** Initials of up to three letters that are said, and short words written in capitals for weight. */
const pronouncedAcronyms = new Set(
  'UNO TÜV TAZ DAX ROM DER DIE DAS UND IST EIN WIR SIE ICH ES IM IN AM AN AUF ZU SO'.split(' '),
);
/** Longer ones that are spelled though they could be said. */
const spelledAcronyms = new Set('ADAC OECD IAEA AFD GMBH'.split(' '));
/** Initials that are not all capitals. */
const mixedCaseAcronyms = parseTable(`
  AfD = A.F.D; GmbH = G.M.B.H; GbR = G.B.R; Lkw = L.K.W; Pkw = P.K.W; Lkws = L.K.Ws; Pkws = P.K.Ws
`);
/** A sentence that begins with one of these has begun: a name or a noun may go on with what was abbreviated. */
const sentenceStarters = new Set(
  (
    'der die das ein eine einer er sie es wir ich ihr man in im am an auf aus bei beim mit nach seit von vom zu zum zur ' +
    'für um als wenn weil da dann danach doch aber und auch denn dennoch deshalb dabei damit dafür dagegen daher dazu ' +
    'dies diese dieser dieses jetzt nun nur noch schon so heute gestern morgen inzwischen später zuvor zudem außerdem ' +
    'allerdings jedoch trotzdem viele alle beide jeder kein keine was wer wie wo warum hier dort es sein seine ihre'
  ).split(' '),
);

const signNames: Readonly<Record<string, string>> = {
  ...parseTable(`
  & = und; + = plus; = = gleich; @ = at; % = Prozent; ‰ = Promille; $ = Dollar; € = Euro; £ = Pfund; ¥ = Yen;
  ° = Grad; § = Paragraf; × = mal; ÷ = geteilt durch; ± = plus minus; ≈ = ungefähr; < = kleiner als; > = größer als;
  → = zu; / = slash; \\ = Backslash; # = Nummer; ~ = ungefähr
`),
  ...fractionSigns,
};

/** "17-Jähriger", "3-fach", "20-köpfig". */
const compoundRule = rule(
  /(\d{1,4})[-‑]?((?:[Jj]ährig|köpfig|prozentig|fach|mal|stündig|tägig|wöchig|monatig|minütig|teilig|stellig|stöckig|malig)\p{L}{0,4})(?!\p{L})/u,
  ([, digits = '', ending = '']) => (digits === '1' ? 'ein' : verbalizeCardinal(digits)) + ending.toLowerCase(),
);
const localTelephoneRule = rule(/0\d{1,5}(?:[ \u00a0/-]{1,3}\d{2,9}){1,4}(?!\d)/, ([written]) =>
  written.replace(/\D/g, '').length < 6 ? undefined : verbalizeDigitGroups(numberVerbalizer, written),
);
const mixedCaseRule = rule(
  new RegExp(`(?:${buildAlternatives(Object.keys(mixedCaseAcronyms))})(?![\\p{L}\\p{N}])`, 'u'),
  ([written]) => mixedCaseAcronyms[written],
);

/** "1 Kind", "1 Frage"; "Platz 1". */
function verbalizeNumber(written: string, place: MatchContext): string {
  if (written !== '1') return verbalizeNumberOrYear(written, place);
  const noun = /^[ \u00a0](\p{Lu}\p{Ll}[\p{Ll}-]{0,40})(?!\p{L})/u.exec(contextAfter(place))?.[1];
  if (noun === undefined) return 'eins';
  return /(?:e|ung|ion|heit|keit|schaft|tät|erin|ik|frau|Frau|Person|Stadt|Firma|Zahl|Nacht|Wahl|Hand|Uhr)$/u.test(noun)
    ? 'eine'
    : 'ein';
}

const MONTH_AFTER =
  /^(?:Jan|Feb|März|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrhundert|Jh|Jahrestag|Geburtstag|Platz|Rang|Runde|Minute|Spieltag|Lebensjahr|Etage|Stock|Liga|Bundesliga)/u;
const COUNTED_BEFORE =
  /(?:^|\s)(?:der|die|das|dem|den|des|am|im|vom|zum|zur|beim|bis|ab|seit|nach|(?:[msd]?ein|ihr|unser|jed|dies)(?:e|en|em|er|es))\s\(?\d{1,3}$/iu;

/** German as a newsreader says it. Cases and genders only as far as an article or an ending shows them. */
export const german = createRuleBasedLanguage({
  code: 'de',
  numbers: numberVerbalizer,
  verbalizePlainNumber: verbalizeNumber,
  units,
  money: moneyRules,
  acronyms: { pronounced: pronouncedAcronyms, spelled: spelledAcronyms },
  signs: signNames,
  words: {
    dot: 'Punkt',
    hyphen: 'minus',
    underscore: 'Unterstrich',
    hashtag: 'Hashtag',
    per: 'pro',
    plus: 'plus',
    minus: 'minus',
  },
  digits: {
    beforeAmounts: [...dateRules, ...timeRules, localTelephoneRule],
    afterAmounts: [...magnitudeRules, compoundRule, ...yearRules, ...fractionRules, ...ordinalRules],
  },
  letters: {
    beforeAmounts: [
      ...createTitleRules(titleAbbreviations),
      ...createNumberedRules(numberAbbreviations),
      ...createAbbreviationRules(generalAbbreviations),
      ...monthRules,
    ],
    afterAmounts: [...romanRules, mixedCaseRule],
  },
  signRules: [rule(/§§\s?/, () => 'Paragrafen ')],
  describeCode: (count) => `ein Code aus ${count} Zeichen`,
  plainWord: /[a-zäöüß]{2,40}(?=[ ,;!?])/y,
  sentences: {
    neverFinal:
      /(?:^|[\s("„“«/-])(?:Dr|Prof|Hr|Fr|St|Nr|Nrn|Art|Abs|Kap|Abb|Bd|Ziff|Rn|Az|Dipl|Ing|bzw|ca|vgl|ggf|evtl|inkl|sog|mind|max|z\.\s?B|d\.\s?h|u\.\s?a|v\.\s?a|i\.\s?d|geb|bspw|insb|Hl|Gebr)$/iu,
    rarelyFinal:
      /(?:^|[\s("„“«/-])(?:usw|etc|Jh|Jhdt|Chr|Mio|Mrd|Tsd|Str|Tel|jr|sen|Std|Min|Sek|Co|Jan|Feb|Apr|Jun|Jul|Aug|Sept|Sep|Okt|Nov|Dez|[IVX]{1,7}|e\.\s?V|a\.\s?D|a\.\s?M|z\.\s?T|u\.\s?U|d\.\s?R)$/u,
    firstWords: sentenceStarters,
    isOrdinal: (tail, head, startsAnew) =>
      /(?:^|\D)\d{1,3}$/u.test(tail) &&
      (MONTH_AFTER.test(head) ||
        /^[-–/]\d/.test(head) ||
        (/^[12]\d{3}(?!\d)/.test(head) && /\d\.\s?\d{1,2}$/.test(tail)) ||
        (/^\d{1,2}\.(?:\s?\d|$)/.test(head) && COUNTED_BEFORE.test(tail)) ||
        (/^\p{L}/u.test(head) && (COUNTED_BEFORE.test(tail) || !startsAnew))),
  },
});
