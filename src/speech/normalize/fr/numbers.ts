import { parseTable, rule } from '../language.ts';
import { type FractionWords, type MoneyWords, parseNouns } from '../shared/amounts.ts';
import { createNumberVerbalizer, groupThousands } from '../shared/numbers.ts';

const ONES =
  'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf'.split(
    ' ',
  );
const TENS = '_ _ vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt'.split(' ');
const SCALES = ['million', 'milliard', 'billion'];

export const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'virgule',
  groupsDecimals: true,
  inflect: (words, gender) => (gender === 'feminine' ? words.replace(/\bun$/, 'une') : words),
  isOne: (written) => /^[01](?:,\d+)?$/.test(written),
  rangeWord: 'à',
  pointWord: 'point',
});
export const { verbalizeCardinal, verbalizeNumber, spellDigits } = numberVerbalizer;

/** "1234" → "mille deux cent trente-quatre". */
function verbalizeWhole(digits: string): string {
  return groupThousands(digits)
    .map(({ value, power }) => {
      if (power === 0) return verbalizeBelowThousand(value);
      // "quatre-vingts" and "cents" lose their s before "mille", not before "millions".
      if (power === 1)
        return value === 1 ? 'mille' : `${verbalizeBelowThousand(value).replace(/(cent|vingt)s$/, '$1')} mille`;
      return `${verbalizeBelowThousand(value)} ${SCALES[power - 2]}${value === 1 ? '' : 's'}`;
    })
    .join(' ');
}

/** "21" → "vingt et unième". */
export function verbalizeOrdinal(digits: string): string {
  if (Number(digits) === 1) return 'premier';
  const words = verbalizeCardinal(digits).replace(/(cent|vingt|million|milliard)s$/, '$1');
  if (words.endsWith('cinq')) return `${words}uième`;
  if (words.endsWith('neuf')) return `${words.slice(0, -1)}vième`;
  return `${words.replace(/e$/, '')}ième`;
}

function verbalizeBelowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const remainder = value % 100;
  const words: string[] = [];
  if (hundreds > 0) {
    const hundred = remainder === 0 && hundreds > 1 ? 'cents' : 'cent';
    words.push(hundreds === 1 ? 'cent' : `${ONES[hundreds]} ${hundred}`);
  }
  if (remainder > 0) words.push(verbalizeBelowHundred(remainder));
  return words.join(' ');
}

function verbalizeBelowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  const isLong = [7, 9].includes(Math.floor(value / 10));
  const ones = isLong ? 10 + (value % 10) : value % 10;
  if (ones === 0) return value === 80 ? 'quatre-vingts' : tens;
  const takesEt = (ones === 1 || ones === 11) && value < 80;
  return `${tens}${takesEt ? ' et ' : '-'}${ONES[ones]}`;
}

export const money: MoneyWords = {
  currencies: parseNouns(`
    € = euro|euros||centime|centimes; EUR = euro|euros||centime|centimes; euro = euro|euros||centime|centimes;
    euros = euro|euros||centime|centimes; $ = dollar|dollars||cent|cents; USD = dollar américain|dollars américains;
    dollar = dollar|dollars||cent|cents; dollars = dollar|dollars||cent|cents; £ = livre|livres|feminine;
    GBP = livre|livres|feminine; ¥ = yen|yens; CHF = franc suisse|francs suisses; FCFA = franc C.F.A|francs C.F.A; F CFA = franc C.F.A|francs C.F.A;
    francs = franc|francs||centime|centimes; CAD = dollar canadien|dollars canadiens; JPY = yen|yens;
    CNY = yuan|yuans; SEK = couronne suédoise|couronnes suédoises|feminine; MAD = dirham|dirhams; DH = dirham|dirhams;
    DA = dinar|dinars; XOF = franc C.F.A|francs C.F.A; US$ = dollar|dollars||cent|cents; $US = dollar|dollars||cent|cents;
    $CA = dollar canadien|dollars canadiens; ₽ = rouble|roubles; ₹ = roupie|roupies|feminine; ₺ = livre turque|livres turques|feminine;
    kr = couronne|couronnes|feminine; zł = zloty|zlotys; PLN = zloty|zlotys; AUD = dollar australien|dollars australiens
  `),
  magnitudes: parseNouns(`
    k = mille; M = million|millions; Md = milliard|milliards; Mds = milliard|milliards; Mrd = milliard|milliards;
    million = million|millions; millions = million|millions; milliard = milliard|milliards;
    milliards = milliard|milliards
  `),
  partitive: (number, { many }) => (/illi(?:on|ard)s?$/.test(number) ? (/^e/.test(many) ? "d'" : 'de ') : ''),
  inflectMagnitude: (words) => words.replace(/^un mille$/, 'mille').replace(/(cent|vingt)s mille$/, '$1 mille'),
};

export const units = parseNouns(`
  % = pour cent; ‰ = pour mille; km = kilomètre|kilomètres; m = mètre|mètres; cm = centimètre|centimètres;
  mm = millimètre|millimètres; kg = kilogramme|kilogrammes; g = gramme|grammes; mg = milligramme|milligrammes;
  t = tonne|tonnes|feminine; l = litre|litres; L = litre|litres; cl = centilitre|centilitres;
  ml = millilitre|millilitres; ha = hectare|hectares; km/h = kilomètre heure|kilomètres heure;
  m/s = mètre par seconde|mètres par seconde; km² = kilomètre carré|kilomètres carrés;
  km2 = kilomètre carré|kilomètres carrés; m² = mètre carré|mètres carrés; m2 = mètre carré|mètres carrés;
  m³ = mètre cube|mètres cubes; m3 = mètre cube|mètres cubes; kW = kilowatt|kilowatts; MW = mégawatt|mégawatts;
  GW = gigawatt|gigawatts; kWh = kilowattheure|kilowattheures; MWh = mégawattheure|mégawattheures;
  Mo = mégaoctet|mégaoctets; Go = gigaoctet|gigaoctets; To = téraoctet|téraoctets; GHz = gigahertz; x = fois;
  min = minute|minutes|feminine; s = seconde|secondes|feminine; °C = degré Celsius|degrés Celsius;
  ° C = degré Celsius|degrés Celsius; °F = degré Fahrenheit|degrés Fahrenheit; ° = degré|degrés;
  µg = microgramme|microgrammes; μg = microgramme|microgrammes; µm = micromètre|micromètres;
  μm = micromètre|micromètres; nm = nanomètre|nanomètres; dl = décilitre|décilitres; hl = hectolitre|hectolitres;
  V = volt|volts; kV = kilovolt|kilovolts; W = watt|watts; TW = térawatt|térawatts; Wh = wattheure|wattheures;
  GWh = gigawattheure|gigawattheures; TWh = térawattheure|térawattheures; Hz = hertz; kHz = kilohertz;
  MHz = mégahertz; dB = décibel|décibels; hPa = hectopascal|hectopascals; kcal = kilocalorie|kilocalories|feminine;
  kJ = kilojoule|kilojoules; cm² = centimètre carré|centimètres carrés; mm² = millimètre carré|millimètres carrés;
  cm³ = centimètre cube|centimètres cubes; km³ = kilomètre cube|kilomètres cubes; ko = kilooctet|kilooctets;
  Ko = kilooctet|kilooctets; Po = pétaoctet|pétaoctets; ch = cheval|chevaux; cts = centime|centimes;
  sec = seconde|secondes|feminine; dép. = département|départements; p. = page|pages|feminine;
  pb = point de base|points de base; Ma = million d'années|millions d'années; rbds = rebond|rebonds;
  ép. = épisode|épisodes; pt = point|points; pts = point|points;
  ppm = partie par million|parties par million|feminine; ng = nanogramme|nanogrammes;
  Gt = gigatonne|gigatonnes|feminine; Mt = mégatonne|mégatonnes|feminine;
  a.l. = année-lumière|années-lumière|feminine; km/s = kilomètre par seconde|kilomètres par seconde;
  hab/km² = habitant au kilomètre carré|habitants au kilomètre carré; h = heure|heures|feminine;
  mn = minute|minutes|feminine; min. = minute|minutes|feminine; j = jour|jours; j. = jour|jours;
  sal. = salarié|salariés; abst. = abstention|abstentions|feminine; sél. = sélection|sélections|feminine;
  pers. = personne|personnes|feminine; hab. = habitant|habitants; sem. = semaine|semaines|feminine;
  trim. = trimestre|trimestres; a.-l. = année-lumière|années-lumière|feminine;
  années-lum. = année-lumière|années-lumière|feminine; kms = kilomètre|kilomètres; kt = nœud|nœuds; kts = nœud|nœuds;
  mSv = millisievert|millisieverts; Bq = becquerel|becquerels; ms = milliseconde|millisecondes|feminine;
  µs = microseconde|microsecondes|feminine; ns = nanoseconde|nanosecondes|feminine; mbar = millibar|millibars;
  kWc = kilowatt-crête|kilowatts-crête; MWc = mégawatt-crête|mégawatts-crête; GWc = gigawatt-crête|gigawatts-crête;
  Mbit/s = mégabit par seconde|mégabits par seconde; Gbit/s = gigabit par seconde|gigabits par seconde;
  mmHg = millimètre de mercure|millimètres de mercure; UA = unité astronomique|unités astronomiques|feminine;
  hm³ = hectomètre cube|hectomètres cubes; bps = point de base|points de base;
  pp = point de pourcentage|points de pourcentage; TEP = tonne équivalent pétrole|tonnes équivalent pétrole|feminine;
  tep = tonne équivalent pétrole|tonnes équivalent pétrole|feminine;
  pass. = passe décisive|passes décisives|feminine; oz = once|onces|feminine; kN = kilonewton|kilonewtons;
  Nm = newton-mètre|newtons-mètres; ex. = exemplaire|exemplaires; exempl. = exemplaire|exemplaires;
  Gb/s = gigabit par seconde|gigabits par seconde; Mb/s = mégabit par seconde|mégabits par seconde;
  tr/min = tour par minute|tours par minute; pp. = page|pages|feminine; tab = tir au but|tirs au but;
  c€ = centime|centimes; mds = milliard|milliards; tr = tour|tours; MDH = million de dirhams|millions de dirhams;
  kgs = kilogramme|kilogrammes; hl/ha = hectolitre à l'hectare|hectolitres à l'hectare
`);

export const fractions: FractionWords = {
  denominators: parseNouns(
    `2 = demi; 3 = tiers|tiers; 4 = quart; 5 = cinquième; 6 = sixième; 7 = septième; 8 = huitième; 9 = neuvième;
    10 = dixième; 11 = onzième; 12 = douzième; 100 = centième; 1000 = millième`,
    (one) => `${one}s`,
  ),
  signs: parseTable('½ = un demi; ⅓ = un tiers; ⅔ = deux tiers; ¼ = un quart; ¾ = trois quarts'),
  joint: 'et ',
  half: 'demi',
  fixed: parseTable('20/20 = vingt vingt; 24/7 = vingt-quatre sept; 50/50 = cinquante cinquante'),
  verbalizeOther: (top, bottom) => `${verbalizeCardinal(top)} sur ${verbalizeCardinal(bottom)}`,
};

/** "24h/24", "7j/7". */
export const roundTheClockRules = [
  rule(/24 ?h?\/24(?![\d/])/, () => 'vingt-quatre heures sur vingt-quatre'),
  rule(/24 heures\/24(?![\d/])/, () => 'vingt-quatre heures sur vingt-quatre'),
  rule(/7 ?(?:j|jours)?\/7(?![\d/])/, () => 'sept jours sur sept'),
];
