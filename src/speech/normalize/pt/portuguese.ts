import {
  type MatchContext,
  type NormalizationRule,
  parseRomanNumeral,
  parseTable,
  rule,
  wordSet,
} from '../language.ts';
import { createNounParser, type FractionWords, type MoneyWords, type Noun } from '../shared/amounts.ts';
import {
  createNumericDateRules,
  createRaceTimeRules,
  createShortDateRule,
  createSpanRules,
  createWeekdayRule,
} from '../shared/dates.ts';
import {
  createNumberVerbalizer,
  createResultRule,
  createTieBreakRule,
  type Gender,
  groupThousands,
  verbalizeDigitGroups,
} from '../shared/numbers.ts';
import { createRuleBasedLanguage } from '../shared/rule-based-language.ts';
import { createDirectionRule } from '../shared/serials.ts';

const parseNouns = createNounParser('es');

const ONES =
  'zero um dois três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete dezoito dezenove'.split(
    ' ',
  );
const TENS = '_ _ vinte trinta quarenta cinquenta sessenta setenta oitenta noventa'.split(' ');
const HUNDREDS = '_ cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos'.split(
  ' ',
);
/** As in Brazil; in Portugal a bilhão is "mil milhões". */
const SCALES: readonly (readonly [one: string, many: string])[] = [
  ['milhão', 'milhões'],
  ['bilhão', 'bilhões'],
  ['trilhão', 'trilhões'],
];
const ORDINALS = '_ primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono'.split(' ');
const ORDINAL_TENS =
  '_ décimo vigésimo trigésimo quadragésimo quinquagésimo sexagésimo septuagésimo octogésimo nonagésimo'.split(' ');

const numberVerbalizer = createNumberVerbalizer({
  ones: ONES,
  verbalizeWhole,
  decimalWord: 'vírgula',
  groupsDecimals: true,
  inflect: (words, gender) => (gender === 'feminine' ? toFeminine(words) : words),
  isOne: (written) => written === '1',
  rangeWord: 'a',
  pointWord: 'ponto',
});
const { verbalizeCardinal, verbalizeNumber } = numberVerbalizer;

function toFeminine(words: string): string {
  return words
    .replace(/(?<!\p{L})um$/u, 'uma')
    .replace(/(?<!\p{L})dois(?=$| mil$)/u, 'duas')
    .replace(/(cent|zent|hent)os(?!\p{L})/gu, '$1as');
}

/** "1234" → "mil duzentos e trinta e quatro"; "e" stands before the last group where it is below 100 or ends in 00. */
function verbalizeWhole(digits: string): string {
  const groups = groupThousands(digits).map(({ value, power }) => ({ value, words: verbalizeGroup(value, power) }));
  return groups
    .map(({ value, words }, index) => {
      if (index === 0) return words;
      const takesE = index === groups.length - 1 && (value < 100 || value % 100 === 0);
      return `${takesE ? 'e ' : ''}${words}`;
    })
    .join(' ');
}

function verbalizeGroup(value: number, power: number): string {
  if (power === 0) return verbalizeBelowThousand(value);
  if (power === 1) return value === 1 ? 'mil' : `${verbalizeBelowThousand(value)} mil`;
  const [one = '', many = ''] = SCALES[power - 2] ?? [];
  return value === 1 ? `um ${one}` : `${verbalizeBelowThousand(value)} ${many}`;
}

/** @returns the ordinal of a number up to 99, undefined for a higher one */
function verbalizeOrdinal(digits: string, gender: Gender): string | undefined {
  const value = Number(digits);
  if (value < 1 || value > 99) return undefined;
  const tens = value < 10 ? '' : (ORDINAL_TENS[Math.floor(value / 10)] ?? '');
  const ones = value % 10 === 0 ? '' : (ORDINALS[value % 10] ?? '');
  const masculine = `${tens} ${ones}`.trim();
  return gender === 'feminine' ? masculine.replace(/o(?= |$)/g, 'a') : masculine;
}

function verbalizeBelowThousand(value: number): string {
  if (value === 100) return 'cem';
  const words: string[] = [];
  if (value >= 100) words.push(HUNDREDS[Math.floor(value / 100)] ?? '');
  if (value % 100 > 0) words.push(verbalizeBelowHundred(value % 100));
  return words.join(' e ');
}

function verbalizeBelowHundred(value: number): string {
  const simple = ONES[value];
  if (simple !== undefined) return simple;
  const tens = TENS[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens} e ${ONES[value % 10]}`;
}

const MASCULINE = wordSet(`
  dia mapa problema programa sistema tema planeta idioma drama esquema diploma clima guarda atleta turista jornalista
  artista grama para contra a à às as mais
`);
const FEMININE = wordSet(`
  dose doses crise crises base bases sede sedes rede redes ponte pontes torre torres chave chaves morte mortes fonte
  fontes tese teses árvore árvores série séries espécie espécies nave naves lei leis mão mãos cruz cruzes flor flores
  luz luzes voz vozes cor cores dor dores atriz atrizes matriz bactéria carne pele célula greve greves parede paredes frase frases
  milhar mulher mulheres vez vezes noite noites tarde tardes parte partes gente classe fase mães mãe
`);

/** By the ending of the noun. */
function guessGender(noun: string): Gender {
  if (MASCULINE.has(noun) || MASCULINE.has(noun.replace(/s$/, ''))) return 'masculine';
  return FEMININE.has(noun) || /(?:as?|ção|ções|são|sões|dade|dades|gem|gens|tude|ice)$/u.test(noun)
    ? 'feminine'
    : 'masculine';
}

const money: MoneyWords = {
  currencies: parseNouns(`
    R$, BRL, reais = real|reais||centavo|centavos; €, EUR, euro, euros = euro|||cêntimo|cêntimos;
    US$, $, USD, dólares = dólar|dólares||centavo|centavos; dólar = dólar|dólares; £, GBP, libras = libra||feminine;
    ¥, JPY = iene; CHF = franco suíço; pesos = peso; ₹, INR = rúpia||feminine; zł, PLN = zloty|zlotys; kr = coroa||feminine;
    SEK = coroa sueca||feminine; NOK = coroa norueguesa||feminine; DKK = coroa dinamarquesa||feminine;
    CZK, Kč = coroa tcheca||feminine; RUB, ₽ = rublo; ₴, UAH = hryvnia||feminine; ₺, TRY = lira turca||feminine;
    ₪, ILS = shekel|shekels; CNY = yuan|yuans; ₩, KRW = won|wons; CAD, C$ = dólar canadense|dólares canadenses;
    AUD, A$ = dólar australiano|dólares australianos; AOA, Kz = kwanza; MZN, MT = metical|meticais;
    CVE = escudo cabo-verdiano; FCFA, XOF, XAF = franco C.F.A|francos C.F.A; MXN = peso mexicano; ARS = peso argentino; BTC, ₿ = bitcoin|bitcoins
  `),
  magnitudes: parseNouns(`
    mil = mil|mil; M, mi, milhão, milhões = milhão|milhões; bi, bilhão, bilhões = bilhão|bilhões;
    tri, trilhão, trilhões = trilhão|trilhões; mil mi, mil milhões = mil milhões|mil milhões
  `),
  centJoint: 'e ',
  partitive: (number) => (/lh(?:ão|ões)$/.test(number) ? 'de ' : ''),
  inflectMagnitude: (words) => words.replace(/^um mil$/, 'mil'),
};

const units = parseNouns(`
  % = por cento|por cento; ‰ = por mil|por mil; km = quilômetro; m = metro; cm = centímetro; mm = milímetro;
  µm = micrômetro; kg = quilo; g = grama; mg = miligrama; µg = micrograma; t = tonelada||feminine; l, L = litro;
  ml = mililitro; ha = hectare; km/h = quilômetro por hora; m/s = metro por segundo; km² = quilômetro quadrado;
  m² = metro quadrado; m³ = metro cúbico; kW = quilowatt|quilowatts; MW = megawatt|megawatts; GW = gigawatt|gigawatts; W = watt|watts; V = volt|volts;
  GWh = gigawatt-hora|gigawatts-hora; TWh = terawatt-hora|terawatts-hora; pb, bps, p.b. = ponto-base|pontos-base; kV = quilovolt|quilovolts;
  hPa = hectopascal|hectopascais; cv = cavalo; m³/s = metro cúbico por segundo; hm³ = hectômetro cúbico; nm = nanômetro;
  Mbps, Mbit/s = megabit por segundo|megabits por segundo; kHz = quilohertz|quilohertz; ppm = parte por milhão||feminine;
  kWh = quilowatt-hora|quilowatts-hora; MWh = megawatt-hora|megawatts-hora; MB = megabyte; GB = gigabyte; TB = terabyte;
  GHz = gigahertz|gigahertz; MHz = megahertz|megahertz; Hz = hertz|hertz; dB = decibel|decibéis;
  kcal = quilocaloria||feminine; min = minuto; s = segundo; °C, ° C, ºC = grau Celsius; °F = grau Fahrenheit; ° = grau;
  pts., pts, pt. = ponto; eps. = episódio; págs., pp. = página||feminine; MP = megapixel|megapixels; cc = centímetro cúbico; hab. = habitante;
  min. = minuto; seg. = segundo; h = hora||feminine; gols = gol|gols; tep = tonelada equivalente de petróleo|toneladas equivalentes de petróleo|feminine; km/s = quilômetro por segundo; kt = nó|nós;
  bpd = barril por dia|barris por dia; mmHg = milímetro de mercúrio; mg/dL = miligrama por decilitro; Kg = quilo; Km = quilômetro; mm² = milímetro quadrado; cm² = centímetro quadrado; m2 = metro quadrado; m3 = metro cúbico; km2 = quilômetro quadrado;
  p.p., pp = ponto percentual|pontos percentuais
`);

const fractions: FractionWords = {
  denominators: parseNouns(
    '2 = meio; 3 = terço; 4 = quarto; 5 = quinto; 6 = sexto; 7 = sétimo; 8 = oitavo; 9 = nono; 10 = décimo',
  ),
  nameDenominator: (digits): Noun | undefined => {
    if (Number(digits) < 11 || Number(digits) > 99) return undefined;
    const fraction = `${verbalizeCardinal(digits)} avo`;
    return { one: fraction, many: `${fraction}s`, gender: 'masculine' };
  },
  signs: parseTable('½ = meio; ⅓ = um terço; ⅔ = dois terços; ¼ = um quarto; ¾ = três quartos'),
  joint: 'e ',
  half: 'meio',
  halves: {
    ...{ masculine: 'meio', feminine: 'meia', before: { masculine: 'meio ', feminine: 'meia ' } },
    guessGender: (noun) =>
      /^(?:horas?|anos?|dias?|semanas?|toneladas?|xícaras?)$/u.test(noun) ? guessGender(noun) : undefined,
  },
  fixed: { '24/7': 'vinte e quatro por sete' },
};

const MONTHS = 'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(' ');

/** "03/05/2026", "1º de maio"; a month written out needs no rule. */
const dateRules: readonly NormalizationRule[] = [
  ...createNumericDateRules((day, month, year) => {
    const name = MONTHS[Number(month) - 1];
    const dayWords = Number(day) === 1 ? 'primeiro' : verbalizeCardinal(day);
    return name && `${dayWords} de ${name} de ${verbalizeCardinal(year)}`;
  }),
  createShortDateRule(
    /(?:^|[^\p{L}])(?:(?:de|entre)\s\d{1,2}(?:\/\d{1,2})?\s(?:a|e)|dia|dias|(?:segunda|terça|quarta|quinta|sexta)(?:-feira)?,?|sábado,?|domingo,?|(?:seg|ter|qua|qui|sex|sáb|dom)\.?,?|até)\s(?:\(|)$/iu,
    /(?:^|[^\p{L}])(?:em|no|a|de|do|ao|desde)\s$/iu,
    (day, month) => `${Number(day) === 1 ? 'primeiro' : verbalizeCardinal(day)} de ${MONTHS[month - 1]}`,
  ),
  rule(new RegExp(`1[ºo°]?(?=\\sde\\s(?:${MONTHS.join('|')}))`, 'u'), () => 'primeiro'),
];

/** "14h30", "9h", "14:30", "das 8h às 18h". */
const SPAN_UNITS = 'd = grau|graus; h = hora|horas|feminine; m = minuto|minutos; s = segundo|segundos';
const timeRules: readonly NormalizationRule[] = [
  ...createRaceTimeRules(numberVerbalizer, SPAN_UNITS),
  ...createSpanRules(numberVerbalizer, SPAN_UNITS),
  // "no 3T25"
  rule(
    /([1-4])T(?:20)?(\d\d)(?![\p{L}\p{N}])/u,
    ([, quarter = '', year = '']) =>
      `${verbalizeOrdinal(quarter, 'masculine')} trimestre de ${verbalizeCardinal(`20${year}`)}`,
  ),
  rule(
    /([01]?\d|2[0-4])[ \u00a0]?h(?:oras?)?[ \u00a0]?([0-5]\d)?(?:min)?(?![\p{L}\p{N}/])/u,
    ([, hour = '', minute], place) =>
      DURATION_AFTER.test(place.after) || DURATION_BEFORE.test(place.before)
        ? `${verbalizeClock(hour, undefined)}${minute === undefined ? '' : ` e ${verbalizeCardinal(minute)} ${minute === '01' ? 'minuto' : 'minutos'}`}`
        : verbalizeClock(hour, minute),
  ),
  rule(/([01]?\d|2[0-4]):([0-5]\d)(?![\d:])/, ([, hour = '', minute]) => verbalizeClock(hour, minute)),
  createTieBreakRule(numberVerbalizer, 'a'),
  createResultRule(numberVerbalizer, 'a'),
  // "Palmeiras 2 x 1 Santos"
  rule(/(\d{1,2})\s?x\s?(\d{1,2})(?![\d,]|\s?(?:c?m|cm|kg)(?!\p{L}))/u, ([, first = '', last = ''], place) =>
    /\p{Lu}\p{L}{2,20}\s$|(?:^|\s)(?:por|de|em|placar)\s$/u.test(place.before)
      ? `${verbalizeCardinal(first)} a ${verbalizeCardinal(last)}`
      : undefined,
  ),
];

/** "1h20 de atraso", "durou 2h10" */
const DURATION_AFTER =
  /^\sde\s(?:atraso|duração|jogo|voo|viagem|filme|espera|debate|depoimento|reunião|prova|show|conversa|sessão|julgamento|antecedência|diferença)(?!\p{L})/u;
const DURATION_BEFORE =
  /(?:^|[^\p{L}])(?:dur\p{L}{1,5}|com|em|por|após|levou|leva|quase|cerca de|mais de|menos de)\s$/iu;
/** "quatorze e trinta", "nove horas", "uma hora". */
function verbalizeClock(hour: string, minute: string | undefined): string {
  const hours = numberVerbalizer.verbalizeQuantity(String(Number(hour)), 'feminine');
  if (Number(minute ?? 0) === 0) return `${hours} ${Number(hour) === 1 ? 'hora' : 'horas'}`;
  return `${hours} e ${verbalizeCardinal(minute ?? '')}`;
}

const general = parseTable(`
  p. ex. = por exemplo; etc. = et cetera; a. C. = antes de Cristo; d. C. = depois de Cristo; aprox. = aproximadamente;
  tel. = telefone; av. = avenida; Av. = Avenida; R. = Rua; máx. = máximo; mín. = mínimo; hab. = habitantes;
  obs. = observação; séc. = século; S.A., S/A = S.A; Ltda., ltda. = limitada; V. Exa. = Vossa Excelência;
  Exmo. = excelentíssimo; Exma. = excelentíssima; Jr. = júnior; a.a. = ao ano; a.m. = ao mês; Pça., pça. = praça; pc. = praça; Al. = Alameda;
  Rod., rod. = rodovia; Estr., estr. = estrada; tv., Tv. = travessa; Ed. = edifício; apto., ap. = apartamento; min. da = ministro da;
  min. do = ministro do; Min. da = Ministério da; Min. do = Ministério do; séc. = século;
  vice-pres. = vice-presidente; dir. = diretor; secr., sec. = secretário; Máx. de = máxima de; Mín. de = mínima de; máx. de = máxima de;
  mín. de = mínima de; p/ = para; c/ = com; s/ = sem; R.U. = Reino Unido; EUA = Estados Unidos; MPF = M.P.F; Cia. = companhia; inf. = informação; infs. = informações;
  jan. = janeiro; fev. = fevereiro; abr. = abril; jun. = junho; jul. = julho; ago. = agosto; set. = setembro; out. = outubro; nov. = novembro; dez. = dezembro; ref. = referência;
  excl. = exclusivo; incl. = inclusive; trad. = tradução; ed. = edição; temp. = temporada; tb. = também; vs., vs = contra; ap. = após; V. Ex.ª = Vossa Excelência; S. Ex.ª = Sua Excelência; Lda. = limitada; Dto. = direito; esq. = esquerdo
`);
const numbered = parseTable(`
  n.º, nº, n°, núm. = número; Nº = Número; pág., p. = página; págs., pp. = páginas; art. = artigo; arts. = artigos;
  cap. = capítulo; vol. = volume; fig. = figura; inc. = inciso; Dec. = decreto; Res. = resolução; Proc., proc. = processo; al. = alínea; ep. = episódio; tel. = telefone; vols. = volumes; §§ = parágrafos; par. = parágrafo;
  seg. = segunda; ter. = terça; qua. = quarta; qui. = quinta; sex. = sexta; sáb. = sábado; dom. = domingo; T. = temporada; lote = lote; bl. = bloco; apto. = apartamento; km, km. = quilômetro
`);
const titles = parseTable(`
  Sr. = senhor; Sra. = senhora; Srs. = senhores; Sras. = senhoras; Srta. = senhorita; Dr. = doutor; Dra. = doutora;
  Drs. = doutores; D. = dom; Prof. = professor; Profa. = professora; Eng. = engenheiro; Gen. = general; Cel. = coronel;
  Cap. = capitão; Pe. = padre; Sto. = Santo;
  Sta. = Santa; r. = rua; Del. = delegado; Des. = desembargador; Ver. = vereador;
  Maj. = major; Ten. = tenente; Sgt. = sargento; Arq. = arquiteto; Mons. = monsenhor; Fr. = frei; Ir. = irmã; Com. = comandante; Desa. = desembargadora; Depa. = deputada
`);

const pronounced = wordSet(`
  RAM ROM COP IPCA ONU IVA SUS OEA PIB MEC ENEM FIFA UEFA OTAN O A OS AS UM UMA DE DO DA EM NO NA POR COM SEM SÃO NÃO QUE SE E
`);
const spelled = new Set('BNDES IBGE INSS CNBB PSDB PMDB CPMF FGTS IPTU OCDE AIEA HTTP URL'.split(' '));
const sentenceStarters = wordSet(`
  o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às com sem por para segundo após desde até entre
  sobre sob e ou mas embora se quando como onde enquanto porque pois além também depois antes então agora hoje ontem
  amanhã ele ela eles elas eu nós este esta estes estas esse essa isso isto aquele aquela seu sua seus suas meu minha
  não sim já mais menos muito todo toda todos todas quem qual que há foi é são era será
`);
const signs = parseTable(`
  & = e; + = mais; = = igual a; @ = arroba; % = por cento; ‰ = por mil; $ = dólar; € = euro; £ = libra; ¥ = iene;
  ° = graus; § = parágrafo; × = por; ÷ = dividido por; ± = mais ou menos; ≈, ~ = cerca de; < = menor que; > = maior que;
  → = para; / = barra; \\ = barra invertida; # = número; ^ = elevado a
`);

/** "1º", "3ª", "21.º"; before a feminine noun the sign is "ª". */
const ordinalRule = rule(/(\d{1,2})\.?([ºª°])(?![\p{L}\p{N}]|\s?[CF](?!\p{L}))/u, ([, digits = '', sign], place) =>
  sign === '°' && !/^\s\p{L}/u.test(place.after)
    ? undefined
    : verbalizeOrdinal(digits, sign === 'ª' ? 'feminine' : 'masculine'),
);
/** "CEP 01001-000" */
const postcodeRule = rule(/(\d{5}|\d{4})-(\d{3})(?![\d-])/, ([written], place) =>
  /(?:CEP|Código Postal|código postal)[:\s]\s?$/u.test(place.before) ||
  (/^\d{4}-\d{3}$/.test(written) && /^\s\p{Lu}/u.test(place.after))
    ? verbalizeDigitGroups(numberVerbalizer, written)
    : undefined,
);
/** "o dep. Lira", "a dep. Tabata" */
const politicianRule = rule(
  /(dep|sen|gov|min|pres)\.(?=\s\p{Lu})/iu,
  ([, title = ''], { before }) =>
    POLITICIANS[title.toLowerCase()]?.split('|')[/(?:^|\s)(?:a|da|à|pela|na)\s(?:ex-)?$/iu.test(before) ? 1 : 0],
);
const POLITICIANS = parseTable(
  'dep = deputado|deputada; sen = senador|senadora; gov = governador|governadora; min = ministro|ministra; pres = presidente|presidente',
);
const telephoneRule = rule(/\d{4,5}-\d{4}(?![\d-])/, ([written], place) =>
  /^\d{4}-\d{4}$/.test(written) && !/(?:tel|liga|fone|whatsapp|número|fax)/iu.test(place.before)
    ? undefined
    : verbalizeDigitGroups(numberVerbalizer, written),
);
const areaCodeRule = rule(
  /\s?\(\d{2}\)\s?\d{4,5}-\d{4}(?![\d-])/,
  ([written]) => ` ${verbalizeDigitGroups(numberVerbalizer, written)}`,
);
const COUNTED_BEFORE =
  /(?:^|[^\p{L}])(?:capítulo|tomo|parte|ato|artigo|livro|volume|título|anexo|fase|tipo|grupo|guerra mundial)\s$/iu;
const CENTURY_BEFORE = /(?:^|[^\p{L}])(?:séculos?|séc\.)\s$/iu;
const RULER_BEFORE = /(?:^|[^\p{L}])\p{Lu}[\p{Ll}]{2,20}\s$/u;
const WOMEN_BEFORE = /(?:Isabel|Elizabeth|Margarida|Catarina|Maria|Vitória|Leopoldina)\s$/u;

/** "século XXI" → "vinte e um"; "João VI" → "sexto"; from eleven on cardinals. */
const romanRule = rule(/([IVXLCDM]{1,8})(?![\p{L}\p{N}]|\.\p{Lu})/u, ([, numeral = ''], place) => {
  const digits = parseRomanNumeral(numeral);
  if (digits === undefined) return undefined;
  const isSmall = Number(digits) <= 10;
  if (CENTURY_BEFORE.test(place.before))
    return isSmall ? verbalizeOrdinal(digits, 'masculine') : verbalizeCardinal(digits);
  if (COUNTED_BEFORE.test(place.before)) return verbalizeCardinal(digits);
  const article = /(?:^|\s)(o|a|do|da|no|na)\s$/iu.exec(place.before)?.[1]?.toLowerCase();
  if (article && numeral.length > 1 && /^\s\p{Lu}\p{Ll}/u.test(place.after)) {
    return verbalizeOrdinal(digits, article.endsWith('a') ? 'feminine' : 'masculine') ?? verbalizeCardinal(digits);
  }
  if (/[LCDM]/.test(numeral) || !RULER_BEFORE.test(place.before)) return undefined;
  if (numeral.length === 1 && /^\.?\s\p{Lu}/u.test(place.after)) return undefined;
  return isSmall
    ? verbalizeOrdinal(digits, WOMEN_BEFORE.test(place.before) ? 'feminine' : 'masculine')
    : verbalizeCardinal(digits);
});

const NO_NOUN = wordSet(`
  de do da em no na e ou por para com a que se é foi era como sem até entre mas contra
`);

/** "1 voto", "2 mulheres", "200 pessoas". */
function verbalizeNumberInContext(written: string, place: MatchContext): string {
  const noun = /^[ \u00a0](?:mil\s)?(\p{Ll}{2,40})/u.exec(place.after)?.[1];
  if (
    noun === undefined ||
    NO_NOUN.has(noun) ||
    !/(?:^|\D|[2-9\d])(?:[12]|\d[12])$|\d00$/.test(written) ||
    /1[12]$/.test(written)
  ) {
    return verbalizeNumber(written);
  }
  return numberVerbalizer.verbalizeQuantity(written, guessGender(noun));
}

/** Portuguese of Brazil. Genders are known only from the endings of nouns. */
export const portuguese = createRuleBasedLanguage({
  code: 'pt',
  extraLetters: 'áàâãçéêíóôõúü',
  verbalizePlainNumber: verbalizeNumberInContext,
  ...{ abbreviations: { general, titles, numbered }, acronyms: { pronounced, spelled }, signs },
  ...{ numbers: numberVerbalizer, units, money, fractions },
  periods: parseTable('hab = habitante; pess = pessoa; d = dia; sem = semana; h = hora'),
  words: parseTable(
    'less = menos de; more = mais de; inches = polegadas; games = a; dot = ponto; hyphen = hífen; underscore = sublinhado; hashtag = hashtag; per = por; plus = mais; minus = menos',
  ),
  digits: { beforeAmounts: [...dateRules, ...timeRules, postcodeRule, telephoneRule], afterAmounts: [ordinalRule] },
  letters: {
    beforeAmounts: [
      politicianRule,
      createWeekdayRule(
        'segunda terça quarta quinta sexta sábado domingo'.split(' '),
        /(?:^|[\s(])(?:de|da|do|a|e|na|no)\s$/u,
      ),
      createDirectionRule(
        parseTable(
          'N = norte; S = sul; E = leste; O = oeste; W = oeste; NE = nordeste; NO = noroeste; NW = noroeste; SE = sudeste; SO = sudoeste; SW = sudoeste',
        ),
        /^\.?\s(?:de|do|da)\s/u,
      ),
    ],
    afterAmounts: [romanRule],
  },
  signRules: [areaCodeRule],
  describeCode: (count) => `um código de ${count} caracteres`,
  plainWord: /[a-záàâãçéêíóôõú]{4,40}(?=[ ,;!?])/y,
  sentences: {
    neverFinal:
      /(?:^|[\s("«“])(?:Sr|Sra|Srs|Sras|Srta|Dr|Dra|Drs|D|Prof|Profa|Eng|Gen|Cel|Cap|Dep|Sen|Gov|Min|Pe|Sto|Sta|Pres|pres|Des|Del|Desa|Rod|rod|Pça|pça|art|arts|cap|pág|págs|núm|vol|fig|n|aprox|p\.\s?ex|Av|av|tel|séc)$/iu,
    rarelyFinal: /(?:^|[\s("«“])(?:etc|hab|[ad]\.\s?C|S\.A|Ltda|[IVX]{1,7})$/u,
    finalLetter: /\d[ \u00a0]?[hmgl]$/u,
    firstWords: sentenceStarters,
  },
});
