import { parseTable, rule, wordSet } from '../language.ts';
import { createNounParser, type MoneyWords } from '../shared/amounts.ts';
import type { FractionWords } from '../shared/fractions.ts';
import { createNumberVerbalizer, groupThousands } from '../shared/numbers.ts';

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
export const { verbalizeCardinal } = numberVerbalizer;

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
