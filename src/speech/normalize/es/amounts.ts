import { type NormalizationRule, parseTable, rule } from '../language.ts';
import { type Amount, type Currency, createMoneyRules, parseUnits } from '../shared/amounts.ts';
import { splitDecimal, verbalizeRange } from '../shared/numbers.ts';
import { numberVerbalizer, verbalizeCardinal, verbalizeNumber, verbalizeOrdinal } from './numbers.ts';

const EURO: Currency = { one: 'euro', many: 'euros', cent: ['céntimo', 'céntimos'] };
const DOLLAR: Currency = { one: 'dólar', many: 'dólares', cent: ['centavo', 'centavos'] };
const POUND: Currency = { one: 'libra', many: 'libras', gender: 'feminine' };
const PESO: Currency = { one: 'peso', many: 'pesos', cent: ['centavo', 'centavos'] };

const CURRENCIES: Readonly<Record<string, Currency>> = {
  '€': EURO,
  EUR: EURO,
  euro: EURO,
  euros: EURO,
  US$: DOLLAR,
  $: DOLLAR,
  USD: DOLLAR,
  dólar: DOLLAR,
  dólares: DOLLAR,
  pesos: PESO,
  MXN: { one: 'peso mexicano', many: 'pesos mexicanos' },
  '£': POUND,
  GBP: POUND,
  libras: POUND,
  '¥': { one: 'yen', many: 'yenes' },
  CHF: { one: 'franco suizo', many: 'francos suizos' },
};
const MAGNITUDES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  M: ['millón', 'millones'],
  mill: ['millón', 'millones'],
  'mill.': ['millón', 'millones'],
  millón: ['millón', 'millones'],
  millones: ['millón', 'millones'],
  billones: ['billón', 'billones'],
};

export const moneyRules = createMoneyRules(CURRENCIES, Object.keys(MAGNITUDES), verbalizeAmount);

/** Written → one, many, gender. */
export const units = parseUnits(`
  km = kilómetro|kilómetros; m = metro|metros; cm = centímetro|centímetros; mm = milímetro|milímetros;
  kg = kilogramo|kilogramos; g = gramo|gramos; mg = miligramo|miligramos; t = tonelada|toneladas|feminine;
  l = litro|litros; L = litro|litros; ml = mililitro|mililitros; ha = hectárea|hectáreas|feminine;
  km/h = kilómetro por hora|kilómetros por hora; m/s = metro por segundo|metros por segundo;
  km² = kilómetro cuadrado|kilómetros cuadrados; km2 = kilómetro cuadrado|kilómetros cuadrados;
  m² = metro cuadrado|metros cuadrados; m2 = metro cuadrado|metros cuadrados; m³ = metro cúbico|metros cúbicos;
  m3 = metro cúbico|metros cúbicos; kW = kilovatio|kilovatios; MW = megavatio|megavatios; GW = gigavatio|gigavatios;
  kWh = kilovatio hora|kilovatios hora; MWh = megavatio hora|megavatios hora; MB = megabyte|megabytes;
  GB = gigabyte|gigabytes; TB = terabyte|terabytes; GHz = gigahercio|gigahercios; min = minuto|minutos;
  s = segundo|segundos; °C = grado Celsius|grados Celsius; ° C = grado Celsius|grados Celsius;
  ºC = grado Celsius|grados Celsius; °F = grado Fahrenheit|grados Fahrenheit; ° = grado|grados
`);

/** The number before "por ciento" counts nothing: "veintiuno por ciento". */
export const percentRules: readonly NormalizationRule[] = [
  rule(
    /([\d.]{1,15}(?:,\d{1,6})?)(?:\s?[-–]\s?([\d.]{1,15}(?:,\d{1,6})?))?[ \u00a0\u202f]?([%‰])/u,
    ([, first = '', last, sign]) =>
      `${verbalizeNumber(first)}${last === undefined ? '' : ` a ${verbalizeNumber(last)}`} ${sign === '%' ? 'por ciento' : 'por mil'}`,
  ),
];

const FRACTIONS = parseTable('½ = medio; ⅓ = un tercio; ⅔ = dos tercios; ¼ = un cuarto; ¾ = tres cuartos');
export const fractionSigns = FRACTIONS;

/** "3/4", "2 ½". */
export const fractionRules: readonly NormalizationRule[] = [
  rule(/24\/7(?![\d/])/, () => 'veinticuatro siete'),
  rule(/(\d{1,3})\/(\d{1,2})(?![\d/])/, ([, top = '', bottom = '']) => verbalizeFraction(top, bottom)),
  rule(/(\d{1,4})\s?([½⅓⅔¼¾])/u, ([, whole = '', sign = '']) => `${verbalizeCardinal(whole)} y ${FRACTIONS[sign]}`),
];

function verbalizeFraction(top: string, bottom: string): string | undefined {
  const parts = Number(bottom);
  if (top.startsWith('0') || parts < 2 || parts > 10 || Number(top) >= parts) return undefined;
  const names: Readonly<Record<number, string>> = { 2: 'medio', 3: 'tercio' };
  const name = names[parts] ?? verbalizeOrdinal(bottom, 'masculine');
  return `${numberVerbalizer.verbalizeQuantity(top, 'masculine')} ${name}${top === '1' ? '' : 's'}`;
}

function verbalizeAmount({ first, last, magnitude, currency }: Amount): string {
  const gender = currency.gender ?? 'masculine';
  const isSingle = last === undefined && numberVerbalizer.isOne(first);
  if (magnitude !== undefined) {
    const [one, many] = MAGNITUDES[magnitude] ?? ['', ''];
    return `${verbalizeRange(numberVerbalizer, first, last, 'masculine')} ${isSingle ? one : many} de ${currency.many}`;
  }
  const { whole, decimals } = splitDecimal(first);
  if (last === undefined && decimals.length === 2 && currency.cent !== undefined) {
    const [cent, cents] = currency.cent;
    const small = String(Number(decimals));
    if (Number(whole) === 0)
      return `${numberVerbalizer.verbalizeQuantity(small, 'masculine')} ${small === '1' ? cent : cents}`;
    const big = `${numberVerbalizer.verbalizeQuantity(whole, gender)} ${whole === '1' ? currency.one : currency.many}`;
    return small === '0' ? big : `${big} con ${verbalizeCardinal(small)}`;
  }
  const of = /ill(?:ón|ones)$/.test(numberVerbalizer.verbalizeNumber(last ?? first)) ? 'de ' : '';
  return `${verbalizeRange(numberVerbalizer, first, last, gender)} ${of}${isSingle ? currency.one : currency.many}`;
}
