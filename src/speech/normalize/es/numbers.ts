import { parseTable, rule } from '../language.ts';
import { type FractionWords, type MoneyWords, type Noun, parseNouns } from '../shared/amounts.ts';
import { createNumberVerbalizer, type Gender, groupThousands, NUMBER } from '../shared/numbers.ts';

const ONES = (
  'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho ' +
  'diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve'
).split(' ');
const TENS = '_ _ veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa'.split(' ');
const HUNDREDS =
  '_ ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos'.split(' ');
const ORDINALS = '_ primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo'.split(
  ' ',
);
const ORDINAL_HUNDREDS =
  '_ centésimo ducentésimo tricentésimo cuadringentésimo quingentésimo sexcentésimo septingentésimo octingentésimo noningentésimo'.split(
    ' ',
  );
const ORDINAL_TENS =
  '_ decimo vigésimo trigésimo cuadragésimo quincuagésimo sexagésimo septuagésimo octogésimo nonagésimo'.split(' ');
const SCALES: readonly (readonly [one: string, many: string])[] = [
  ['millón', 'millones'],
  ['billón', 'billones'],
];

export const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'coma',
  groupsDecimals: true,
  inflect: applyGender,
  isOne: (written) => written === '1',
  rangeWord: 'a',
  pointWord: 'punto',
});
export const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

/** "1234" → "mil doscientos treinta y cuatro". */
function verbalizeWhole(significant: string): string {
  const words: string[] = [];
  // Millions are counted by the thousand: "dos mil millones".
  for (let end = significant.length, power = 0; end > 0; end -= 6, power += 1) {
    const value = Number(significant.slice(Math.max(0, end - 6), end));
    if (value > 0) words.unshift(verbalizeScale(value, power));
  }
  return words.join(' ');
}

/** @returns the ordinal of a number up to 9999, undefined for a higher one */
export function verbalizeOrdinal(digits: string, gender: Gender): string | undefined {
  const value = Number(digits);
  if (value < 1 || value > 9_999) return undefined;
  const thousands = Math.floor(value / 1_000);
  const masculine = [
    thousands === 0 ? '' : `${thousands === 1 ? '' : verbalizeCardinal(String(thousands))}milésimo`,
    ORDINAL_HUNDREDS[Math.floor((value % 1_000) / 100)]?.replace('_', '') ?? '',
    value % 100 === 0 ? '' : (ORDINALS[value % 100] ?? verbalizeCompoundOrdinal(value % 100)),
  ]
    .filter((part) => part !== '')
    .join(' ');
  return gender === 'feminine' ? masculine.replace(/o(?= |$)/g, 'a') : masculine;
}

/** "uno" before a noun: "un", "una", "veintiún"; hundreds before a feminine noun: "doscientas". */
function applyGender(words: string, gender: Gender): string {
  if (gender === 'masculine') return apocopate(words);
  return words.replace(/uno$/, 'una').replace(/(cient|quinient)os/g, '$1as');
}

function apocopate(words: string): string {
  return words.replace(/veintiuno$/, 'veintiún').replace(/uno$/, 'un');
}

function verbalizeScale(value: number, power: number): string {
  const words = groupThousands(String(value))
    .map(({ value: group, power: half }) => {
      if (half === 0) return verbalizeBelowThousand(group);
      return group === 1 ? 'mil' : `${apocopate(verbalizeBelowThousand(group))} mil`;
    })
    .join(' ');
  const [one, many] = SCALES[power - 1] ?? [];
  if (one === undefined) return words;
  return value === 1 ? `un ${one}` : `${apocopate(words)} ${many}`;
}

function verbalizeCompoundOrdinal(value: number): string {
  const ones = ORDINALS[value % 10] ?? '';
  if (value < 20) return `decimo${ones.replace(/^o/, '')}`;
  const tens = ORDINAL_TENS[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens} ${ones}`;
}

/** "13" → "treceavo", "100" → "centésimo"; undefined: said as a division */
function nameDenominator(digits: string): Noun | undefined {
  const value = Number(digits);
  if (value >= 100 && (value % 1_000 === 0 || (value < 1_000 && value % 100 === 0))) {
    const one = verbalizeOrdinal(digits, 'masculine') ?? '';
    return { one, many: `${one}s`, gender: 'masculine' };
  }
  if (value < 11 || value > 30) return undefined;
  const one = `${verbalizeCardinal(digits).replaceAll(' ', '').replace(/o$|a$/, '')}avo`;
  return { one, many: `${one}s`, gender: 'masculine' };
}

function verbalizeBelowThousand(value: number): string {
  if (value === 100) return 'cien';
  const words: string[] = [];
  if (value > 100) words.push(HUNDREDS[Math.floor(value / 100)] ?? '');
  const remainder = value % 100;
  if (remainder > 0) words.push(verbalizeBelowHundred(remainder));
  return words.join(' ');
}

function verbalizeBelowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens} y ${ONES[value % 10]}`;
}

/** With the ending of a feminine noun. */
const MASCULINE = new Set(
  (
    'día mapa problema programa sistema tema planeta idioma drama esquema diploma síntoma poema clima guardia policía atleta ' +
    'turista periodista artista futbolista economista taxista ciclista tenista deportista activista gramo para contra era ' +
    'a la las más tranvía cometa mediodía cura espía astronauta demócrata patriota camarada terapeuta análisis oasis énfasis'
  ).split(' '),
);
const FEMININE = new Set(
  (
    'mujer mujeres vez veces calle calles noche noches tarde tardes clase clases nave naves llave llaves parte partes gente ' +
    'cumbre cumbres muerte muertes serie series base bases leche sede sedes torre torres fase fases imagen imágenes madre madres ley leyes red redes mano manos foto fotos moto motos cárcel cárceles orden órdenes luz luces voz voces cruz cruces fuente fuentes señal señales sucursal sucursales filial filiales especie especies superficie superficies dosis crisis tesis hipótesis prótesis metástasis diócesis actriz actrices nube nubes raíz raíces piel pieles sangre cuenta pared paredes frase frases base clave claves fiebre fiebres multinacional multinacionales central centrales capital capitales catedral catedrales nariz carne carnes llave variante variantes corriente corrientes mente mentes unidades UCI ONG radio radios'
  ).split(' '),
);

/** @returns the gender by the ending of the noun */
export function guessGender(noun: string): Gender {
  if (MASCULINE.has(noun) || MASCULINE.has(noun.replace(/s$/, ''))) return 'masculine';
  const isFeminine =
    FEMININE.has(noun) ||
    (/(?:as?|ci(?:ón|ones)|s(?:ión|iones)|[dt]ad(?:es)?|tud(?:es)?|umbres?)$/u.test(noun) &&
      !/(?:ista|grama|[lr]ema|oma)s?$/u.test(noun));
  return isFeminine ? 'feminine' : 'masculine';
}

export const money: MoneyWords = {
  currencies: parseNouns(`
    € = euro|euros||céntimo|céntimos; EUR = euro|euros||céntimo|céntimos; euro = euro|euros||céntimo|céntimos;
    euros = euro|euros||céntimo|céntimos; US$ = dólar|dólares||centavo|centavos; $ = dólar|dólares||centavo|centavos;
    USD = dólar|dólares||centavo|centavos; dólar = dólar|dólares||centavo|centavos;
    dólares = dólar|dólares||centavo|centavos; pesos = peso|pesos||centavo|centavos;
    MXN = peso mexicano|pesos mexicanos||centavo|centavos; £ = libra|libras|feminine|penique|peniques;
    GBP = libra|libras|feminine|penique|peniques; libras = libra|libras|feminine; ¥ = yen|yenes; JPY = yen|yenes;
    CHF = franco suizo|francos suizos; ₡ = colón|colones; ₩ = won|wones; ₧ = peseta|pesetas|feminine;
    ₲ = guaraní|guaraníes; ₽ = rublo|rublos; ₹ = rupia|rupias|feminine; ₺ = lira turca|liras turcas|feminine;
    ₪ = séquel|séqueles; ₴ = grivna|grivnas|feminine; ₱ = peso|pesos; R$ = real|reales; S/ = sol|soles||céntimo|céntimos; S/. = sol|soles||céntimo|céntimos;
    RD$ = peso dominicano|pesos dominicanos; Bs. = boliviano|bolivianos; Gs. = guaraní|guaraníes;
    Bs = bolívar|bolívares; MX$ = peso mexicano|pesos mexicanos;
    CLP = peso chileno|pesos chilenos; ARS = peso argentino|pesos argentinos;
    UYU = peso uruguayo|pesos uruguayos; PEN = sol|soles||céntimo|céntimos; BRL = real brasileño|reales brasileños;
    CAD = dólar canadiense|dólares canadienses; AUD = dólar australiano|dólares australianos;
    HKD = dólar de Hong Kong|dólares de Hong Kong; CNY = yuan|yuanes; kr = corona|coronas|feminine;
    Rs = rupia|rupias|feminine; PAB = balboa|balboas; NIO = córdoba|córdobas; CRC = colón|colones;
    GTQ = quetzal|quetzales; HNL = lempira|lempiras; DOP = peso dominicano|pesos dominicanos; CUP = peso cubano|pesos cubanos;
    BOB = boliviano|bolivianos; PYG = guaraní|guaraníes; VES = bolívar|bolívares
  `),
  magnitudes: parseNouns(`
    M = millón|millones; MM = millón|millones; mil M = mil millón|mil millones; mill = millón|millones; mill. = millón|millones; millón = millón|millones;
    millones = millón|millones; billones = billón|billones
  `),
  centJoint: 'con ',
  partitive: (number) => (/ill(?:ón|ones)$/.test(number) ? 'de ' : ''),
};

export const units = parseNouns(`
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
  ºC = grado Celsius|grados Celsius; °F = grado Fahrenheit|grados Fahrenheit; ° = grado|grados;
  µg = microgramo|microgramos; μg = microgramo|microgramos; µm = micrómetro|micrómetros; μm = micrómetro|micrómetros;
  nm = nanómetro|nanómetros; cl = centilitro|centilitros; dl = decilitro|decilitros; hl = hectolitro|hectolitros;
  mph = milla por hora|millas por hora|feminine; V = voltio|voltios; kV = kilovoltio|kilovoltios; W = vatio|vatios;
  Wh = vatio hora|vatios hora; GWh = gigavatio hora|gigavatios hora; TWh = teravatio hora|teravatios hora;
  Hz = hercio|hercios; kHz = kilohercio|kilohercios; MHz = megahercio|megahercios; dB = decibelio|decibelios;
  hPa = hectopascal|hectopascales; kcal = kilocaloría|kilocalorías|feminine; kJ = kilojulio|kilojulios;
  cm² = centímetro cuadrado|centímetros cuadrados; cm³ = centímetro cúbico|centímetros cúbicos;
  km³ = kilómetro cúbico|kilómetros cúbicos; hm³ = hectómetro cúbico|hectómetros cúbicos; kB = kilobyte|kilobytes;
  PB = petabyte|petabytes; seg = segundo|segundos; págs. = página|páginas|feminine; reb. = rebote|rebotes;
  asist. = asistencia|asistencias|feminine; pb = punto básico|puntos básicos; Ma = millón de años|millones de años;
  ptos. = punto|puntos; ptos = punto|puntos; kms = kilómetro|kilómetros; ep. = episodio|episodios;
  CV = caballo|caballos; cts. = céntimo|céntimos; cts = céntimo|céntimos; pt = punto|puntos; pts = punto|puntos;
  ppm = parte por millón|partes por millón|feminine; ng = nanogramo|nanogramos;
  Gt = gigatonelada|gigatoneladas|feminine; Mt = megatonelada|megatoneladas|feminine;
  km/s = kilómetro por segundo|kilómetros por segundo; lb = libra|libras|feminine; h = hora|horas|feminine;
  abst. = abstención|abstenciones|feminine; esc. = escaño|escaños; pbs = punto básico|puntos básicos;
  p.p. = punto porcentual|puntos porcentuales; pp = punto porcentual|puntos porcentuales;
  pasaj. = pasajero|pasajeros; pax = pasajero|pasajeros; pers. = persona|personas|feminine;
  hab. = habitante|habitantes; a. = año|años; as. = asistencia|asistencias|feminine;
  msnm = metro sobre el nivel del mar|metros sobre el nivel del mar; Tm = tonelada|toneladas|feminine;
  tn = tonelada|toneladas|feminine; Hm³ = hectómetro cúbico|hectómetros cúbicos;
  hm3 = hectómetro cúbico|hectómetros cúbicos; Hm3 = hectómetro cúbico|hectómetros cúbicos; oz = onza|onzas|feminine;
  kn = nudo|nudos; kt = nudo|nudos; mb = milibar|milibares; mSv = milisievert|milisieverts;
  Mbps = megabit por segundo|megabits por segundo; kWp = kilovatio pico|kilovatios pico;
  MWp = megavatio pico|megavatios pico; µs = microsegundo|microsegundos; ms = milisegundo|milisegundos;
  ns = nanosegundo|nanosegundos; ud. = unidad|unidades|feminine; uds. = unidad|unidades|feminine; rob. = robo|robos;
  tap. = tapón|tapones; seg. = segundo|segundos; min. = minuto|minutos; hrs = hora|horas|feminine; vot. = voto|votos;
  sem. = semana|semanas|feminine; trim. = trimestre|trimestres; mmHg = milímetro de mercurio|milímetros de mercurio;
  UA = unidad astronómica|unidades astronómicas|feminine; a.l. = año luz|años luz;
  GWp = gigavatio pico|gigavatios pico; bpd = barril diario|barriles diarios; pp. = página|páginas|feminine;
  COP = peso colombiano|pesos colombianos; Nm = newton metro|newton metros; rpm = revolución por minuto|revoluciones por minuto|feminine;
  Gbps = gigabit por segundo|gigabits por segundo; gr. = gramo|gramos; gr = gramo|gramos; cms. = centímetro|centímetros;
  cms = centímetro|centímetros; mts. = metro|metros; mts = metro|metros; b/d = barril diario|barriles diarios;
  mdd = millón de dólares|millones de dólares; mdp = millón de pesos|millones de pesos; kgs = kilogramo|kilogramos;
  mde = millón de euros|millones de euros; p. p. = punto porcentual|puntos porcentuales;
  p. b. = punto básico|puntos básicos; pto. = punto|puntos; hs = hora|horas|feminine; Kg = kilogramo|kilogramos;
  Km = kilómetro|kilómetros; KM = kilómetro|kilómetros; MMBtu = millón de B.T.U|millones de B.T.U
`);

/** The number before "por ciento" is not shortened: "veintiuno por ciento". */
export const percentRule = rule(
  new RegExp(`(${NUMBER})(?:(?:\\s?%)?\\s?[-–]\\s?(${NUMBER}))?[ \\u00a0\\u202f]?([%‰])`, 'u'),
  ([, first = '', last, sign]) =>
    `${verbalizeNumber(first)}${last === undefined ? '' : ` a ${verbalizeNumber(last)}`} ${sign === '%' ? 'por ciento' : 'por mil'}`,
);

export const fractions: FractionWords = {
  denominators: parseNouns(
    '2 = medio; 3 = tercio; 4 = cuarto; 5 = quinto; 6 = sexto; 7 = séptimo; 8 = octavo; 9 = noveno; 10 = décimo',
    (one) => `${one}s`,
  ),
  signs: parseTable('½ = medio; ⅓ = un tercio; ⅔ = dos tercios; ¼ = un cuarto; ¾ = tres cuartos'),
  nameDenominator,
  joint: 'y ',
  half: 'medio',
  fixed: { '20/20': 'veinte veinte', '24/7': 'veinticuatro siete', '50/50': 'cincuenta cincuenta' },
};
