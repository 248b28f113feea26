import { findTable, type MatchContext, parseRomanNumeral, parseTable, rule, sentenceStop } from '../language.ts';
import { verbalizeCounted } from '../shared/amounts.ts';
import { verbalizeDigitGroups } from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import { createDirectionRule } from '../shared/serials.ts';
import {
  calledRule,
  caseNumberRule,
  caseRangeRule,
  caseRule,
  chooseForm,
  countMen,
  countsMen,
  formerRule,
  hourRule,
  measureWordRule,
  onePeriodRule,
  ordinalRule,
  perUnitRule,
  placeOrdinalRule,
  regionRule,
  shortAdjectiveRule,
  toCompoundForm,
  weekdayRangeRule,
  weekdayRule,
} from './cases.ts';
import { dateRules, timeRules } from './dates.ts';
import {
  COUNTED_TOGETHER,
  countTogether,
  fractions,
  money,
  numberVerbalizer,
  units,
  verbalizeOrdinal,
} from './numbers.ts';
import tables from './tables.txt' with { type: 'text' };

const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

/** "17-letni", "3-krotny" */
const compoundRule = rule(
  /(\d{1,3})[-‑]((?:letni|krotn|osobow|dniow|godzinn|piętrow|procentow|lat|rdzeniow|cylindrow|pokojow|miejscow|kilometrow|metrow|punktow|minutow|miesięczn|tygodniow|stronicow|odcinkow|etapow|tysięczn|stopniow|lecia?|lecie)\p{L}{0,4})(?!\p{L})/u,
  ([, digits = '', ending = '']) => `${toCompoundForm(verbalizeCardinal(digits))}${ending}`,
);

/** "o 1/3 więcej" */
const accusativeFractionRule = rule(/1\/([3-9]|10)(?![\d/])/, ([, part = ''], place) =>
  /(?<!\p{L})(?:o|za|przez)\s$/iu.test(place.before)
    ? `jedną ${verbalizeOrdinal(part, 'feminineAccusative')}`
    : undefined,
);

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
  if (
    /^\skw\./u.test(place.after) &&
    /(?<!\p{L})(?:wobec|do|od|z|niż|końca|końcu|koniec|początku|początek|wyniki|wyników)\s$/iu.test(place.before)
  )
    return verbalizeOrdinal(digits, 'genitive');
  if (/^\sRP(?!\p{L})/u.test(place.after)) return verbalizeOrdinal(digits, 'feminineGenitive');
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
  if (countsMen(written, place.after) && /^\d{1,4}$/.test(written)) return countMen(written);
  if (COUNTED_TOGETHER.test(place.after)) return countTogether(written, undefined) ?? verbalizeNumber(written);
  if (noun === undefined || !/^(?:1|\d*2)$/.test(written) || /12$/.test(written)) return verbalizeNumber(written);
  if (written === '1') {
    if (/(?<!\p{L})(?:we?|po|o|na|przy)\s$/iu.test(place.before) && /(?:[ie]|u)$/.test(noun))
      return /(?:[cd]ze?|ce|ej|[yi])$|^(?:osobie|kobiecie|godzinie|minucie|sekundzie|stronie|drużynie|firmie|szkole|sprawie)$/u.test(
        noun,
      )
        ? 'jednej'
        : 'jednym';
    if (/[ąę]$/u.test(noun)) return 'jedną';
    if (/(?<!ani|dni)[yi]$/u.test(noun)) return 'jednej';
    if (/em$/u.test(noun)) return 'jednym';
    if (/^[ \u00a0](?:jest|była|została|zginęła)[ \u00a0]\p{Ll}{2,20}a(?!\p{L})/u.test(place.after)) return 'jedna';
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
  /(?:tabletki|dawki|szczepionki|karetki|łodzie|drogi|walki|próbki|paczki|maszyny|kolumny|jednostki|części|medalistki|sondy|planety|galaktyki|gwiazdy|asteroidy|kategorie|edycje|stacje|elektrownie|fabryki|kopalnie|fale|grupy|akcje|operacje|wizyty|rozmowy|ankiety|debaty|tury|kadencje|komisje|frakcje|listy|spółki|marki|usługi|platformy|aplikacje|kamery|gry|płyty|piosenki|role|sceny|nominacje|statuetki|sztuki|apelacje|skargi|kary|dekady|strefy|kolejki|ciężarówki|furgonetki|przyczepy|awionetki|asysty|serie|pary|obwodnice|autostrady|miejscowości|wsie|dzielnice|prowincje|republiki|żony|siostry|wnuczki|koleżanki|działki|hale|uczelnie|klasy|lekcje|instytucje|organizacje|agencje|gazety|butelki|łyżki|szklanki|czwarte|trzecie|interwencje|poprawki|propozycje|kandydatki|posłanki|zawodniczki|pielęgniarki|nauczycielki|dziewczynki|siatkarki|uczestniczki|mieszkanki|studentki|pacjentki|uczennice|piłkarki|pasażerki|pracownice|dziennikarki|lekarki|wystawy|umowy|ustawy|poprawki|nagrody|rakiety|bomby|doby|trasy|linie|wersje|opcje|decyzje|rocznice|kobiety|osoby|godziny|minuty|sekundy|bramki|strony|firmy|szkoły|gminy|partie|drużyny|ofiary|tony|rodziny|córki|ulice|rundy|karty|matki|noce|księgi|sprawy|kopie|książki)$/u;

const QUARTER_CASES: readonly (readonly [RegExp, string])[] = [
  [/(?<!\p{L})w\s(?:[IV]{1,3}|\d\.)\s$/u, 'kwartale'],
  [
    /(?<!\p{L})(?:wobec|do|od|z|niż|końca|końcu|koniec|początku|początek|wyniki|wyników)\s(?:[IV]{1,3}|\d\.)\s$/u,
    'kwartału',
  ],
];

/** Cases and genders are known only from endings and prepositions. */
export const polish = createRuleBasedLanguage({
  code: 'pl',
  extraLetters: 'ąćęłńóśźż',
  verbalizePlainNumber: verbalizeNumberInContext,
  ...{ tables, numbers: numberVerbalizer, units, money, fractions },
  digits: {
    beforeAmounts: [
      ...dateRules,
      ...timeRules,
      fileNumberRule,
      telephoneRule,
      shortAdjectiveRule,
      placeOrdinalRule,
      onePeriodRule,
      accusativeFractionRule,
      caseRangeRule,
      caseNumberRule,
    ],
    afterAmounts: [magnitudeRule, compoundRule, ordinalRule],
  },
  letters: {
    beforeAmounts: [
      caseRule,
      measureWordRule,
      calledRule,
      perUnitRule,
      formerRule,
      // "na S8 k. Łomży"
      rule(/k\.(?=\s\p{Lu}\p{Ll})/u, (_match, place) => (/[\p{L}\d]\s$/u.test(place.before) ? 'koło' : undefined)),
      centuryRule,
      hourRule,
      weekdayRangeRule,
      weekdayRule,
      rule(/kw\.(?!\p{L})/u, ([written], place) =>
        /(?:[IV]|\d\.)\s$/.test(place.before)
          ? `${QUARTER_CASES.find(([pattern]) => pattern.test(place.before))?.[1] ?? 'kwartał'}${sentenceStop(written, place)}`
          : undefined,
      ),
      rule(/pt\.(?=\s[„"«])/u, () => 'pod tytułem'),
      // "3 x dziennie"
      rule(/x(?=\s(?:dziennie|w\s|na\s|tygodniowo))/u, (_match, place) =>
        /\d\s?$/.test(place.before) ? 'razy' : undefined,
      ),
      rule(/godz\.(?!\p{L}|\s?\d)/u, ([written], place) =>
        /(?<!\p{L})za\s$/u.test(place.before) ? `godzinę${sentenceStop(written, place)}` : undefined,
      ),
      regionRule,
      createDirectionRule(parseTable(findTable(tables, 'directions')), /^\sod\s/u),
    ],
    afterAmounts: [romanRule],
  },
  describeCode: (count) => `kod, ${count} znaków`,
  plainWord: /[a-ząćęłńóśźż]{4,40}(?=[ ,;!?])/y,
  sentences: {
    neverFinal:
      /(?:^|[\s("„«])(?:prof|dr|mgr|inż|gen|kpt|ks|bp|abp|kard|św|hab|pon|wt|śr|czw|sob|niedz|red|Min|mec|asp|sierż|nadkom|kom|dyr|prok|sygn|pocz|gm|sek|nr|str|art|ust|poz|rozdz|np|m\.in|tj|tzn|tzw|ok|ul|al|pl|im|ur|zm|woj|pow|tel|godz|wg|zob|por|proc|maks|(?:pon|wt|śr|czw|pt|sob)\.?[-–](?:wt|śr|czw|pt|sob|niedz))$/iu,
    rarelyFinal: /(?:^|[\s("„«])(?:os|tys|n\.e|p\.n\.e|mln|mld|S\.A|o\.o|min|[IVX]{1,7})$/u,
    finalLetter: /(?:\d\s[rw]|[IVX]\sw)$/u,
    opening: /^(?:W|We|Od|Do|Po|Przed|Na|Pod|Już|Dopiero|Jeszcze)\s[^,;]{0,24}$/u,
    isOrdinal: (tail, head, startsAnew) =>
      /(?:^|\D)\d{1,3}$/u.test(tail) &&
      (/^[XIV]{1,5}\sw(?:\.|iek)/u.test(head) ||
        /^(?:Dywizj|Brygad|Pułk|Batalion|Korpus|Flot|Armi|Festiwal|Kongres|Zjazd|Maraton|Międzynarodow|Ogólnopolsk|Światow|Memoriał|Rajd|Tydzień|Tygodni|Dni|Forum|Konkurs|Mistrzostw|Igrzysk|Bieg|Półmaraton|Finał|Turniej)/u.test(
          head,
        ) ||
        (/^\p{Ll}/u.test(head) && !startsAnew)),
  },
});
