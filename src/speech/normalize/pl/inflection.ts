import { parseTable, wordSet } from '../language.ts';
import type { Noun } from '../shared/amounts.ts';

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
