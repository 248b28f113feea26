const MONTHS =
  'jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|f[ée]vr?(?:ier)?|mar(?:ch|s|zo)?|märz|mrz|apr(?:il)?|avr(?:il)?|abr(?:il)?|may|mai|mayo|jun(?:e|i|io)?|juin|jul(?:y|i|io)?|juil(?:let)?|aug(?:ust)?|ao[uû]t|ago(?:sto)?|sept?(?:ember|embre|tiembre)?|oct(?:ober|obre|ubre)?|okt(?:ober)?|nov(?:ember|embre|iembre)?|de[czs](?:ember|iembre)?|déc(?:embre)?|ene(?:ro)?|febrero';
const DAYS =
  'mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|mo|di|mi|do|fr|sa|so|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo';
const MARKERS =
  '(?:last |first |originally )?(?:published|updated|posted|modified|created|edited|reviewed|added|date)|(?:zuletzt )?(?:aktualisiert|veröffentlicht|geändert|erstellt|stand)|(?:publiée?|mise? à jour|modifiée?|créée?|posté)|(?:publicado|actualizado|actualización|modificado|creado)(?: el)?';
const OTHER_WORDS =
  "a\\.?m\\.?|p\\.?m\\.?|[ecmp][sd]?t|b?st|cest|cet|mez|mesz|utc|gmt|(?:local )?time|uhr|h|hrs?|at|on|um|den|der|vom|am|le|la|las|les|à|a|de|del|el|and|und|et|y|um|st|nd|rd|th|º|o'clock";
const NUMBER = '\\d{1,4}(?:st|nd|rd|th|er|º)?|\\d{1,2}h(?:\\d{2})?|\\d{1,2}(?:am|pm)';
const CLOCK = /\d{1,2}[:.h]\d{2}|\d ?[ap]\.?m\b/i;
const YEAR = /(?<!\d)(?:1[89]|20)\d\d(?!\d)|(?<!\d)\d{1,2}[/.]\d{1,2}[/.]\d{2}(?!\d)/;
const SIGNS = '\\s,.;:|•·–—/()+\\-';

const TOKEN = `(?:${[MONTHS, DAYS, MARKERS, OTHER_WORDS, NUMBER].join('|')})`;
/** One by one: an expression for the whole line would try each way to divide "a.m. a.m. a.m." */
const DATE_WORD = new RegExp(`(?<![^${SIGNS}])${TOKEN}(?![^${SIGNS}])`, 'giu');
const ONLY_SIGNS = new RegExp(`^[${SIGNS}]*$`, 'u');
const MARKER = new RegExp(`(?<!\\p{L})(?:${MARKERS})(?!\\p{L})`, 'iu');
const MONTH_OR_DAY = new RegExp(`(?<!\\p{L})(?:${MONTHS}|${DAYS})(?!\\p{L})`, 'iu');
/** "By Jo Roe |" before a date. */
const BYLINE = /^(?:by|von|par|por) [^\d.,;:!?]{2,60}?(?=[,|•·–—(/-]|\s\d|\s(?:published|updated|posted))/iu;
const AGO =
  /^(?:(?:published|updated|posted)[\s:]{0,3})?(?:\d{1,3} (?:min(?:ute)?s?|hours?|hrs?|days?|weeks?|months?|years?) ago|vor \d{1,3} (?:minuten?|stunden?|tagen?|wochen?)|il y a \d{1,3} (?:minutes?|heures?|jours?)|hace \d{1,3} (?:minutos?|horas?|días?))$/i;
const MAX_DATE_UNITS = 160;

/** A line that only says when, and perhaps by whom, an article was published: "By Jo Roe | Nov. 20, 2025, 4:15 p.m. ET". */
export function isDateLine(line: string): boolean {
  if (line.length > MAX_DATE_UNITS || !/\d/.test(line)) return false;
  if (AGO.test(line)) return true;
  const date = line.replace(BYLINE, '');
  if (!ONLY_SIGNS.test(date.replace(DATE_WORD, ''))) return false;
  const isDay = YEAR.test(date) && (MONTH_OR_DAY.test(date) || /\d[/.-]\d/.test(date));
  return isDay || (CLOCK.test(date) && MONTH_OR_DAY.test(date)) || MARKER.test(date);
}
