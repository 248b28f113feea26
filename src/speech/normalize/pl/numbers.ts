import { parseTable, parseWords, wordSet } from '../language.ts';
import { type MoneyWords, type Noun, parseNouns, selectForm } from '../shared/amounts.ts';
import type { FractionWords } from '../shared/fractions.ts';
import { createNumberVerbalizer, type Gender, groupThousands } from '../shared/numbers.ts';

/** Cases other than the nominative, whose form numbers also have in the accusative. */
export type Case = 'genitive' | 'dative' | 'instrumental' | 'locative';

const GENITIVES = parseTable(`
  jeden = jednego; jedna = jednej; dwa, dwie = dwóch; trzy = trzech; cztery = czterech; sto = stu; dwieście = dwustu;
  trzysta = trzystu; czterysta = czterystu; tysiąc = tysiąca; tysiące = tysięcy; milion = miliona; miliony = milionów;
  miliard = miliarda; miliardy = miliardów;
  dwadzieścia = dwudziestu; zero = zera; osiem = ośmiu; siedem = siedmiu; dwanaście = dwunastu; pięćset = pięciuset;
  sześćset = sześciuset; siedemset = siedmiuset; osiemset = ośmiuset; dziewięćset = dziewięciuset
`);
const INSTRUMENTALS = parseTable(`
  jeden = jednym; jedna = jedną; dwa, dwie = dwoma; trzy = trzema; cztery = czterema; osiem = ośmioma; siedem = siedmioma;
  tysiąc = tysiącem; tysiące, tysięcy = tysiącami; milion = milionem; miliony, milionów = milionami;
  miliard = miliardem; miliardy, miliardów = miliardami
`);
const DATIVES = parseTable(
  'jeden = jednemu; jedna = jednej; dwa, dwie = dwóm; trzy = trzem; cztery = czterem; tysiąc = tysiąc; tysiące, tysięcy = tysiącom',
);

/** @returns a number in a case: "dwadzieścia osiem" → "dwudziestu ośmiu", "dwudziestoma ośmioma"; "twenty-one" keeps its one */
export function inflectNumber(words: string, wanted: Case): string {
  return words
    .split(' ')
    .map((word, index, all) => {
      if (word === 'jeden' && index > 0 && index === all.length - 1) return word;
      if (wanted === 'instrumental') return INSTRUMENTALS[word] ?? toInstrumental(toGenitive(word));
      return (wanted === 'dative' ? DATIVES[word] : undefined) ?? toGenitive(word);
    })
    .join(' ');
}

function toGenitive(word: string): string {
  return (
    GENITIVES[word] ??
    word
      .replace(/dzieści$/, 'dziestu')
      .replace(/dziesiąt$/, 'dziesięciu')
      .replace(/naście$/, 'nastu')
      .replace(/ęć$/, 'ęciu')
      .replace(/ść$/, 'ściu')
  );
}

/** "pięciu" → "pięcioma", "dwudziestu" → "dwudziestoma"; hundreds keep their form. */
function toInstrumental(genitive: string): string {
  return /^(?:stu|dwustu|trzystu|czterystu)$|set$/.test(genitive)
    ? genitive
    : genitive.replace(/iu$/, 'ioma').replace(/stu$/, 'stoma');
}

const PLURAL_ENDINGS: Readonly<Record<Case, readonly [noun: string, adjective: string]>> = {
  genitive: ['', ''],
  dative: ['om', 'ym'],
  instrumental: ['ami', 'ymi'],
  locative: ['ach', 'ych'],
};

/** @returns what is counted, in the case of its number: "dwóch kilometrów", "pięcioma punktami procentowymi" */
export function inflectCounted({ one, few, many, part }: Noun, wanted: Case, isOne: boolean): string {
  if (wanted === 'genitive') return isOne ? (part ?? many) : many;
  if (isOne || few === undefined || few === many) return isOne ? one : many;
  const [start = '', ...rest] = few.split(' ');
  const end = rest.indexOf('na');
  const [ending, adjective] = PLURAL_ENDINGS[wanted];
  const inflect = (word: string) => word.replace(/ie$/, adjective.replace('y', 'i')).replace(/e$/, adjective);
  const noun = start === 'złote' ? inflect(start) : start.replace(/(?<![cnsz])i$|[yea]$/, '') + ending;
  return [noun, ...rest.map((word, index) => (end >= 0 && index >= end ? word : inflect(word)))].join(' ');
}

/** Two to ten of children and of what has no plural of its own: "czworo dzieci". */
const COLLECTIVES = '_ _ dwoje troje czworo pięcioro sześcioro siedmioro ośmioro dziewięcioro dziesięcioro'.split(' ');
export const COUNTED_TOGETHER =
  /^[ \u00a0](?:\p{Ll}{3,20}ych\s|małych\s)?(?:dzieci|niemowląt|szczeniąt|kociąt|rodzeństwa|wnucząt)(?!\p{L})/u;

/** @returns undefined for other numbers */
export function countTogether(digits: string, wanted: Case | undefined): string | undefined {
  const words = Number(digits) < 2 ? undefined : COLLECTIVES[Number(digits)];
  if (wanted === undefined || words === undefined) return words;
  // "dwojga", "czworgiem"
  return words.replace(/[eo]$/, 'g') + { genitive: 'a', instrumental: 'iem', dative: 'u', locative: 'u' }[wanted];
}

/** Masculine persons in the plural, after a number: "dwustu posłów". Other nouns may end alike: "dwieście domów". */
export const PERSONS = wordSet(`
  posłów więźniów ministrów wiceministrów jeńców kupców autorów artystów aktorów muzyków reżyserów pisarzy laureatów
  mistrzów zwycięzców hokeistów siatkarzy koszykarzy skoczków tenisistów reprezentantów trenerów sędziów prokuratorów
  adwokatów biegłych podpalaczy złodziei przemytników terrorystów bojowników partyzantów dowódców oficerów generałów
  pilotów marynarzy ochotników wyznawców księży biskupów kardynałów dyrektorów prezesów menedżerów inwestorów
  akcjonariuszy udziałowców przedstawicieli dyplomatów ambasadorów przywódców premierów prezydentów starostów wójtów
  burmistrzów sołtysów seniorów juniorów ojców mężów przyjaciół sąsiadów kolegów ludzi absolwentów maturzystów
  kandydatów senatorów radnych mężczyzn policjantów żołnierzy strażaków uczniów studentów pracowników górników
  lekarzy nauczycieli mieszkańców kibiców widzów piłkarzy zawodników kierowców migrantów imigrantów uchodźców cywilów
  zakładników pasażerów turystów chłopców Polaków Ukraińców Rosjan uczestników członków delegatów wyborców
  głosujących zabitych rannych funkcjonariuszy ratowników podejrzanych pacjentów urzędników dziennikarzy naukowców
  ekspertów klientów użytkowników emerytów rolników świadków oskarżonych zatrzymanych chorych zakażonych
  przedsiębiorców wolontariuszy gości fanów sportowców kolarzy biegaczy obywateli synów braci działaczy
  protestujących demonstrantów napastników sprawców medyków inżynierów informatyków analityków polityków fizyków
  chemików hutników leśników strażników kolejarzy pocztowców rybaków wędkarzy myśliwych pieszych narciarzy nurków
  kurierów taksówkarzy konduktorów wojskowych cudzoziemców obcokrajowców Niemców Francuzów Włochów Czechów Słowaków
  Białorusinów Gruzinów Amerykanów Brytyjczyków Palestyńczyków Izraelczyków Syryjczyków Afgańczyków Chińczyków Turków
  Litwinów Łotyszy Estończyków Hiszpanów Węgrów Rumunów Bułgarów Serbów Chorwatów Żydów Irańczyków Koreańczyków
  Japończyków Hindusów rycerzy powstańców harcerzy weteranów kombatantów najemców lokatorów właścicieli nabywców
  dostawców sprzedawców pracodawców rodziców opiekunów wychowanków podopiecznych bezdomnych poszkodowanych
  pokrzywdzonych aresztowanych zaginionych poległych zmarłych ewakuowanych hospitalizowanych bezrobotnych zwolnionych
  niepełnosprawnych dorosłych nieletnich uprawnionych zawodowców amatorów fachowców badaczy profesorów doktorów
  doktorantów rektorów chirurgów operatorów monterów budowlańców murarzy elektryków mechaników włamywaczy oszustów
  handlarzy dilerów gangsterów zamachowców snajperów komandosów szeregowych podoficerów celników kontrolerów
  inspektorów audytorów doradców konsultantów asystentów sekretarzy wiceprezesów europosłów samorządowców liderów
  lekkoatletów pływaków wioślarzy kajakarzy bokserów zapaśników ciężarowców szermierzy strzelców łuczników bramkarzy
  obrońców pomocników rezerwowych debiutantów faworytów rywali gospodarzy zwiedzających pielgrzymów wiernych
  duchownych zakonników kleryków
`);

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
