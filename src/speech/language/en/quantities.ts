import { after, before, type Place } from '../reader.ts';
import { numberWords } from './cardinals.ts';
import { year, yearEnding } from './years.ts';

/** A number with separators or decimals, as a part of patterns. Bounded, and never the half of a longer number. */
export const NUMBER = String.raw`(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,12})?|\.\d{1,12}`;
/** The dash between the ends of a range. */
export const RANGE_DASH = String.raw`(?:\s?[-‐‑–—−]\s?)`;

/** What stands before a number that names a place or a part: "Apartment 4B", "Gate 12". */
export const PLACE_BEFORE =
  /\b(?:apt\.?|apartment|unit|room|rm\.?|suite|gate|section|seat|row|group|no\.)\s$/i;

const ATTRIBUTE_FOLLOWS =
  /^[\s-](?!(?:a|about|across|after|against|ago|and|apart|are|around|as|at|away|because|before|below|between|but|by|deep|due|during|each|extra|fell|for|from|had|has|have|high|last|next|each|every|apiece|annually|plus|compared|based|if|in|into|is|less|long|more|of|off|old|on|or|out|over|per|rose|short|since|so|tall|than|that|the|then|there|this|today|tomorrow|tonight|total|yesterday|through|to|under|until|up|was|went|were|when|which|while|who|wide|will|with|within|without|worth|would)\b)[a-z]{2,}/;
const DETERMINER_BEFORE =
  /(?:\b(?:an?|another|each|every|per|the|this|that|its|his|her|their|our|my|your|whose)|(?<!\b(?:it|that|what|he|she|there|here|who))['’]s|s['’])\s(?:(?!(?:and|are|as|at|be|been|but|by|cost|costs|for|from|had|has|have|in|is|of|on|or|paid|pay|pays|than|to|was|were|with|worth|lost|spent|raised)\s)[a-z\d,-]{1,20}\s){0,2}$/i;
/** Things that are named by their price: "$1,400 checks". */
const PRICED_AFTER =
  /^\s(?:bail|bills?|bonds?|bonus(?:es)?|checks?|coins?|contracts?|coupons?|deals?|donations?|fees?|fines?|gifts?|grants?|jackpots?|lawsuits?|loans?|notes?|payments?|prizes?|rebates?|settlements?|tickets?|vouchers?)(?!\p{L})/u;

/** "10" → "ten", "10-15" → "ten to fifteen". */
export function quantityWords(first: string, last?: string): string {
  return last ? `${numberWords(first)} to ${numberWords(last)}` : numberWords(first);
}

/** A range of years: "1914", "1918" → "nineteen fourteen to nineteen eighteen"; "2019", "20" → "twenty nineteen to twenty". */
export function yearRange(first: string, last: string): string {
  return `${year(first)} to ${last.length === 2 ? yearEnding(last) : year(last)}`;
}

/** Whether a number and its unit stand before what they measure, "a 5 km race", where the unit has no plural. */
export function isAttribute(place: Place): boolean {
  if (/^-(?:an?|per)-\p{L}/u.test(after(place))) return true;
  if (PRICED_AFTER.test(after(place))) return true;
  return DETERMINER_BEFORE.test(before(place)) && ATTRIBUTE_FOLLOWS.test(after(place));
}

/** Whether a written number is exactly one. */
export function isOne(written: string): boolean {
  return /^1(?:\.0{1,12})?$/.test(written);
}

/** Whether "m" or "k" after a number is a million or a thousand of something: "1.5m people", but "a 100m race". */
export function isCounting(place: Place): boolean {
  return /^\s(?:people|men|women|children|[a-z]{4,})(?<=people|men|women|children|[^s]s)\b(?<!\s(?:metres|meters|hurdles|across|finals|relays|always))/.test(
    after(place),
  );
}
