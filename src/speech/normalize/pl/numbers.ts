import { parseTable, parseWords } from '../language.ts';
import { type MoneyWords, type Noun, parseNouns, selectForm } from '../shared/amounts.ts';
import type { FractionWords } from '../shared/fractions.ts';
import { createNumberVerbalizer, type Gender, groupThousands } from '../shared/numbers.ts';
import { inflectNumber } from './inflection.ts';

const ONES =
  'zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście trzynaście czternaście piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście'.split(
    ' ',
  );
const TENS = parseWords(`
  _ _ dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt
`);
const HUNDREDS = '_ sto dwieście trzysta czterysta pięćset sześćset siedemset osiemset dziewięćset'.split(' ');
const SCALES: readonly Noun[] = Object.values(
  parseNouns(`
    1 = tysiąc|tysiące/tysięcy; 2 = milion|miliony/milionów; 3 = miliard|miliardy/miliardów; 4 = bilion|biliony/bilionów
  `),
);
const ORDINALS =
  '_ pierwszy drugi trzeci czwarty piąty szósty siódmy ósmy dziewiąty dziesiąty jedenasty dwunasty trzynasty czternasty piętnasty szesnasty siedemnasty osiemnasty dziewiętnasty'.split(
    ' ',
  );
const ORDINAL_TENS = parseWords(`
  _ _ dwudziesty trzydziesty czterdziesty pięćdziesiąty sześćdziesiąty siedemdziesiąty osiemdziesiąty dziewięćdziesiąty
`);
const ORDINAL_HUNDREDS =
  '_ setny dwusetny trzechsetny czterechsetny pięćsetny sześćsetny siedemsetny osiemsetny dziewięćsetny'.split(' ');

export const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'przecinek',
  groupsDecimals: true,
  inflect: applyGender,
  isOne: (written) => written === '1',
  rangeWord: 'do',
  inflectRangeEnd: (words) => (words.includes('przecinek') ? words : inflectNumber(words, 'genitive')),
  pointWord: 'kropka',
});
const { verbalizeCardinal } = numberVerbalizer;

/** "1234" → "tysiąc dwieście trzydzieści cztery". */
function verbalizeWhole(digits: string): string {
  return groupThousands(digits)
    .map(({ value, power }) => {
      if (power === 0) return verbalizeBelowThousand(value);
      const scale = SCALES[power - 1];
      if (scale === undefined) return '';
      const noun = selectForm({ isOne: (written) => written === '1' }, String(value), scale);
      return value === 1 ? noun : `${verbalizeBelowThousand(value)} ${noun}`;
    })
    .join(' ');
}

/** One and two agree with the noun. */
function applyGender(words: string, gender: Gender): string {
  if (gender === 'masculine') return words;
  const one = gender === 'feminine' ? 'jedna' : 'jedno';
  return gender === 'feminine' ? words.replace(/^jeden$/, one).replace(/dwa$/, 'dwie') : words.replace(/^jeden$/, one);
}

/** Cases and genders of an ordinal. */
export type OrdinalForm =
  | 'nominative'
  | 'genitive'
  | 'locative'
  | 'feminine'
  | 'feminineGenitive'
  | 'feminineAccusative'
  | 'neuter'
  | 'plural';
const ENDINGS: Readonly<Record<OrdinalForm, readonly [afterY: string, afterI: string]>> = {
  nominative: ['y', 'i'],
  genitive: ['ego', 'iego'],
  locative: ['ym', 'im'],
  feminine: ['a', 'ia'],
  feminineGenitive: ['ej', 'iej'],
  feminineAccusative: ['ą', 'ią'],
  neuter: ['e', 'ie'],
  plural: ['e', 'ie'],
};

/** "26" → "dwudziesty szósty"; of higher numbers only the last two digits are ordinals, as in years. */
export function verbalizeOrdinal(digits: string, form: OrdinalForm): string {
  const value = Number(digits);
  const below = value % 100;
  const inflect = (word: string) =>
    word.replace(/[yi]$/, (ending) => ENDINGS[form][ending === 'y' ? 0 : 1]).replace(/gia$/, 'ga');
  if (below === 0) return [...verbalizeRoundStart(value), inflect(verbalizeRoundOrdinal(value))].join(' ').trim();
  const start = value > 99 ? [verbalizeCardinal(String(value - below))] : [];
  const simple = ORDINALS[below];
  const words =
    simple === undefined ? [ORDINAL_TENS[Math.floor(below / 10)] ?? '', ORDINALS[below % 10] ?? ''] : [simple];
  return [...start, ...words.filter((word) => word !== '' && word !== '_').map(inflect)].join(' ');
}

/** "1900": "tysiąc dziewięćsetny". */
function verbalizeRoundStart(value: number): string[] {
  return value > 1_000 && value % 1_000 > 0 ? [verbalizeCardinal(String(value - (value % 1_000)))] : [];
}

function verbalizeRoundOrdinal(value: number): string {
  const hundreds = Math.floor((value % 1_000) / 100);
  if (hundreds > 0) return ORDINAL_HUNDREDS[hundreds] ?? '';
  const prefixes = ['', '', 'dwu', 'trzy', 'cztero'];
  return `${prefixes[value / 1_000] ?? ''}tysięczny`;
}

function verbalizeBelowThousand(value: number): string {
  const words: string[] = [];
  if (value >= 100) words.push(HUNDREDS[Math.floor(value / 100)] ?? '');
  const below = value % 100;
  const simple = ONES[below];
  if (below > 0 && simple !== undefined) words.push(simple);
  else if (below > 0) {
    words.push(TENS[Math.floor(below / 10)] ?? '');
    if (below % 10 > 0) words.push(ONES[below % 10] ?? '');
  }
  return words.join(' ');
}

export const money: MoneyWords = {
  currencies: parseNouns(`
    zł, PLN, złotych = złoty|złote/złotych/złotego||grosz|grosze/groszy; €, EUR, euro = euro|euro/euro/euro|neuter|cent|centów;
    $ = dolar|dolary/dolarów/dolara||cent|centów; dol., USD, dolarów = dolar|dolary/dolarów/dolara;
    £ = funt|funty/funtów/funta||pens|pensów; GBP = funt|funty/funtów/funta;
    CHF = frank szwajcarski|franki szwajcarskie/franków szwajcarskich/franka szwajcarskiego; ¥ = jen|jeny/jenów/jena;
    gr = grosz|grosze/groszy/grosza; rubli = rubel|ruble/rubli/rubla; koron, kr = korona|korony/koron/korony|feminine;
    ₹, INR = rupia|rupie/rupii/rupii|feminine; R$, BRL = real|reale/reali/reala; Kč, CZK = korona czeska|korony czeskie/koron czeskich/korony czeskiej|feminine;
    SEK = korona szwedzka|korony szwedzkie/koron szwedzkich/korony szwedzkiej|feminine;
    NOK = korona norweska|korony norweskie/koron norweskich/korony norweskiej|feminine; HUF = forint|forinty/forintów/forinta;
    RUB, ₽ = rubel|ruble/rubli/rubla; ₴, UAH = hrywna|hrywny/hrywien/hrywny|feminine; ₺, TRY = lira|liry/lir/liry|feminine;
    CNY = juan|juany/juanów/juana; JPY = jen|jeny/jenów/jena; ₩, KRW = won|wony/wonów/wona; BTC, ₿ = bitcoin|bitcoiny/bitcoinów/bitcoina
  `),
  magnitudes: parseNouns(`
    tys., tys, tysięcy = tysiąc|tysiące/tysięcy/tysiąca;
    mln, mln., milion, miliony, milionów, miliona = milion|miliony/milionów/miliona;
    mld, mld., miliard, miliardy, miliardów, miliarda = miliard|miliardy/miliardów/miliarda;
    bln = bilion|biliony/bilionów/biliona
  `),
  namesCents: true,
  inflectMagnitude: (words) => words.replace(/^jeden (?=tysiąc)/, ''),
};

export const units = parseNouns(`
  %, proc. = procent|procent/procent/procenta; ‰ = promil|promile/promili/promila;
  km = kilometr|kilometry/kilometrów/kilometra; m = metr|metry/metrów/metra;
  cm = centymetr|centymetry/centymetrów/centymetra; mm = milimetr|milimetry/milimetrów/milimetra;
  kg = kilogram|kilogramy/kilogramów/kilograma; g = gram|gramy/gramów/grama;
  dag = dekagram|dekagramy/dekagramów/dekagrama; mg = miligram|miligramy/miligramów/miligrama;
  µg = mikrogram|mikrogramy/mikrogramów/mikrograma; t = tona|tony/ton/tony|feminine; l = litr|litry/litrów/litra;
  ml = mililitr|mililitry/mililitrów/mililitra; ha = hektar|hektary/hektarów/hektara;
  km/h = kilometr na godzinę|kilometry na godzinę/kilometrów na godzinę/kilometra na godzinę;
  m/s = metr na sekundę|metry na sekundę/metrów na sekundę/metra na sekundę;
  km², km kw. = kilometr kwadratowy|kilometry kwadratowe/kilometrów kwadratowych/kilometra kwadratowego;
  m², mkw., m kw., m2 = metr kwadratowy|metry kwadratowe/metrów kwadratowych/metra kwadratowego;
  m³, m sześc., m3 = metr sześcienny|metry sześcienne/metrów sześciennych/metra sześciennego;
  kW = kilowat|kilowaty/kilowatów/kilowata; MW = megawat|megawaty/megawatów/megawata;
  GW = gigawat|gigawaty/gigawatów/gigawata;
  kWh = kilowatogodzina|kilowatogodziny/kilowatogodzin/kilowatogodziny|feminine;
  GWh = gigawatogodzina|gigawatogodziny/gigawatogodzin/gigawatogodziny|feminine;
  TWh = terawatogodzina|terawatogodziny/terawatogodzin/terawatogodziny|feminine;
  pb, p.b., pb., bp = punkt bazowy|punkty bazowe/punktów bazowych/punktu bazowego;
  pp., pkt proc., p.p. = punkt procentowy|punkty procentowe/punktów procentowych/punktu procentowego;
  µg/m³ = mikrogram na metr sześcienny|mikrogramy na metr sześcienny/mikrogramów na metr sześcienny/mikrograma na metr sześcienny;
  MWh = megawatogodzina|megawatogodziny/megawatogodzin/megawatogodziny|feminine; V = wolt|wolty/woltów/wolta;
  W = wat|waty/watów/wata; MB = megabajt|megabajty/megabajtów/megabajta; GB = gigabajt|gigabajty/gigabajtów/gigabajta;
  TB = terabajt|terabajty/terabajtów/terabajta; GHz = gigaherc|gigaherce/gigaherców/gigaherca;
  MHz = megaherc|megaherce/megaherców/megaherca; hPa = hektopaskal|hektopaskale/hektopaskali/hektopaskala;
  godz. = godzina|godziny/godzin/godziny|feminine; min, min. = minuta|minuty/minut/minuty|feminine;
  s = sekunda|sekundy/sekund/sekundy|feminine; °C, ° C, ° = stopień|stopnie/stopni/stopnia;
  odc. = odcinek|odcinki/odcinków/odcinka; pkt = punkt|punkty/punktów/punktu; str. = strona|strony/stron/strony|feminine; st. C, st., stopni C = stopień|stopnie/stopni/stopnia;
  km/s = kilometr na sekundę|kilometry na sekundę/kilometrów na sekundę/kilometra na sekundę; sek. = sekunda|sekundy/sekund/sekundy|feminine;
  h = godzina|godziny/godzin/godziny|feminine; szt. = sztuka|sztuki/sztuk/sztuki|feminine; Mpix, MP = megapiksel|megapiksele/megapikseli/megapiksela;
  cc, cm³, cm3 = centymetr sześcienny|centymetry sześcienne/centymetrów sześciennych/centymetra sześciennego; mg/l = miligram na litr|miligramy na litr/miligramów na litr/miligrama na litr;
  µg/l = mikrogram na litr|mikrogramy na litr/mikrogramów na litr/mikrograma na litr; l/m², l/m2 = litr na metr kwadratowy|litry na metr kwadratowy/litrów na metr kwadratowy/litra na metr kwadratowy;
  Mbit/s, Mb/s = megabit na sekundę|megabity na sekundę/megabitów na sekundę/megabita na sekundę; mies. = miesiąc|miesiące/miesięcy/miesiąca; tyg. = tydzień|tygodnie/tygodni/tygodnia;
  dB = decybel|decybele/decybeli/decybela; Hz = herc|herce/herców/herca; kHz = kiloherc|kiloherce/kiloherców/kiloherca; kV = kilowolt|kilowolty/kilowoltów/kilowolta; kcal = kilokaloria|kilokalorie/kilokalorii/kilokalorii|feminine;
  ppm = część na milion|części na milion/części na milion/części na milion|feminine; Mt = megatona|megatony/megaton/megatony|feminine; bar = bar|bary/barów/bara; nm = nanometr|nanometry/nanometrów/nanometra;
  mg/dl = miligram na decylitr|miligramy na decylitr/miligramów na decylitr/miligrama na decylitr; ng/ml = nanogram na mililitr|nanogramy na mililitr/nanogramów na mililitr/nanograma na mililitr; dl = decylitr|decylitry/decylitrów/decylitra;
  os. = osoba|osoby/osób/osoby|feminine; mAh = miliamperogodzina|miliamperogodziny/miliamperogodzin/miliamperogodziny|feminine;
  KM = koń mechaniczny|konie mechaniczne/koni mechanicznych/konia mechanicznego
`);

export const fractions: FractionWords = {
  denominators: {},
  nameDenominator: (digits): Noun | undefined => {
    if (Number(digits) < 3 || Number(digits) > 100) return undefined;
    const ordinal = verbalizeOrdinal(digits, 'feminine');
    const stem = verbalizeOrdinal(digits, 'nominative');
    return { one: ordinal, many: stem.replace(/y(?= |$)/g, 'e').replace(/i(?= |$)/g, 'ie'), gender: 'feminine' };
  },
  signs: parseTable('½ = pół; ⅓ = jedna trzecia; ⅔ = dwie trzecie; ¼ = jedna czwarta; ¾ = trzy czwarte'),
  joint: 'i ',
  half: 'pół',
  fixed: parseTable(
    '1/2 = pół; 1/4 = jedna czwarta; 3/4 = trzy czwarte; 2/3 = dwie trzecie; 1/3 = jedna trzecia; 24/7 = dwadzieścia cztery na siedem',
  ),
};
