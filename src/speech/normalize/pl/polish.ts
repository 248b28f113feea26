import {
  type MatchContext,
  type NormalizationRule,
  parseRomanNumeral,
  parseTable,
  rule,
  sentenceStop,
  wordSet,
} from '../language.ts';
import { buildAlternatives, verbalizeCounted } from '../shared/amounts.ts';
import { createNumericDateRules } from '../shared/dates.ts';
import { verbalizeDigitGroups } from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import { createDirectionRule } from '../shared/serials.ts';
import {
  caseRule,
  chooseForm,
  countMen,
  genitiveRule,
  hourRule,
  MEN,
  ordinalRule,
  regionRule,
  weekdayRule,
} from './cases.ts';
import { fractions, money, numberVerbalizer, type OrdinalForm, units, verbalizeOrdinal } from './numbers.ts';

const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

const MONTHS =
  'stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia'.split(' ');
const MONTH = `(${MONTHS.join('|')})(?!\\p{L})`;
/** "roku" or "r." after a year, where it is written. */
const YEAR = '(?:[ \\u00a0]([12]\\d{3})(?!\\d)(?:[ \\u00a0](?:roku|r\\.?)(?!\\p{L}))?)?';

/** "3 maja 2026 r.", "03.05.2026", "w 2024 roku", "lata 90." */
const dateRules: readonly NormalizationRule[] = [
  rule(
    new RegExp(`(0?[1-9]|[12]\\d|3[01])\\s${MONTH}${YEAR}`, 'u'),
    ([written, day = '', month = '', year], place) =>
      `${verbalizeOrdinal(day, 'genitive')} ${month}${year ? ` ${verbalizeYear(year, 'genitive')}` : ''}${year ? sentenceStop(written, place) : ''}`,
  ),
  // "12–15 marca"
  rule(
    new RegExp(`(0?[1-9]|[12]\\d|3[01])[-–](0?[1-9]|[12]\\d|3[01])(?=\\s${MONTH})`, 'u'),
    ([, first = '', last = ''], place) => {
      const from = /(?:^|[^\p{L}])od\s$/iu.test(place.before) ? '' : 'od ';
      return `${from}${verbalizeOrdinal(first, 'genitive')} do ${verbalizeOrdinal(last, 'genitive')}`;
    },
  ),
  ...createNumericDateRules((day, month, year) => {
    const name = MONTHS[Number(month) - 1];
    return name && `${verbalizeOrdinal(day, 'genitive')} ${name} ${verbalizeYear(year, 'genitive')}`;
  }).map(takeYearWord),
  // "do 7 r.ż."
  rule(/(\d{1,2})\.?[ \u00a0]r\. ?ż\./u, ([written, year = ''], place) => {
    const form = /(?:^|[^\p{L}])(?:we?|po)\s$/iu.test(place.before) ? 'locative' : 'genitive';
    return `${verbalizeOrdinal(year, form)} roku życia${sentenceStop(written, place)}`;
  }),
  // "od 10 do 15 marca"
  rule(new RegExp(`(\\d{1,2})(?= do \\d{1,2} ${MONTH})`, 'u'), ([, day = '']) => verbalizeOrdinal(day, 'genitive')),
  rule(/([12]\d{3})[ \u00a0](roku|rok|r\.?)(?!\p{L})/u, ([written, year = '', noun], place) => {
    if (noun === 'rok') return verbalizeYear(year, 'nominative');
    const isLocative = /(?:^|[^\p{L}])(?:we?|po)\s$/iu.test(place.before);
    return verbalizeYear(year, isLocative ? 'locative' : 'genitive') + sentenceStop(written, place);
  }),
  rule(/(\d0)\./, ([written, digits = ''], place) =>
    /(?:^|[^\p{L}])(?:lata|latach|lat)\s$/iu.test(place.before)
      ? (/lata\s$/iu.test(place.before)
          ? verbalizeOrdinal(digits, 'plural')
          : verbalizeOrdinal(digits, 'nominative').replace(/y$/, 'ych')) + sentenceStop(written, place)
      : undefined,
  ),
];

/** A date in digits with "r." behind, which it says anyway. */
function takeYearWord(dateRule: NormalizationRule): NormalizationRule {
  return (text, at) => {
    const match = dateRule(text, at);
    const word = match && /^[ \u00a0](?:r\.|roku)(?!\p{L})/u.exec(text.slice(match.end, match.end + 7))?.[0];
    return match && word
      ? {
          spoken: match.spoken + (/^\s*$/.test(text.slice(match.end + word.length)) ? '.' : ''),
          end: match.end + word.length,
        }
      : match;
  };
}

function verbalizeYear(digits: string, form: OrdinalForm): string {
  return `${verbalizeOrdinal(digits, form)} ${form === 'nominative' ? 'rok' : 'roku'}`;
}

const OBLIQUE_BEFORE = /(?:^|[^\p{L}])(?:o|po|do|od|przed|około|ok\.|godziny|godzinie|godz\.)\s$/iu;

/** "o 14.30", "godz. 9:05", "20:45". */
const timeRules: readonly NormalizationRule[] = [
  // "w godz. 10-18"
  rule(
    /([01]?\d|2[0-4])(?:[.:]([0-5]\d))?\s?[-–]\s?([01]?\d|2[0-4])(?:[.:]([0-5]\d))?(?!\d|[.:]\d|%)/,
    ([, first = '', minute = '0', last = '', lastMinute = '0'], place) =>
      /godz(?:\.|inach)\s$/iu.test(place.before)
        ? [
            ['od', first, minute],
            ['do', last, lastMinute],
          ]
            .map(
              ([word, hour = '', minutes = '']) =>
                `${word} ${verbalizeOrdinal(String(Number(hour)), 'feminineGenitive')}${Number(minutes) === 0 ? '' : ` ${verbalizeCardinal(minutes)}`}`,
            )
            .join(' ')
        : undefined,
  ),
  rule(/([01]?\d|2[0-4])\.([0-5]\d)(?![.,]?\d)/, ([, hour = '', minute = ''], place) =>
    /(?:^|[^\p{L}])(?:o|ok\.|około|godz\.|godziny|godzinie|godzina)\s$/iu.test(place.before)
      ? verbalizeClock(hour, minute, place)
      : undefined,
  ),
  // "(25:21, 22:25)"
  rule(/(\d{1,2}):(\d{2})(?![\d:])/, ([, first = '', last = ''], place) =>
    /\d:\d{1,2}(?:, |;? \()$/.test(place.before) || /^, \d{1,2}:\d/.test(place.after)
      ? `${verbalizeCardinal(first)} ${verbalizeCardinal(last)}`
      : undefined,
  ),
  // "w 71. min."
  rule(/(\d{1,3})\. min\.?(?!\p{L})/u, ([written, minute = ''], place) =>
    /(?<!\p{L})w\s$/iu.test(place.before)
      ? `${verbalizeOrdinal(minute, 'feminineGenitive')} minucie${sentenceStop(written, place)}`
      : `${verbalizeOrdinal(minute, 'feminine')} minuta${sentenceStop(written, place)}`,
  ),
  // "Żyła był 21."
  rule(/(\d{1,3})\.(?=$|,|;|\)|\s(?:w|na|po|z|za)\s)/u, ([written, rank = ''], place) =>
    /(?<!\p{L})(?:był|jest|został)(a)?\s$/u.test(place.before)
      ? verbalizeOrdinal(rank, /a\s$/.test(place.before) ? 'feminine' : 'nominative') + sentenceStop(written, place)
      : undefined,
  ),
  rule(/([01]?\d|2[0-4]):([0-5]\d)(?![\d:])/, ([, hour = '', minute = ''], place) =>
    verbalizeClock(hour, minute, place),
  ),
  rule(/([1-9]|1\d|2[0-4])(?!\d|[.,:]\d|%|\s?\p{L})/u, ([, hour = ''], place) =>
    /(?:godz\.|godzinie|godziny)\s$/iu.test(place.before) ? verbalizeOrdinal(hour, 'feminineGenitive') : undefined,
  ),
  // "6:4", "4:0": as reporters say a result
  rule(
    /(\d{1,3}):(\d{1,3})(?![\d:])/,
    ([, first = '', last = '']) => `${verbalizeCardinal(first)} ${verbalizeCardinal(last)}`,
  ),
];

/** "czternasta trzydzieści", after a preposition "czternastej trzydzieści". */
function verbalizeClock(hour: string, minute: string, place: MatchContext): string {
  const hours =
    Number(hour) === 0
      ? 'zero'
      : verbalizeOrdinal(String(Number(hour)), OBLIQUE_BEFORE.test(place.before) ? 'feminineGenitive' : 'feminine');
  if (Number(minute) === 0) return hours;
  return `${hours} ${minute.startsWith('0') ? `zero ${verbalizeCardinal(minute)}` : verbalizeCardinal(minute)}`;
}

/** "17-letni", "3-krotny" */
const compoundRule = rule(
  /(\d{1,3})[-‑]((?:letni|krotn|osobow|dniow|godzinn|piętrow|procentow|lat)\p{L}{0,4})(?!\p{L})/u,
  ([, digits = '', ending = '']) => `${toCompoundForm(verbalizeCardinal(digits))}${ending}`,
);

/** "siedemnaście" → "siedemnasto": as the first part of a compound. */
function toCompoundForm(words: string): string {
  return words
    .split(' ')
    .map((word) => word.replace(COMPOUND_ENDING, (ending) => compoundForms[ending] ?? ending))
    .join('');
}
const compoundForms = parseTable(`
  naście = nasto; dwadzieścia = dwudziesto; dzieści = dziesto; dziesiąt = dziesięcio; ęć = ęcio; ść = ścio;
  edem = edmio; osiem = ośmio; jeden = jedno; dwa = dwu; cztery = cztero; sto, sta = stu; dwieście = dwustu
`);
const COMPOUND_ENDING = new RegExp(`(?:${buildAlternatives(Object.keys(compoundForms))})$`);

/** A file number: "XII K 12/24" */
const fileNumberRule = rule(/(\d{1,5})\/(\d{2})(?![\d/])/, ([, number = '', year = ''], place) =>
  /(?:[IVX]{1,5}\s\p{L}{1,4}|sygn\.|\p{Lu}{1,3}\p{Ll}{0,2})\s$/u.test(place.before)
    ? `${verbalizeCardinal(number)} łamane przez ${verbalizeCardinal(year)}`
    : undefined,
);
const telephoneRule = rule(
  /(?:\d{3}[ -]\d{3}[ -]\d{3}|\(?\d{2}\)?[ -]\d{3}[ -]\d{2}[ -]\d{2})(?!\d)/,
  ([written], place) =>
    /(?:tel|numer|fax|dzwoń|kom\.|lini)/iu.test(place.before) || /^\d{3}-\d{3}-\d{3}$/.test(written)
      ? verbalizeDigitGroups(numberVerbalizer, written)
      : undefined,
);

const general = parseTable(`
  m.in. = między innymi; np. = na przykład; tj. = to jest; tzn. = to znaczy; tzw. = tak zwany; itd. = i tak dalej;
  itp. = i tym podobne; ok. = około; os. = osób; im. = imienia; ur. = urodzony;
  zm. = zmarły; br. = bieżącego roku; ub.r. = ubiegłego roku; p.n.e. = przed naszą erą; n.e. = naszej ery;
  tel. = telefon; maks. = maksymalnie; min. = minimum; Min. = Minimum; wg = według;
  ww. = wyżej wymieniony; ds. = do spraw; sp. z o.o. = spółka z o.o; S.A. = S.A; dot. = dotyczy; zob. = zobacz;
  por. = porównaj; c.d. = ciąg dalszy; r. = roku; pocz. = początku; podst. = podstawie; wsch. = wschodni; zach. = zachodni; płn. = północny; płd. = południowy; W-wa = Warszawa; W-wie = Warszawie; W-wy = Warszawy; Dz.U., Dz. U. = Dzienniku Ustaw; k.k. = kodeksu karnego; k.p.k. = kodeksu postępowania karnego; k.c. = kodeksu cywilnego;
  kk = kodeksu karnego; kpk = kodeksu postępowania karnego; k.p. = kodeksu pracy; mies. = miesięcznie; tyg. = tygodniowo; śr = średnio; ew. = ewentualnie; wł. = właściciel; zw. = zwany; jw. = jak wyżej; tzn = to znaczy; pn. = pod nazwą;
  red. nacz. = redaktor naczelny; s.c. = spółka cywilna; z o.o. = z o.o; sygn. = sygnatura; cd. = ciąg dalszy; wyd. = wydanie; r/r = rok do roku; m/m = miesiąc do miesiąca; k/k = kwartał do kwartału
`);
const numbered = parseTable(`
  nr, nr. = numer; str., s. = strona; ust. = ustęp; pkt = punkt; poz. = pozycja; rozdz. = rozdział;
  par. = paragraf; t. = tom; km = kilometr; odc. = odcinek; sygn. = sygnatura; kl. = klasa; gr. = grupa; wyd. = wydanie; Dz.U. = Dziennik Ustaw; m. = mieszkanie; lok. = lokal
`);
const titles = parseTable(`
  prof., Prof. = profesor; dr, dr., Dr = doktor; mgr = magister; inż. = inżynier; gen. = generał; płk = pułkownik;
  mjr = major; kpt. = kapitan; ks., Ks. = ksiądz; bp = biskup; abp = arcybiskup; kard. = kardynał; św. = święty;
  Św. = Święty; hab. = habilitowany; red. = redaktor; min. = minister; p. = pan; śp. = świętej pamięci; Min. = Minister; Gen. = Generał; ppłk = podpułkownik; por. = porucznik; asp. = aspirant; sierż. = sierżant; mec. = mecenas; sen. = senator; pos. = poseł; kmdr = komandor; Mec. = Mecenas; nadkom. = nadkomisarz; podkom. = podkomisarz; kom. = komisarz; wiceprez. = wiceprezes; prez. = prezydent; burm. = burmistrz; o. = ojciec; s. = siostra; dyr. = dyrektor; prok. = prokurator; mł. asp. = młodszy aspirant; st. sierż. = starszy sierżant
`);
const pronounced = wordSet(`
  WIG RAM PAP KRUS NATO ZUS GUS NIK PIT VAT CIT SIM PIN ROM W Z I A O U NA DO OD ZA NIE TAK ALE JEST
`);
const spelled = new Set('PKWN PZPN OECD MSWIA IPN ABW CBA TVN TVP PAP PKO BP HTTP URL'.split(' '));
const sentenceStarters = wordSet(`
  w we z ze na do od po za o u przy przez dla bez pod nad przed między podczas według i a ale oraz lub czy że gdy kiedy
  jeśli jak to ten ta te tego tej tym tych on ona ono oni one ja ty my wy pan pani nie tak już jeszcze teraz dziś
  dzisiaj wczoraj jutro potem później wcześniej jednak także również tylko bardzo wszyscy każdy nikt kto co gdzie
  dlaczego jego jej ich nasz mój jest są był była było były będzie
`);
const signs = parseTable(`
  & = i; + = plus; = = równa się; @ = małpa; % = procent; ‰ = promil; $ = dolar; € = euro; £ = funt; ¥ = jen;
  ° = stopni; § = paragraf; × = razy; ÷ = podzielić przez; ± = plus minus; ≈, ~ = około; < = mniejsze niż;
  > = większe niż; → = do; / = ukośnik; \\ = ukośnik wsteczny; # = numer; ^ = do potęgi
`);

const CENTURY = /^\s(?:wieku|wiek|w\.)(?!\p{L})/u;
const RULER_BEFORE = /(?:^|[^\p{L}])\p{Lu}\p{Ll}{2,20}\s$/u;

/** "XXI wieku" → "dwudziestego pierwszego", "w XX w.", "Jan Paweł II" → "drugi". */
const romanRule = rule(/([IVXLCDM]{1,8})(?![\p{L}\p{N}]|\.\p{Lu})/u, ([, numeral = ''], place) => {
  const digits = parseRomanNumeral(numeral);
  if (digits === undefined) return undefined;
  if (CENTURY.test(place.after)) {
    if (/^\swiek(?!\p{L})/u.test(place.after)) return verbalizeOrdinal(digits, 'nominative');
    return verbalizeOrdinal(digits, /(?:^|[^\p{L}])we?\s$/iu.test(place.before) ? 'locative' : 'genitive');
  }
  const noun = /^\s(?:(\p{Ll}{3,20}|kw\.)|\p{Lu}(?:\p{Ll}{3,20}|P(?!\p{L})))/u.exec(place.after);
  if (
    noun &&
    (NUMBERED_AFTER.test(noun[1] ?? '') ||
      (noun[1] === undefined && /^[IVX]{2,}$/.test(numeral) && !RULER_BEFORE.test(place.before)))
  )
    return verbalizeOrdinal(digits, chooseForm(noun[0].trim(), place));
  if (/[LCDM]/.test(numeral) || !RULER_BEFORE.test(place.before)) return undefined;
  if (numeral.length === 1 && /^\.?\s\p{Lu}/u.test(place.after)) return undefined;
  return verbalizeOrdinal(
    digits,
    /a\s$/u.test(place.before) ? 'genitive' : /em\s$/u.test(place.before) ? 'locative' : 'nominative',
  );
});
const NUMBERED_AFTER =
  /^(?:stopni|stopień|kw\.|kwarta|tur|półrocz|edycj|lig|lidze|etap|klas|wojn|miejsc|część|części|kadencj|runda|rund|połow|filar|instancj|piętr|zjazd|kongres|festiwal|konkurs|liceum|grup|faz|tom|pułk|korpus|dywizj|rzesz)/u;
/** "5 tys. osób" */
const magnitudeRule = rule(
  /(\d{1,3}(?:[ \u00a0]\d{3}){0,2}(?:,\d{1,6})?)[ \u00a0]?(tys\.?|mln|mld|bln)(?!\p{L})/u,
  ([, number = '', name = '']) => {
    const noun = money.magnitudes[name];
    return noun && verbalizeCounted(numberVerbalizer, number, undefined, noun);
  },
);
const centuryRule = rule(/w\.(?=\s|[,;)]|$)/u, ([written], place) =>
  /[IVX]\s$/u.test(place.before) ? `wieku${sentenceStop(written, place)}` : undefined,
);

const NEUTER = /(?:o|e|ę|um)$/u;

/** "1 osoba", "2 kobiety"; by itself "jeden". */
function verbalizeNumberInContext(written: string, place: MatchContext): string {
  const noun = /^[ \u00a0](\p{Ll}{3,40})/u.exec(place.after)?.[1];
  if (MEN.test(place.after) && /^\d{1,4}$/.test(written)) return countMen(written);
  if (noun === undefined || !/^(?:1|\d*2)$/.test(written) || /12$/.test(written)) return verbalizeNumber(written);
  if (written === '1') {
    if (/(?<!\p{L})(?:we?|po|o|na|przy)\s$/iu.test(place.before) && /(?:ie|rze|u)$/.test(noun)) return 'jednym';
    const gender =
      /a$/u.test(noun) &&
      !/^(?:mężczyzna|kolega|poeta|sędzia|kierowca|radca|zastępca|obrońca|sprawca)$|(?:ista|ysta|anta|owca|ojca)$/u.test(
        noun,
      )
        ? 'feminine'
        : NEUTER.test(noun)
          ? 'neuter'
          : 'masculine';
    return numberVerbalizer.verbalizeQuantity(written, gender);
  }
  return numberVerbalizer.verbalizeQuantity(written, FEMININE_TWO.test(noun) ? 'feminine' : 'masculine');
}

const FEMININE_TWO =
  /(?:kandydatki|posłanki|zawodniczki|pielęgniarki|nauczycielki|dziewczynki|siatkarki|uczestniczki|mieszkanki|studentki|pacjentki|uczennice|piłkarki|pasażerki|pracownice|dziennikarki|lekarki|wystawy|umowy|ustawy|poprawki|nagrody|rakiety|bomby|doby|trasy|linie|wersje|opcje|decyzje|rocznice|kobiety|osoby|godziny|minuty|sekundy|bramki|strony|firmy|szkoły|gminy|partie|drużyny|ofiary|tony|rodziny|córki|ulice|rundy|karty|matki|noce|księgi|sprawy|kopie|książki)$/u;

/** Cases and genders are known only from endings and prepositions. */
export const polish = createRuleBasedLanguage({
  code: 'pl',
  extraLetters: 'ąćęłńóśźż',
  verbalizePlainNumber: verbalizeNumberInContext,
  ...{ abbreviations: { general, titles, numbered }, acronyms: { pronounced, spelled }, signs },
  ...{ numbers: numberVerbalizer, units, money, fractions },
  periods: parseTable(
    'kWh = kilowatogodzinę; MWh = megawatogodzinę; l = litr; s = sekundę; mies = miesiąc; godz, h = godzinę; os = osobę; szt = sztukę; tydz = tydzień; t = tonę',
  ),
  words: parseTable(
    'less = mniej niż; more = więcej niż; inches = cala; dot = kropka; hyphen = myślnik; underscore = podkreślenie; hashtag = hasztag; per = za; plus = plus; minus = minus',
  ),
  digits: {
    beforeAmounts: [...dateRules, ...timeRules, fileNumberRule, telephoneRule, genitiveRule],
    afterAmounts: [magnitudeRule, compoundRule, ordinalRule],
  },
  letters: {
    beforeAmounts: [
      caseRule,
      centuryRule,
      hourRule,
      weekdayRule,
      rule(/kw\.(?!\p{L})/u, ([written], place) =>
        /(?:[IV]|\d\.)\s$/.test(place.before)
          ? `${/(?<!\p{L})w\s(?:[IV]{1,3}|\d\.)\s$/u.test(place.before) ? 'kwartale' : 'kwartał'}${sentenceStop(written, place)}`
          : undefined,
      ),
      rule(/pt\.(?=\s[„"«])/u, () => 'pod tytułem'),
      rule(/godz\.(?!\p{L}|\s?\d)/u, ([written], place) =>
        /(?<!\p{L})za\s$/u.test(place.before) ? `godzinę${sentenceStop(written, place)}` : undefined,
      ),
      regionRule,
      createDirectionRule(
        parseTable(
          'N = północ; S = południe; E = wschód; W = zachód; NE = północny wschód; NW = północny zachód; SE = południowy wschód; SW = południowy zachód',
        ),
        /^\sod\s/u,
      ),
    ],
    afterAmounts: [romanRule],
  },
  describeCode: (count) => `kod, ${count} znaków`,
  plainWord: /[a-ząćęłńóśźż]{4,40}(?=[ ,;!?])/y,
  sentences: {
    neverFinal:
      /(?:^|[\s("„«])(?:prof|dr|mgr|inż|gen|kpt|ks|bp|abp|kard|św|hab|pon|wt|śr|czw|sob|niedz|red|Min|mec|asp|sierż|nadkom|kom|dyr|prok|sygn|pocz|gm|sek|nr|str|art|ust|poz|rozdz|np|m\.in|tj|tzn|tzw|ok|ul|al|pl|im|ur|zm|woj|pow|tel|godz|wg|zob|por|proc|tys|maks)$/iu,
    rarelyFinal: /(?:^|[\s("„«])(?:os|n\.e|p\.n\.e|mln|mld|S\.A|o\.o|min|[IVX]{1,7})$/u,
    firstWords: sentenceStarters,
    finalLetter: /(?:\d\s[rw]|[IVX]\sw)$/u,
    isOrdinal: (tail, head, startsAnew) => /(?:^|\D)\d{1,3}$/u.test(tail) && /^\p{Ll}/u.test(head) && !startsAnew,
  },
});
