import { parseTable } from '../language.ts';
import { type MoneyWords, type Noun, parseNouns } from '../shared/amounts.ts';
import type { FractionWords } from '../shared/fractions.ts';
import { createNumberVerbalizer, groupThousands } from '../shared/numbers.ts';

const ONES =
  'nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien'.split(
    ' ',
  );
const TENS = '_ _ twintig dertig veertig vijftig zestig zeventig tachtig negentig'.split(' ');
const SCALES = ['miljoen', 'miljard', 'biljoen'];
const IRREGULAR_ORDINALS = parseTable('een = eerste; drie = derde; acht = achtste');

export const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'komma',
  groupsDecimals: false,
  inflect: (words) => words,
  isOne: (written) => written === '1',
  rangeWord: 'tot',
  pointWord: 'punt',
});
export const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

/** "1234" → "twaalfhonderdvierendertig" only for years; "duizend tweehonderdvierendertig". */
function verbalizeWhole(digits: string): string {
  return groupThousands(digits)
    .map(({ value, power }) => {
      if (power === 0) return verbalizeBelowThousand(value);
      if (power === 1) return value === 1 ? 'duizend' : `${verbalizeBelowThousand(value)}duizend`;
      return `${verbalizeBelowThousand(value)} ${SCALES[power - 2]}`;
    })
    .join(' ');
}

/** "1984" → "negentienvierentachtig", "2005" → "tweeduizend vijf", "1900" → "negentienhonderd". */
export function verbalizeYear(digits: string): string {
  const value = Number(digits);
  if (digits.length !== 4 || value < 1_100 || (value >= 2_000 && value < 2_010) || value >= 2_100) {
    return verbalizeCardinal(digits);
  }
  const [first, last] = [verbalizeCardinal(digits.slice(0, 2)), digits.slice(2)];
  if (last === '00') return `${first}honderd`;
  return last.startsWith('0') ? `${first}honderd ${verbalizeCardinal(last)}` : `${first} ${verbalizeCardinal(last)}`;
}

/** "23" → "drieëntwintigste", "100" → "honderdste". */
export function verbalizeOrdinal(digits: string): string {
  const words = verbalizeCardinal(digits);
  const last = ONES[Number(digits) % 100] ?? '';
  const irregular = IRREGULAR_ORDINALS[last];
  if (irregular !== undefined) return words.slice(0, words.length - last.length) + irregular;
  const value = Number(digits) % 100;
  return value > 0 && value < 20 ? `${words}de` : `${words}ste`;
}

function verbalizeBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const start = hundreds === 0 ? '' : `${hundreds === 1 ? '' : ONES[hundreds]}honderd`;
  return value % 100 === 0 ? start : start + verbalizeBelowHundred(value % 100);
}

function verbalizeBelowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  const ones = ONES[value % 10] ?? '';
  if (value % 10 === 0) return tens;
  return `${ones}${/e$/.test(ones) ? 'ën' : 'en'}${tens}`;
}

export const money: MoneyWords = {
  currencies: parseNouns(`
    €, EUR, euro = euro|euro||cent|cent; $, dollar = dollar|dollar||cent|cent; US$, USD = dollar|dollar;
    £ = pond|pond||penny|pence; GBP, pond = pond|pond; ¥, JPY = yen|yen; CHF = Zwitserse frank|Zwitserse frank;
    frank = frank|frank; gulden = gulden|gulden; roebel = roebel|roebel; ₹, INR = roepie|roepie; R$, BRL = real|real;
    zł, PLN = zloty|zloty; kr = kroon|kronen; SEK = Zweedse kroon|Zweedse kronen; NOK = Noorse kroon|Noorse kronen;
    DKK = Deense kroon|Deense kronen; CZK, Kč = Tsjechische kroon|Tsjechische kronen; HUF = forint|forint; RUB, ₽ = roebel|roebel;
    ₴, UAH = hryvnia|hryvnia; ₺, TRY = Turkse lira|Turkse lira; ₪, ILS = sjekel|sjekel; CNY = yuan|yuan; ₩, KRW = won|won;
    CAD, C$ = Canadese dollar|Canadese dollar; AUD, A$ = Australische dollar|Australische dollar; SRD = Surinaamse dollar|Surinaamse dollar;
    MXN = Mexicaanse peso|Mexicaanse peso; BTC, ₿ = bitcoin|bitcoin
  `),
  magnitudes: parseNouns(`
    mln, mln., miljoen = miljoen; mld, mld., mrd, miljard = miljard; duizend = duizend; biljoen = biljoen
  `),
};

export const units = parseNouns(`
  %, procent = procent; ‰ = promille; km = kilometer; m = meter; cm = centimeter; mm = millimeter; µm = micrometer;
  kg = kilo; g = gram; mg = milligram; µg, ug, mcg = microgram; µg/l, ug/l = microgram per liter; mtr., mtr = meter; t = ton; l, L = liter; ml = milliliter; cl = centiliter;
  ha = hectare; km/u, km/h = kilometer per uur; m/s = meter per seconde; km², km2 = vierkante kilometer;
  m², m2 = vierkante meter; m³, m3 = kubieke meter; kW = kilowatt; MW = megawatt; GW = gigawatt; W = watt; V = volt;
  kWh = kilowattuur; MWh = megawattuur; GWh = gigawattuur; TWh = terawattuur; MB = megabyte; GB = gigabyte;
  TB = terabyte; GHz = gigahertz; MHz = megahertz; Hz = hertz; dB = decibel; hPa = hectopascal;
  kcal = kilocalorie|kilocalorieën; min. = minuut|minuten; sec., s = seconde|seconden; °C, ° C, ° = graad|graden;
  °F = graad Fahrenheit|graden Fahrenheit; pk = pk; bp, bps = basispunt|basispunten; kV = kilovolt; Wh = wattuur; TW = terawatt; kHz = kilohertz;
  Mbit/s, Mbps = megabit per seconde; Gbit/s, Gbps = gigabit per seconde; nm = nanometer; cm² = vierkante centimeter;
  cm³ = kubieke centimeter; km³ = kubieke kilometer; Mt = megaton; Gt = gigaton; hl = hectoliter; mbar = millibar; ppm = deeltje per miljoen|deeltjes per miljoen; uur, u., u = uur;
  pt, pt., pnt., ptn, ptn. = punt|punten; blz., pag., p. = bladzijde|bladzijden; jr., jr = jaar; x = keer; ct = cent; ng = nanogram; Mton = megaton; kton = kiloton; Bft, Bf = Beaufort;
  wk., wkn. = week|weken; mnd., mnd = maand|maanden; min = minuut|minuten; sec = seconde|seconden; MP = megapixel|megapixels; kn = knoop|knopen; mg/l = milligram per liter;
  inw. = inwoner|inwoners; pers. = persoon|personen; st. = stuk|stuks; afl. = aflevering|afleveringen; kcal = kilocalorie|kilocalorieën; km/s = kilometer per seconde; gr = gram; dB = decibel;
  cc = kubieke centimeter; mmHg = millimeter kwik; t = ton; bbl = vat|vaten; dgn. = dag|dagen; pp, pp. = procentpunt|procentpunten
`);

export const fractions: FractionWords = {
  denominators: parseNouns('2 = half|halve; 3 = derde; 4 = kwart; 8 = achtste'),
  nameDenominator: (digits): Noun | undefined => {
    if (Number(digits) < 5 || Number(digits) > 1_000) return undefined;
    const name = verbalizeOrdinal(digits);
    return { one: name, many: name, gender: 'masculine' };
  },
  signs: parseTable('½ = een half; ⅓ = een derde; ⅔ = twee derde; ¼ = een kwart; ¾ = drie kwart'),
  joint: 'en ',
  half: 'een half',
  joinHalf: (whole) => {
    const words = verbalizeCardinal(whole);
    return whole === '1' ? 'anderhalf' : `${words}${words.endsWith('e') ? 'ën' : 'en'}half`;
  },
  fixed: { '24/7': 'vierentwintig zeven' },
};
