import { type MatchContext, type NormalizationRule, parseRomanNumeral, rule, wordSet } from '../language.ts';
import { isSingle, spellLetters } from './abbreviations.ts';
import { buildAlternatives, type Nouns } from './amounts.ts';
import { GAP, type NumberVerbalizer } from './numbers.ts';

const LOWERED_DIGITS = '₀₁₂₃₄₅₆₇₈₉';

/** Chemical formulas with lowered digits: "CO₂", "PM₂.₅". */
export function createChemicalRule(verbalizeNumber: (written: string) => string): NormalizationRule {
  return rule(
    /(?:(?:[A-Z][a-z]?){1,6}[₀-₉]{1,3}(?:[.,][₀-₉]{1,2})?){1,6}(?:[A-Z][a-z]?){0,6}(?![\p{L}\p{N}])/u,
    ([written], place) =>
      isSingle(place)
        ? (written.match(/[A-Za-z]+|[^A-Za-z]+/g) ?? [])
            .map((run) => (/^[A-Z]/.test(run) ? spellLetters(run) : verbalizeNumber(toPlainDigits(run))))
            .join(' ')
        : undefined,
  );
}

/** Fine dust with plain digits: "PM2,5". */
export function createParticleRule(verbalizeNumber: (written: string) => string): NormalizationRule {
  return rule(/PM ?2[,.]5(?![\p{L}\p{N}])/u, () => `${spellLetters('PM')} ${verbalizeNumber('2,5')}`);
}

/** Variants of viruses: "BA.5", "BA.2.86", "B.1.1.7". */
export function createVariantRule({
  verbalizeCardinal,
  pointWord,
}: Pick<NumberVerbalizer, 'verbalizeCardinal' | 'pointWord'>): NormalizationRule {
  return rule(/([A-Z]{1,3})\.(\d{1,3}(?:\.\d{1,3}){0,3})(?![\p{L}\p{N}])/u, ([, letters = '', written = ''], place) => {
    const numbers = written.split('.').map(verbalizeCardinal);
    if (!isSingle(place) || (letters.length === 1 && numbers.length === 1)) return undefined;
    return `${spellLetters(letters)} ${numbers.join(numbers.length === 2 ? ` ${pointWord} ` : ' ')}`;
  });
}

function toPlainDigits(lowered: string): string {
  return lowered.replace(/[₀-₉]/g, (digit) => String(LOWERED_DIGITS.indexOf(digit)));
}

/** "Boeing 747-8", "Mirage 2000-5", "ATR 72-600" */
export const AIRCRAFT = /(\d{1,4})-(\d{1,4})(?![\d-])/;
export const AIRCRAFT_BEFORE =
  /(?<!\p{L})(?:Boeing|Mirage|ATR|Dash|Embraer|Bombardier|Fokker|Dornier|Do|Bell|Saab|Antonow?|Iljuschin|Ilyushin|Tupolew|Tupolev|Learjet)\s$/u;

/** "4x400 Meter", "Leopard 2A6". @param times of the sign ×: "mal" */
export function createSerialRules(
  { verbalizeCardinal, verbalizeNumber, spellDigits }: NumberVerbalizer,
  times: string,
): NormalizationRule[] {
  return [
    rule(
      /(\d{1,4}(?:,\d{1,2})?)(?:\s?[x×](?=\s?\d)|[·⋅](?=\d)|\.(?=10[⁻⁰¹²³⁴-⁹]))/u,
      ([, count = '']) => `${verbalizeNumber(count)} ${times} `,
    ),
    rule(AIRCRAFT, ([, model = '', variant = ''], place) =>
      AIRCRAFT_BEFORE.test(place.before)
        ? `${verbalizeCardinal(model)} ${verbalizeCardinal(variant)}${/^\p{L}/u.test(place.after) ? ' ' : ''}`
        : undefined,
    ),
    // IBAN, in groups
    rule(/(?:\d{4} ?){2,7}\d{1,4}(?!\d)/, ([written], place) =>
      /[A-Z]{2}\d\d $/.test(place.before) ? (written.match(/\d{1,4}/g) ?? []).map(spellDigits).join(', ') : undefined,
    ),
    rule(
      /(\d{1,3})([A-Z]{1,2})(\d{1,3})(?![\p{L}\p{N}])/u,
      ([, first = '', letters = '', last = '']) =>
        `${verbalizeCardinal(first)} ${spellLetters(letters)} ${verbalizeCardinal(last)}`,
    ),
  ];
}

/** "x3", "10 m x 20 m" */
export function createMultiplierRule(times: string): NormalizationRule {
  return rule(/x(?=(\s?)\d{1,3}(?![\p{L}\p{N}]))/u, ([, space], place) => {
    if (space === '') return isSingle(place) ? `${times} ` : undefined;
    // "10 m x 20 m"
    return /\d\s?[cdk]?m\s$/.test(place.before) ? times : undefined;
  });
}

/** Numerals that no rule knows better, without those that are more often letters: "SGB II". */
export function createPlainRomanRule({ verbalizeCardinal }: NumberVerbalizer): NormalizationRule {
  return rule(/(?:II|III|IV|VII{0,2}|IX|XII{0,2}|XIV|XVI{0,3}|XIX|XXI{1,3})(?![\p{L}\p{N}])/u, ([numeral], place) =>
    isSingle(place) ? verbalizeCardinal(parseRomanNumeral(numeral) ?? '') : undefined,
  );
}

/** A share of an Asian market: "7203.T", "0700.HK". @param dot between code and market: "Punkt" */
export function createStockCodeRule(
  { spellDigits }: Pick<NumberVerbalizer, 'spellDigits'>,
  dot: string,
): NormalizationRule {
  return rule(
    /(\d{4,6})\.(T|HK|KS|KQ|S[SZRIH]|TWO?|KL|BK|BO)(?![\p{L}\p{N}])/u,
    ([, code = '', market = '']) => `${spellDigits(code)} ${dot} ${spellLetters(market)}`,
  );
}

/** An ISBN, in groups: "978-3-16-148410-0". */
export function createBookNumberRule({ spellDigits }: Pick<NumberVerbalizer, 'spellDigits'>): NormalizationRule {
  return rule(/(?:97[89][- ])?\d{1,5}[- ]\d{1,7}[- ]\d{1,7}[- ][\dX](?![\p{L}\p{N}])/u, ([written], place) =>
    /^97[89]/.test(written) || /ISBN:?\s$/.test(place.before)
      ? written
          .split(/[- ]/)
          .map((group) => (group === 'X' ? 'X' : spellDigits(group)))
          .join(', ')
      : undefined,
  );
}

const RAISED_DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** "10⁻²⁷ kg". @param raised of the sign ^: "hoch" */
export function createPowerRule(
  { verbalizeCardinal }: Pick<NumberVerbalizer, 'verbalizeCardinal'>,
  units: Nouns,
  words: Readonly<Record<'raised' | 'minus', string>>,
): NormalizationRule {
  return rule(
    new RegExp(
      `10(⁻?)([${RAISED_DIGITS}]{1,3})(?:${GAP}(${buildAlternatives(Object.keys(units))})(?![\\p{L}\\p{N}²³]))?`,
      'u',
    ),
    ([, sign, digits = '', unit = '']) => {
      const power = verbalizeCardinal(Array.from(digits, (digit) => RAISED_DIGITS.indexOf(digit)).join(''));
      const noun = units[unit]?.many;
      return `${verbalizeCardinal('10')} ${words.raised} ${sign ? `${words.minus} ` : ''}${power}${noun ? ` ${noun}` : ''}`;
    },
  );
}

/** European numbers of social services, "116 117": by digit */
export function createSocialServiceRule(speech: Pick<NumberVerbalizer, 'spellDigits'>): NormalizationRule {
  return rule(
    /116[ \u00a0](000|006|016|111|117|123)(?!\d|[ ,.]\d|\s(?:\p{Sc}|\p{L}{3,20}s(?!\p{L})))/u,
    ([, service = '']) => `${speech.spellDigits('116')}, ${speech.spellDigits(service)}`,
  );
}

/** "UTC-05:00", "GMT+2: the difference from universal time. */
export function createTimeOffsetRule(
  verbalizeCardinal: (digits: string) => string,
  words: Readonly<Record<'plus' | 'minus', string>>,
): NormalizationRule {
  return rule(
    /(UTC|GMT)[ \u00a0]?([-−–+])[ \u00a0]?(\d{1,2})(?:[:.]?([0-5]\d))?(?![\d:])/u,
    ([, zone = '', sign, hours = '', minutes = ''], place) => {
      if (!isSingle(place)) return undefined;
      const rest = Number(minutes) === 0 ? '' : ` ${verbalizeCardinal(minutes)}`;
      return `${spellLetters(zone)} ${words[sign === '+' ? 'plus' : 'minus']} ${verbalizeCardinal(hours)}${rest}`;
    },
  );
}

/** Two years in a row without a dash: "2025/26". */
export function createSeasonRule({ verbalizeNumber }: Pick<NumberVerbalizer, 'verbalizeNumber'>): NormalizationRule {
  return rule(/((?:19|20)\d{2})\/((?:19|20)?\d{2})(?![\d/])/, ([, first = '', last = '']) =>
    (Number(first) + 1) % 100 === Number(last) % 100 ? `${verbalizeNumber(first)} ${verbalizeNumber(last)}` : undefined,
  );
}

const ACT_BEFORE =
  /(?:\((?:EU|UE|EG|CE|EWG|CEE)\)|(?:^|[\s(])(?:RL|VO|Richtlinie|Verordnung|[Dd]irectives?|[Rr]èglements?))\s(?:Nr\.\s|n[°º]\s?)?$/u;

/** "Verordnung (EU) 2016/679", "directive 2014/24/UE" */
export function createEuropeanActRule({ verbalizeCardinal }: NumberVerbalizer): NormalizationRule {
  return rule(/(\d{2,4})\/(\d{1,4})(?:\/(EU|UE|EG|CE|EWG|CEE))?(?![\d/])/, ([, first = '', last = '', union], place) =>
    ACT_BEFORE.test(place.before)
      ? `${verbalizeCardinal(first)} ${verbalizeCardinal(last)}${union ? ` ${spellLetters(union)}` : ''}`
      : undefined,
  );
}

const SEASON_BEFORE =
  /(?:^|[^\p{L}])(?:Saison|Spielzeit|WS|Wintersemester|Winter|saison|exercice|campagne|temporada|curso|campaña|stagione|campionato|época|seizoen|sezon(?:ie|u)?)\s$/u;

/** "in der Saison 24/25" */
export function createShortSeasonRule({ verbalizeCardinal }: NumberVerbalizer): NormalizationRule {
  return rule(/(\d\d)\/(\d\d)(?![\d/])/, ([, first = '', last = ''], place) =>
    SEASON_BEFORE.test(place.before) && (Number(first) + 1) % 100 === Number(last)
      ? `${verbalizeCardinal(first)} ${verbalizeCardinal(last)}`
      : undefined,
  );
}

/** Between names and before the year of a quarter: "CDU/CSU", "A-2/AP-2", "Q3/2025". */
export const nameSlashRule: NormalizationRule = rule(
  /\/(?=\p{Lu}|(?:20)?\d\d(?!\d))/u,
  (_match, place: MatchContext) =>
    (/^\d/.test(place.after)
      ? /(?:^|[\s(])(?:[QHTS]|KW\s?)\d{1,2}$/u
      : /(?:Bündnis\s90|\p{Lu}[\p{L}\d-]{1,40}|\d\p{Lu}|(?:^|[\s(„“«"-])\p{Lu}(?=\/?$))$/u
    ).test(place.before)
      ? ' '
      : undefined,
);

const PRONOUN_PAIRS = wordSet(`
  er/sie sie/er ihm/ihr ihr/ihm sein/ihr seine/ihre jeder/jede il/elle ils/elles elle/il lui/elle celui/celle él/ella ellos/ellas
  ella/él lui/lei egli/ella ele/ela eles/elas dele/dela hij/zij zij/hij hem/haar zijn/haar on/ona jego/jej
`);

/** "er/sie", "il/elle". @param or between both */
export function createPronounSlashRule(or: string): NormalizationRule {
  return rule(/\/(?=(\p{Ll}{2,6})(?!\p{L}))/u, ([, second = ''], { before }) => {
    const first = /(?:^|[^\p{L}])(\p{L}{2,6})$/u.exec(before)?.[1] ?? '';
    return PRONOUN_PAIRS.has(`${first.toLowerCase()}/${second}`) ? ` ${or} ` : undefined;
  });
}

const WIND_BEFORE =
  /(?:Wind|wiatr\p{L}{0,3}|vents?|vent[oi]|vientos?|rachas?|rafales?|componente|flujo|flux|rumbo|dirección|secteur)(?:\s\p{L}{1,12}|\s\d{1,3}\skm\/h|\s\d{1,3}-\d{1,3}\skm\/h){0,4}\s$/iu;
const POINT_BEFORE = /(?:^|\s)(?:al|del?|au|du|im|nach|km|an|da|do|a)\s(?:l['’])?$/u;

/** "98,2° O", "viento del NO", "au SO d'Athènes" @param of after a direction from a place */
export function createDirectionRule(names: Readonly<Record<string, string>>, of: RegExp): NormalizationRule {
  return rule(
    /([NSZ]\.?[-–]?[EOW]|[NSZEOW])(?:(\.)(?=\s(?:d[aeiou]s?|des|von|van|of|à|au|a|bis|nach|puis|y|e|et)\s|(?<=\.[-–].\.)))?/u,
    ([, letters = '', stop], place) => {
      if (!isSingle(place) || /^(?:[\p{L}\p{N}]|[.-](?!wind)\p{L})/u.test(place.after)) return undefined;
      const isPoint =
        /\d\s?[°º'’′"″]\s?$/.test(place.before) ||
        letters.includes('.') ||
        place.after.startsWith('-wind') ||
        (stop !== undefined && /(?:\p{Ll}\s|(?:^|\s)[dl]['’])$/u.test(place.before)) ||
        (letters.length > 1 && (WIND_BEFORE.test(place.before) || /\suit het\s$/.test(place.before))) ||
        (POINT_BEFORE.test(place.before) && of.test(place.after));
      return isPoint ? names[letters.replace(/[-–.]/g, '')] : undefined;
    },
  );
}

const LABEL = String.raw`[a-z\d][a-z\d_-]{0,62}`;
const HOST = String.raw`(?:${LABEL}\.){1,6}`;
const PATH = String.raw`(\/[^\s<>"'“”‘’«»()]{0,200})?`;
const WORD_END = String.raw`(?![\p{L}\p{N}@])`;

/** What a language adds to e-mail addresses and URLs. */
interface WebWords {
  /** Names of the signs in a URL. */
  readonly signs: Readonly<Record<string, string>>;
  /** Top-level domains of hosts without a scheme. */
  readonly topLevelDomains: string;
  /** Pronounced ends of a host; others of up to three letters are spelled. */
  readonly pronouncedDomains: string;
  /** How many labels count as the end of a host. */
  readonly endLabelCount: 1 | 2;
  /** @returns the spoken form of an irregular label or word */
  readonly verbalizeLabel?: (label: string) => string | undefined;
  readonly verbalizeWord?: (word: string) => string | undefined;
}

/** E-mail addresses and URLs. The scheme and the query are silent. */
export function createWebRules(
  words: WebWords,
  { spellDigits }: Pick<NumberVerbalizer, 'spellDigits'>,
): NormalizationRule[] {
  const { signs, endLabelCount, verbalizeLabel, verbalizeWord } = words;
  const pronounced = new Set(words.pronouncedDomains.split(' '));
  const verbalizePart = (part: string) =>
    (part.match(/\p{L}+|\d+|[^\p{L}\d]/gu) ?? [])
      .map((run) => (/^\d/.test(run) ? spellDigits(run) : (verbalizeWord?.(run) ?? signs[run] ?? run)))
      .join(' ');
  const isSpelled = (label: string) => /^[a-z]{1,3}$/.test(label) && !pronounced.has(label);
  const verbalizeHost = (host: string) =>
    host
      .toLowerCase()
      .replace(/^www\./, '')
      .split('.')
      .map((label, index, all) => {
        const isEnd = index > 0 && index >= all.length - endLabelCount;
        if (isEnd) return isSpelled(label) ? spellLetters(label) : verbalizePart(label);
        return verbalizeLabel?.(label) ?? verbalizePart(label);
      })
      .join(` ${signs['.']} `);
  // Trailing punctuation belongs to the sentence, though the pattern of a URL allows it.
  const addStop = (written: string, spoken: string) => spoken + (/[.,;:!?]$/.exec(written)?.[0] ?? '');
  const verbalizeUrl = (written: string, host: string, path: string | undefined) => {
    const visiblePath = path?.split(/[?#]/, 1)[0]?.replace(/[.,;:!?/]+$/, '');
    return addStop(written, verbalizeHost(host) + (visiblePath ? ` ${verbalizePart(visiblePath)}` : ''));
  };
  const domain = `(?:${words.topLevelDomains.replaceAll(' ', '|')})`;
  return [
    rule(
      new RegExp(`([a-z\\d][a-z\\d._&+%-]{0,63})@(${HOST}[a-z]{2,12})${PATH}${WORD_END}`, 'iu'),
      ([written, user = '', host = '', path]) =>
        `${verbalizePart(user)} ${signs['@']} ${verbalizeUrl(written, host, path)}`,
    ),
    // "doi:10.1038/s41586-024-07123-4"
    rule(/doi(?::[ \u00a0]?|[ \u00a0])(10\.\d{4,9}\/[^\s<>"'“”‘’«»()]{1,100})/iu, ([written, name = '']) =>
      addStop(written, `${spellLetters('doi')} ${verbalizePart(name.replace(/[.,;:!?]+$/, ''))}`),
    ),
    rule(/file:\/\/(\/?[^\s<>"'“”‘’«»()]{1,200})/iu, ([written]) =>
      addStop(written, verbalizePart(written.replace(/[.,;:!?]+$/, ''))),
    ),
    rule(
      new RegExp(
        `(?:https?|ftps?):\\/\\/(${HOST}[a-z]{2,12}|localhost|\\d{1,3}(?:\\.\\d{1,3}){3})(?::\\d{1,5})?${PATH}`,
        'iu',
      ),
      ([written, host = '', path]) => verbalizeUrl(written, host, path),
    ),
    rule(new RegExp(`(www\\.${HOST}[a-z]{2,12})${PATH}${WORD_END}`, 'iu'), ([written, host = '', path]) =>
      verbalizeUrl(written, host, path),
    ),
    rule(new RegExp(`(${HOST}${domain})(?!\\.[\\p{L}\\p{N}])${WORD_END}${PATH}`, 'iu'), ([written, host = '', path]) =>
      // Not a host: "U.S." and initials; but "X.com".
      /^(?:[a-z]\.)+(?!(?:com|org|net|gov|edu|ai|io)$)/i.test(host) && !path
        ? undefined
        : verbalizeUrl(written, host, path),
    ),
  ];
}
