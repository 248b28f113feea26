import { type NormalizationRule, parseTable, rule, wordSet } from '../language.ts';
import { createNounParser, type MoneyWords } from '../shared/amounts.ts';
import {
  createNumericDateRules,
  createRaceTimeRules,
  createShortDateRule,
  createSpanRules,
  createWeekdayRule,
} from '../shared/dates.ts';
import type { FractionWords } from '../shared/fractions.ts';
import { createNumberVerbalizer, createResultRule, GAP, groupThousands } from '../shared/numbers.ts';

const parseNouns = createNounParser('s');

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
const { verbalizeCardinal } = numberVerbalizer;

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

const NO_NOUN = wordSet('des dans les ses ces mes tes plus pas puis sous sans mais chez vers trois deux six dix');
/** With the ending of a feminine noun. */
const MASCULINE = wordSet(`
  comité député été traité côté pâté arrêté comté invité retraité lycée musée trophée mausolée apogée scarabée athée
  incendie génie sosie messie brie zombie caddie cimetière derrière gorille domaine capitaine murmure mercure
  silence stade grade malade squelette quintette parlementaire accidenté foie portefeuille vaudeville mille magazine
  inverse torse adverse face scandale pétale vandale dédale espace palace gramme programme groupe jeune intervalle
`);
const FEMININE = wordSet(`
  femme minute seconde maison école victime livre place page voix fois équipe région commune étape prime arme balle
  bombe frappe banque ligne plainte gare rue tranche épreuve manche loi main nuit plateforme scène salle perte base
  demande commande réforme norme tribune île centrale patiente aide mère sœur route table langue zone marque tête
  caméra tombe attaque montagne robe œuvre toile vidéo lettre carte pièce porte chambre clé alerte chaîne cible
  couche ferme plage couleur fleur valeur erreur horreur peur rumeur faveur douleur liqueur tumeur lueur sueur
  saveur victoire histoire foire poire mâchoire forêt mer dent croix soif faim fin part cour tour jument souris
  brebis fourmi dot eau peau oasis moto photo auto radio météo star étudiante enseignante habitante adolescente
  candidate avocate magistrate plante ONG PME vache chèvre poule tuile étoile voile huile pomme gomme somme firme
  forme larme tente vente rente fente cliente cellule molécule capsule planète comète fête bête requête conquête
  enquête ampoule foule boule moule ligue note cote côte date découverte offre montre musulmane campagne vigne image
  nage cage rage grève trêve parole visite limite faillite réussite suite fuite clinique boutique république
  fabrique brique musique époque plaque flamme gamme lame dame âme affaire paire injustice milice notice revue
  avenue vue statue recrue vague drogue phrase thèse hypothèse branche recherche tâche poche brèche marche approche
  bouche liste piste espèce charge décharge marge phase case fiche affiche douche ruche planche démarche barque coupe
  troupe loupe frégate fenêtre colère dalle malle halle bulle rive archive ogive cave épave preuve veuve cuve réserve
  conserve rame trame lèvre fièvre manœuvre guerre terre pierre serre barre bagarre force source ressource amorce
  province pince sauce jambe herbe barbe méthode période bande amende légende ronde onde garde corde loge horloge
  métropole coupole boussole gondole nécropole parabole babiole camisole console
  grange orange éponge tige alarme cime coutume plume brume panne canne cabane caravane savane membrane icône taxe annexe
  ombre colombe nappe
`);

/** @returns undefined for a masculine noun and for other words */
export function guessGender(noun: string): 'feminine' | undefined {
  const singular = noun.replace(/(?<=\p{L}{2})s$/u, '').replace('oe', 'œ');
  if (MASCULINE.has(singular)) return undefined;
  const isFeminine =
    FEMININE.has(singular) ||
    FEMININE.has(noun) ||
    /(?:tion|sion|[iélnrs]té|tié|esse|[aeio]sse|[ae]nce|[rn]se|usse|ppe|mpe|[^e]une|[^gq]ue|tte|thèque|ale|ace|once|[^o]ine|ure|ette|ière|[ae]ine|[^oa]ine|euse|trice|tive|ose|ille|[eo]nne|elle|otte|ade|tude|ise|[^eu]ie|ée)$/u.test(
      singular,
    );
  return isFeminine ? 'feminine' : undefined;
}

export const money: MoneyWords = {
  currencies: parseNouns(`
    €, EUR, euro, euros = euro|||centime|centimes; $, dollar, dollars, US$, $US = dollar|||cent|cents;
    USD = dollar américain; £, GBP = livre||feminine; ¥, JPY = yen; CHF = franc suisse;
    FCFA, F CFA, XOF = franc C.F.A|francs C.F.A; francs, F = franc|||centime|centimes; CAD, $CA = dollar canadien;
    CNY = yuan; SEK = couronne suédoise||feminine; MAD, DH = dirham; DA = dinar; ₽ = rouble; ₹ = roupie||feminine;
    ₺ = livre turque||feminine; kr = couronne||feminine; zł, PLN = zloty; AUD, A$ = dollar australien;
    C$ = dollar canadien; NZD = dollar néo-zélandais; HKD, HK$ = dollar de Hong Kong; SGD = dollar de Singapour;
    R$, BRL = real|reais; INR, Rs = roupie||feminine; ₩, KRW = won; ₦, NGN = naira; ₱ = peso; ฿, THB = baht; VND = dong;
    ZAR = rand; MXN = peso mexicain; ARS = peso argentin; CLP = peso chilien; NOK = couronne norvégienne||feminine;
    DKK = couronne danoise||feminine; CZK, Kč = couronne tchèque||feminine; HUF = forint; RUB = rouble;
    ₴, UAH = hryvnia||feminine; ₪, ILS = shekel; TND = dinar tunisien; DZD = dinar algérien; AED = dirham;
    SAR = riyal saoudien; EGP = livre égyptienne||feminine; LBP = livre libanaise||feminine; XAF = franc C.F.A|francs C.F.A;
    Fr., Frs, frs = franc|||centime|centimes; HTG = gourde||feminine; GNF = franc guinéen; CDF = franc congolais;
    PKR = roupie pakistanaise||feminine; IDR = roupie indonésienne||feminine; KES = shilling kényan; RON = leu|lei;
    RSD = dinar serbe; BTC, ₿ = bitcoin; livres = livre||feminine
  `),
  magnitudes: parseNouns(`
    k, K = mille|mille; M, Mio., Mio, million, millions = million; Md, Mds, Mrd, Mrd., milliard, milliards = milliard
  `),
  partitive: (number, { many }) => (/illi(?:on|ard)s?$/.test(number) ? (/^e/.test(many) ? "d'" : 'de ') : ''),
  inflectMagnitude: (words) => words.replace(/^un mille$/, 'mille').replace(/(cent|vingt)s mille$/, '$1 mille'),
};

export const units = parseNouns(`
  c. à s., càs = cuillère à soupe|cuillères à soupe|feminine; c. à c., càc = cuillère à café|cuillères à café|feminine;
  % = pour cent|pour cent; ‰ = pour mille|pour mille; km, kms = kilomètre; m = mètre; cm = centimètre; mm = millimètre;
  kg, kgs = kilogramme; g = gramme; mg = milligramme; t = tonne||feminine; l, L = litre; cl = centilitre;
  ml = millilitre; ha = hectare; km/h = kilomètre heure|kilomètres heure; m/s = mètre par seconde;
  km², km2 = kilomètre carré; m², m2 = mètre carré; m³, m3 = mètre cube; m³/s, m3/s = mètre cube par seconde; kW = kilowatt; MW = mégawatt; GW = gigawatt;
  kWh = kilowattheure; MWh = mégawattheure; Mo = mégaoctet; Go = gigaoctet; To = téraoctet; GHz = gigahertz|gigahertz;
  x = fois|fois; min, mn, min. = minute||feminine; s, sec = seconde||feminine; °C, ° C = degré Celsius;
  °F = degré Fahrenheit; ° = degré; µg, μg = microgramme; µm, μm = micromètre; nm = nanomètre; dl = décilitre;
  hl = hectolitre; V = volt; kV = kilovolt; W = watt; TW = térawatt; Wh = wattheure; GWh = gigawattheure;
  TWh = térawattheure; Hz = hertz|hertz; kHz = kilohertz|kilohertz; MHz = mégahertz|mégahertz; dB = décibel;
  hPa = hectopascal; kcal = kilocalorie||feminine; kJ = kilojoule; cm² = centimètre carré; mm² = millimètre carré;
  cm³ = centimètre cube; km³ = kilomètre cube; ko, Ko = kilooctet; Po = pétaoctet; ch = cheval|chevaux;
  cts, c€ = centime; dép. = département; p., pp. = page||feminine; pb, bps = point de base; Ma = million d'années;
  rbds = rebond; ép. = épisode; pt, pts = point; ppm = partie par million||feminine; ng = nanogramme;
  Gt = gigatonne||feminine; Mt = mégatonne||feminine; a.l., a.-l., années-lum. = année-lumière|années-lumière|feminine;
  km/s = kilomètre par seconde; hab/km² = habitant au kilomètre carré; h = heure||feminine; j, j. = jour;
  sal. = salarié; abst. = abstention||feminine; sél. = sélection||feminine; pers. = personne||feminine; hab. = habitant;
  sem. = semaine||feminine; trim. = trimestre; kt, kts = nœud; mSv = millisievert; Bq = becquerel;
  ms = milliseconde||feminine; µs = microseconde||feminine; ns = nanoseconde||feminine; mbar = millibar;
  kWc = kilowatt-crête|kilowatts-crête; MWc = mégawatt-crête|mégawatts-crête; GWc = gigawatt-crête|gigawatts-crête;
  Mbit/s, Mb/s = mégabit par seconde; Gbit/s, Gb/s = gigabit par seconde; mmHg = millimètre de mercure;
  UA = unité astronomique||feminine; hm³ = hectomètre cube; pp = point de pourcentage;
  TEP, tep = tonne équivalent pétrole|tonnes équivalent pétrole|feminine; pass. = passe décisive||feminine;
  oz = once||feminine; kN = kilonewton; Nm = newton-mètre|newtons-mètres; ex., exempl. = exemplaire;
  tr/min = tour par minute; tab = tir au but; mds = milliard; tr = tour; MDH = million de dirhams;
  mAh = milliampère-heure|milliampères-heures; Ah = ampère-heure|ampères-heures; bbl = baril; Mb/j = million de barils par jour|millions de barils par jour; b/j = baril par jour;
  hl/ha = hectolitre à l'hectare|hectolitres à l'hectare
`);

export const fractions: FractionWords = {
  denominators: parseNouns(
    `2 = demi; 3 = tiers|tiers; 4 = quart; 5 = cinquième; 6 = sixième; 7 = septième; 8 = huitième; 9 = neuvième;
    10 = dixième; 11 = onzième; 12 = douzième; 100 = centième; 1000 = millième`,
  ),
  signs: parseTable('½ = un demi; ⅓ = un tiers; ⅔ = deux tiers; ¼ = un quart; ¾ = trois quarts'),
  joint: 'et ',
  half: 'demi',
  halves: {
    ...{ masculine: 'demi', feminine: 'demie', before: { masculine: 'un demi ', feminine: 'une demi-' } },
    guessGender: (noun, isCounted) =>
      guessGender(noun) ?? (isCounted && /\p{L}{2}[sx]$/u.test(noun) && !NO_NOUN.has(noun) ? 'masculine' : undefined),
  },
  fixed: parseTable('20/20 = vingt vingt; 24/7 = vingt-quatre sept; 50/50 = cinquante cinquante'),
  verbalizeOther: (top, bottom) => `${verbalizeCardinal(top)} sur ${verbalizeCardinal(bottom)}`,
};

/** "24h/24", "7j/7". */
export const roundTheClockRules = [
  rule(/24 ?(?:h|heures)?\/24(?![\d/])/, () => 'vingt-quatre heures sur vingt-quatre'),
  rule(/7 ?(?:j|jours)?\/7(?![\d/])/, () => 'sept jours sur sept'),
];

const MONTHS = 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');
const SHORT_MONTHS = parseTable(`
  janv. = janvier; févr. = février; avr. = avril; juil. = juillet; sept. = septembre; oct. = octobre; nov. = novembre;
  déc. = décembre
`);
const DAY = '(0?[1-9]|[12]\\d|3[01])';
const SHORT = Object.keys(SHORT_MONTHS).join('|').replaceAll('.', '\\.');

const MONTH_ONLY_BEFORE = /(?:^|[\s(])(?:en|depuis|dès|fin|début|mi|jusqu['’]en|de|à)[\s-]$/iu;

/** "03/05/2026", "24.12.1985", "2026-05-03", "14 juil."; a month written out needs no rule. */
export const dateRules: readonly NormalizationRule[] = [
  ...createNumericDateRules(verbalizeDate),
  rule(
    new RegExp(`(${DAY}|1er)${GAP}(${SHORT})`, 'iu'),
    ([, written = '', , month = '']) => `${verbalizeDay(written)} ${SHORT_MONTHS[month.toLowerCase()]}`,
  ),
  rule(
    /1(?=[ \u00a0](?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)\b)/u,
    () => 'premier',
  ),
  // "3 nov (AFP)", "12 nov 2024"
  rule(
    new RegExp(`(${DAY}|1er)${GAP}(janv|févr|avr|juil|sept|oct|nov|déc)(?=\\s(?:[12]\\d{3}|[(–—-]))`, 'iu'),
    ([, written = '', , month = '']) => `${verbalizeDay(written)} ${SHORT_MONTHS[`${month.toLowerCase()}.`]}`,
  ),
  // "en 05/2020"
  rule(/(0?[1-9]|1[0-2])\/((?:19|20)\d\d)(?![\d/])/, ([, month = '', year = ''], { before }) =>
    MONTH_ONLY_BEFORE.test(before) ? `${MONTHS[Number(month) - 1]} ${verbalizeCardinal(year)}` : undefined,
  ),
  // "le 1er/04"
  rule(/1er\/(0?[1-9]|1[0-2])(?![\d/])/, ([, month = '']) => `premier ${MONTHS[Number(month) - 1]}`),
  // "les 17/18/19 mars", "les 5-6 juin"
  rule(new RegExp(`(\\d{1,2}(?:[/-]\\d{1,2}){1,3})(?= (?:${MONTHS.join('|')})(?!\\p{L}))`, 'u'), ([written], place) =>
    /(?:^|\s)les\s$/iu.test(place.before) && (written.includes('/') || written.split('-').length > 2)
      ? written.split(/[/-]/).map(verbalizeDay).join(' ')
      : undefined,
  ),
  // "le 7/11", "du 3 au 7/11"
  createShortDateRule(
    /(?:^|[^\p{L}])(?:(?:du|entre le)\s\S{1,6}\s(?:au|et le)|jusqu['’]au|dès le|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|(?:lun|mar|mer|jeu|ven|sam|dim)\.),?\s$/iu,
    /(?:^|[^\p{L}])(?:le|du|au|les?\s\d{1,2}(?:\/\d{1,2})?,?\s(?:et|ou))\s$/iu,
    (day, month) => `${verbalizeDay(day)} ${MONTHS[month - 1]}`,
  ),
];

/** "14 h 30", "7h05", "21:00". */
export const timeRules: readonly NormalizationRule[] = [
  // "45e+2"
  rule(
    /(\d{1,3})e\s?\+\s?(\d{1,2})(?![\d%])/,
    ([, minute = '', extra = '']) => `${verbalizeOrdinal(minute)} plus ${verbalizeCardinal(extra)}`,
  ),
  // "au 3T"
  rule(
    /([1-4])T(?=\s20\d\d|(?<=(?:^|\s)(?:au|du|le)\s\dT)(?![\p{L}\p{N}]))/u,
    ([, quarter = '']) => `${verbalizeOrdinal(quarter)} trimestre`,
  ),
  rule(
    /([01]?\d|2[0-4])h([0-5]\d)?\s?[-–]\s?([01]?\d|2[0-4])h([0-5]\d)?(?![\p{L}\p{N}])/u,
    ([, hour = '', minute, lastHour = '', lastMinute]) =>
      `${verbalizeClock(hour, minute)} à ${verbalizeClock(lastHour, lastMinute)}`,
  ),
  rule(
    /([01]?\d|2[0-4])[ \u00a0\u202f]?(?:[hH]|heures?)(?:[ \u00a0\u202f]?([0-5]\d))?(?![\p{L}\p{N}]|\/\d)/u,
    ([, hour = '', minute]) => verbalizeClock(hour, minute),
  ),
  ...createSpanRules(
    numberVerbalizer,
    'd = degré|degrés; h = heure|heures|feminine; m = minute|minutes|feminine; s = seconde|secondes|feminine',
  ),
  // "1min32"
  rule(
    /(\d{1,2}) ?min([0-5]\d)(?![\p{L}\p{N}])/u,
    ([, minutes = '', seconds = '']) => `${verbalizeSpan(minutes, 'minute')} ${verbalizeCardinal(seconds)}`,
  ),
  // "3€50"
  rule(
    /(\d{1,4}) ?€ ?(\d{2})(?!\d|[.,]\d)/u,
    ([, euros = '', cents = '']) =>
      `${verbalizeCardinal(euros)} ${Number(euros) < 2 ? 'euro' : 'euros'} ${verbalizeCardinal(cents)}`,
  ),
  rule(/([01]?\d|2[0-3]):([0-5]\d)(?![\d:])/, ([, hour = '', minute]) => verbalizeClock(hour, minute)),
  // "1m85"
  rule(
    /(\d{1,2})[ \u00a0]?m[ \u00a0]?(\d{2})(?![\p{L}\p{N}])/u,
    ([, metres = '', centimetres = '']) =>
      `${verbalizeCardinal(metres)} ${metres === '1' ? 'mètre' : 'mètres'} ${verbalizeCardinal(centimetres)}`,
  ),

  createResultRule(numberVerbalizer, 'à'),
];

function verbalizeClock(hour: string, minute: string | undefined): string {
  const hours = String(Number(hour));
  const words = `${numberVerbalizer.verbalizeQuantity(hours, 'feminine')} ${Number(hours) < 2 ? 'heure' : 'heures'}`;
  return Number(minute ?? 0) === 0
    ? words
    : `${words} ${numberVerbalizer.verbalizeQuantity(String(Number(minute)), 'feminine')}`;
}

function verbalizeDay(written: string): string {
  return /^0?1(?:er)?$/.test(written) ? 'premier' : verbalizeCardinal(written);
}

function verbalizeDate(day: string, month: string, year: string): string | undefined {
  const name = MONTHS[Number(month) - 1];
  if (name === undefined) return undefined;
  return `${verbalizeDay(day)} ${name} ${verbalizeCardinal(year)}`;
}

/** "9"84", "1'12''": results of races. */
export const raceTimeRules = [
  // "4\" devant Ferrand-Prévot"
  rule(/(\d{1,2})(?:["″”]|'')(?=\s(?:devant|derrière|d['’]|de|sur|du)(?!\p{L}))/u, ([, seconds = '']) =>
    verbalizeSpan(seconds, 'seconde'),
  ),
  // "à 7\"."
  rule(/(\d{1,2})(?:["″”]|'')(?=[.,;)]|$)/, ([, seconds = ''], place) =>
    /(?:^|\s)(?:à|de|en)\s$/u.test(place.before) ? verbalizeSpan(seconds, 'seconde') : undefined,
  ),
  ...createRaceTimeRules(
    numberVerbalizer,
    'h = heure|heures|feminine; m = minute|minutes|feminine; s = seconde|secondes|feminine',
  ),
];

function verbalizeSpan(digits: string, noun: string): string {
  const number = String(Number(digits));
  return `${numberVerbalizer.verbalizeQuantity(number, 'feminine')} ${Number(number) < 2 ? noun : `${noun}s`}`;
}

/** "du mar. au dim." */
export const weekdayRule = createWeekdayRule(
  'lundi mardi mercredi jeudi vendredi samedi dimanche'.split(' '),
  /(?:^|[\s(])(?:du|au|le|les|et)\s$/u,
);
