import { findTable, type MatchContext, type NormalizationRule, parseTable, rule, sentenceStop } from '../language.ts';
import { buildAlternatives } from '../shared/amounts.ts';
import { spellDigits, verbalizeDigitPairs, verbalizeOrdinal } from './cardinals.ts';
import tables from './tables.txt' with { type: 'text' };

const POSTAL_STATES = parseTable(findTable(tables, 'postal states'));

/** Unambiguous state abbreviations of the Associated Press, without their full stop. */
export const SHORTENED_STATES = parseTable(findTable(tables, 'shortened states'));

/** The others, which may also be words, names or initials. */
export const AMBIGUOUS_STATES = parseTable(findTable(tables, 'ambiguous states'));

/** Of Canada, only after a town. */
const PROVINCES = parseTable(findTable(tables, 'provinces'));
const STATE_WITH_STOP = `(?:${buildAlternatives([...Object.keys(SHORTENED_STATES), ...Object.keys(AMBIGUOUS_STATES)])})\\.`;

const STREETS = parseTable(findTable(tables, 'streets'));
const DIRECTIONS = parseTable('N = North; S = South; E = East; W = West');
const QUARTERS = parseTable('NW = Northwest; NE = Northeast; SW = Southwest; SE = Southeast');
const PARTIES = parseTable('R = Republican; D = Democrat; I = Independent');
const STATE_NAMES: ReadonlySet<string> = new Set(Object.values(POSTAL_STATES));
/** "the N.J. Senate", "Pa. and Va.", "Ga. Tech" */
const BEFORE_A_STATE_OFFICE = new RegExp(
  `^(?:\\s(?:(?:Attorney|Department|Democrats?|Democratic|General|Governor|House|Legislature|Republicans?|Senate|State|Supreme|Tech|Turnpike|Route|Highway|Infantry|Cavalry|Regiment|Volunteers|Guard|National|Post|Times|Daily|Herald|Tribune|State's)(?!\\p{L})|(?:Gov|Lt|Sen|Sens|Rep|Reps|Atty|Sec|Dept)\\.)|(?:,\\s|,?\\s(?:and|or)\\s)${STATE_WITH_STOP})`,
  'u',
);
const AFTER_A_TOWN = /\p{Lu}[\p{L}.'’-]{0,20},\s$/u;
const AFTER_A_PREPOSITION = /\b(?:across|from|in|near|of|throughout)\s$/i;
const AFTER_A_STREET =
  /\b(?:St|Street|Ave|Avenue|Rd|Road|Blvd|Boulevard|Dr|Drive|Ln|Lane|Ct|Court|Pl|Place|Way|Sq|Square)\.?,?\s$/;

const STREET_NAME = String.raw`(?:[NSEW]\.?\s)?(?:\p{Lu}[\p{L}'’-]{0,20}\s|\d{1,3}(?:st|nd|rd|th)\s){1,3}`;
const STREET_WORD = String.raw`(?:[Ss]t|Street|Ave|Avenue|Rd|Road|Blvd|Boulevard|Dr|Drive|Ln|Lane|Ct|Court|Way|Hwy|Highway|Pkwy|Parkway|Expy|Pl|Place)(?![\p{L}\p{N}])`;

const BEFORE_A_ZIP_CODE = new RegExp(
  `(?:(?<!\\p{L})(?:NYC|D\\.C\\.|${[...STATE_NAMES].join('|')})|${STATE_WITH_STOP})\\s$`,
  'u',
);

/** House numbers: "1428 Elm St.", and ZIP codes: "NYC 10065". */
export const houseNumberRules: readonly NormalizationRule[] = [
  rule(/(\d{5})(?:-(\d{4}))?(?![\d-]|[,.]\d|\s\p{Ll})/u, ([, zip = '', more], place) =>
    BEFORE_A_ZIP_CODE.test(place.before) ? spellDigits(zip) + (more ? `, ${spellDigits(more)}` : '') : undefined,
  ),
  rule(/(\d{3,5})\sblk\.?(?=\sof\s)/, ([, digits = '']) => `${verbalizeDigitPairs(digits)} block`),
  rule(
    new RegExp(`(\\d{1,5})\\s([NSEW])\\.?\\s(?=${STREET_NAME}${STREET_WORD})`, 'u'),
    ([, digits = '', direction = '']) => `${verbalizeDigitPairs(digits)} ${DIRECTIONS[direction]} `,
  ),
  rule(new RegExp(`(\\d{1,5})([A-Z]?)(?=\\s${STREET_NAME}${STREET_WORD})`, 'u'), ([, digits = '', letter = '']) =>
    `${verbalizeDigitPairs(digits)} ${letter}`.trim(),
  ),
];

/** "R-Ky.", "D-NY", "I-Vt.": the party and state of a politician, after the name. */
export const partyRules: readonly NormalizationRule[] = [
  // "(D-14th Dist.)"
  rule(/([RDI])-(\d{1,2})(?:st|nd|rd|th)(?!\p{L})/u, ([, party = '', district = ''], place) =>
    /(?:,\s|\()$/.test(place.before) ? `${PARTIES[party]} of the ${verbalizeOrdinal(district)}` : undefined,
  ),
  rule(
    /([RDI])[-–](\p{Lu}(?:\.?\p{Lu}?\p{Ll}{0,12}))(\.?)(?![\p{L}\p{N}])/u,
    ([written, party = '', state = ''], place) => {
      if (!/(?:,\s(?:both\s|all\s)?|\()$/.test(place.before)) return undefined;
      // "D-Queens": a town or a district
      const name = findStateName(state) ?? (/^\p{Lu}\p{Ll}{3,}$/u.test(state) ? state : undefined);
      const plural = /(?:both|all)\s$/.test(place.before) ? 's' : '';
      return name && `${PARTIES[party]}${plural} of ${name}${sentenceStop(written, place)}`;
    },
  ),
];

/** States before a ZIP code or after a town, and abbreviated street words. */
export const placeRules: readonly NormalizationRule[] = [
  rule(/([A-Z]{2})\s(\d{5})(?:-(\d{4}))?(?!\d)/, ([, state = '', zip = '', more]) => {
    const name = POSTAL_STATES[state];
    return name && `${name} ${spellDigits(zip)}${more ? `, ${spellDigits(more)}` : ''}`;
  }),
  rule(
    /(?![AN]L\s(?:West|East|Central|MVP|Cy)|MD,\s(?:an?|who|the|chief|director|professor|PhD|MPH|MBA|told|said)\b)([A-Z]{2})(?![\p{L}\p{N}-])/u,
    ([, state = ''], { before }) =>
      /\p{Lu}[\p{Ll}'’][\p{L}.'’-]{0,20},\s$/u.test(before) ? POSTAL_STATES[state] : undefined,
  ),
  rule(/((?:W\.)?\p{Lu}\p{Ll}{1,4}|N\.W\.T|[NPRS]\.[A-Z])\.(?![\p{L}\p{N}])/u, ([written, state = ''], place) => {
    const name =
      SHORTENED_STATES[state] ??
      (isStateInContext(place) ? AMBIGUOUS_STATES[state] : undefined) ??
      (AFTER_A_TOWN.test(place.before) ? PROVINCES[state] : undefined);
    return name ? name + sentenceStop(written, place) : undefined;
  }),
  rule(/(NW|NE|SW|SE)(?![\p{L}\p{N}])/u, ([, quarter = ''], place) =>
    AFTER_A_STREET.test(place.before) || /^\s(?:of(?!\p{L})|\p{Lu}\p{Ll})/u.test(place.after)
      ? QUARTERS[quarter]
      : undefined,
  ),
  // "Park Ave. S.", "Pennsylvania Ave., N.W."
  rule(/([NSEW])\.?([EW])?\.?(?![\p{L}\p{N}'’])/u, ([written, first = '', second], place) => {
    if (!AFTER_A_STREET.test(place.before)) return undefined;
    return (second ? QUARTERS[first + second] : DIRECTIONS[first]) + sentenceStop(written, place);
  }),
  // "I-405 N. is closed"
  rule(/([NSEW])\.?(?=\s\p{Ll}|,)/u, ([, direction = ''], place) =>
    /\b(?:I|US|SR|Route|Rte?\.?|Hwy\.?|Highway|Interstate)[-\s]\d{1,3}\s$/.test(place.before)
      ? DIRECTIONS[direction]
      : undefined,
  ),
  // "the 1900 block of E. Main St."
  rule(
    new RegExp(`([NSEW])\\.?(?=\\s${STREET_NAME}${STREET_WORD})`, 'u'),
    ([, direction = '']) => DIRECTIONS[direction],
  ),
  // "between W. 34th and E. 40th"
  rule(/([NSEW])\.(?=\s\d{1,3}(?:st|nd|rd|th)(?!\p{L}))/u, ([, direction = '']) => DIRECTIONS[direction]),
  // "2215 NE 8th Ave."
  rule(new RegExp(`(NW|NE|SW|SE)(?=\\s${STREET_NAME}${STREET_WORD})`, 'u'), ([, quarter = '']) => QUARTERS[quarter]),
  // In headlines: "N Korea", "northern Iraq"
  rule(
    /([NSEW])\.?\s?(?=(?:Korea|Africa|Sudan|Carolina|Dakota|Virginia|Germany|Timor|Jerusalem|Bank|Coast|Sussex|Yorks(?:hire)?|Midlands|Hollywood|Philadelphia|Boston|Los Angeles|America|Asia|Wales|Waziristan|Chicago|St\. Louis|Side|Kivu|Darfur|Macedonia|London|Ossetia|Pacific|Atlantic|Houston|Dallas|Miami)(?:n|ns)?(?!\p{L}))/u,
    ([written, direction = '']) => (/[.\s]/.test(written) ? `${DIRECTIONS[direction]} ` : undefined),
  ),
  rule(
    /([NSEW])\.?\s?(?=(?:Ireland|Europe|Calif(?:ornia)?|Florida|Texas|Lebanon|Iraq|Iran|Syria|Israel|Yemen|Vietnam|Cyprus|India|Nigeria|Mexico|China|Ukraine|Gaza|England|Caucasus|Georgia|Ohio|Michigan|Japan|Turkey|France|Spain|Italy|Kenya|Ethiopia|Afghanistan|Pakistan|Irish)(?:n|ns)?(?!\p{L}))/u,
    ([written, direction = '']) => (/[.\s]/.test(written) ? `${DIRECTIONS[direction]}ern ` : undefined),
  ),
  // "the E. Dist. of Va."
  rule(/([NSEW])\.(?=\sDist(?:\.|rict))/, ([, direction = '']) => `${DIRECTIONS[direction]}ern`),
  rule(
    /(Ave|Blvd|Rd|Ln|Ct|Hwy|Pkwy|Expy|Pl|Sq|Ter|Plz|Fwy|(?<!\d(?:st|nd|rd|th)\s)Cir)(?:\.|(?![\p{L}\p{N}.]))/u,
    ([written, word = ''], place) =>
      /(?:\p{Lu}[\p{L}'’-]{0,20}|\d(?:st|nd|rd|th))\s$/u.test(place.before.slice(-30))
        ? `${STREETS[word]}${sentenceStop(written, place)}`
        : undefined,
  ),
  rule(/st(?=[\s.,]|$)/, (_match, { text, at }) =>
    /\d(?:st|nd|rd|th)\s$/.test(text.slice(Math.max(0, at - 5), at)) ? 'Street' : undefined,
  ),
];

function findStateName(written: string): string | undefined {
  if (STATE_NAMES.has(written)) return written;
  if (written === 'Me') return 'Maine';
  return PROVINCES[written] ?? SHORTENED_STATES[written] ?? AMBIGUOUS_STATES[written] ?? POSTAL_STATES[written];
}

/** "Salem, Ore.", "in N.J.", "the Pa. delegation", but not "Mass." and "Miss." alone. */
function isStateInContext(place: MatchContext): boolean {
  const textBefore = place.before;
  return (
    AFTER_A_TOWN.test(textBefore) ||
    /^\s(?:\(\d|\d{5}(?!\d))/.test(place.after) ||
    /\b(?:Univ(?:\.|ersity)|Dist(?:\.|rict))\sof\s$/.test(textBefore) ||
    (/\bin\s$/.test(textBefore) && /^["'”’)]{0,3}$/.test(place.after)) ||
    /^\s\p{Ll}|^-(?:based|born|bred|area|wide|raised)/u.test(place.after) ||
    BEFORE_A_STATE_OFFICE.test(place.after) ||
    (place.text.charAt(place.at + 1) === '.' && AFTER_A_PREPOSITION.test(textBefore))
  );
}

const MOVED_BEFORE =
  /\b(?:mov(?:ed|es|ing)|head(?:ed|s|ing)|drift(?:ed|s|ing)|track(?:ed|s|ing)|turn(?:ed|s|ing)|winds?)\s$/i;

/** Directions in reports of weather, traffic and earthquakes. */
export const compassRules: readonly NormalizationRule[] = [
  // "wind NNW 15-25 kts."
  rule(
    /([NSEW](?=[NS][EW]))?([NS][EW]|[NSEW])(?=\s\d{1,3}(?:[-–]\d{1,3})?(?:\s?(?:mph|kts?|knots?|km\/h|kph)(?!\p{L})|[,;.]))/u,
    ([, first, second = ''], place) =>
      /\b(?:winds?|gusts?)(?:\s(?:light|fresh|strong))?\s$/i.test(place.before)
        ? `${first ? `${DIRECTIONS[first]} ` : ''}${QUARTERS[second] ?? DIRECTIONS[second]}`.toLowerCase()
        : undefined,
  ),
  // "the NB lanes of I-35", "I-90 WB"
  rule(/([NSEW])B(?![\p{L}\p{N}])/u, ([, direction = ''], place) =>
    /^\s(?:lanes?|traffic|ramps?|side|off-ramp|on-ramp|exit|I-\d|US\s\d|SR|Rte|Route|Hwy|Highway|Interstate)(?!\p{L})/u.test(
      place.after,
    ) || /\b(?:I-|US[- ]|SR[- ]|Route\s|Rte\.?\s|Hwy\.?\s|Highway\s|Interstate\s)\d{1,3}[A-Z]?\s$/.test(place.before)
      ? `${DIRECTIONS[direction]?.toLowerCase()}bound`
      : undefined,
  ),
  // "from the SW", "a NE wind"
  rule(/([NS][EW])(?![\p{L}\p{N}-])/u, ([, quarter = ''], place) =>
    /\b(?:from|to|in|towards?|of|across)\sthe\s$/.test(place.before) ||
    /^\s(?:winds?|gales?|breezes?|gusts?|swells?|flow|corner|edge|portion|quadrant)(?!\p{L})/u.test(place.after)
      ? QUARTERS[quarter]?.toLowerCase()
      : undefined,
  ),
  // "25 km SSW of Narsingdi", "moved NNW at 12 mph"
  rule(/([NSEW])-?([NS][EW])(?=\s(?:of|at\s\d)|\s?[,.;])/, ([, first = '', second = ''], place) =>
    place.after.startsWith(' of') || MOVED_BEFORE.test(place.before)
      ? `${DIRECTIONS[first]} ${QUARTERS[second]}`.toLowerCase()
      : undefined,
  ),
  // "2 miles N of Highway 501"
  rule(/([NS][EW]|[NSEW])\.?(?=\sof\s)/, ([, letters = ''], place) =>
    /(?:[\p{L}\d]|\.)\s$/u.test(place.before) && !/\b(?:an?|the)\s$/.test(place.before)
      ? (QUARTERS[letters]?.toLowerCase() ?? DIRECTIONS[letters]?.toLowerCase())
      : undefined,
  ),
];
