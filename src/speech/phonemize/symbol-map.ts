/** A rule replaces at most this many symbols. */
const maxRuleSymbols = 4;

/** Replaces symbols by what a voice has in their place; of several rules the one for most symbols counts. */
export function mapSymbols(symbols: readonly string[], map: Readonly<Record<string, readonly string[]>>): string[] {
  if (Object.keys(map).length === 0) return [...symbols];
  const mapped: string[] = [];
  for (let place = 0; place < symbols.length; ) {
    let count = Math.min(maxRuleSymbols, symbols.length - place);
    while (count > 0 && !Object.hasOwn(map, symbols.slice(place, place + count).join(''))) count -= 1;
    const key = symbols.slice(place, place + Math.max(count, 1)).join('');
    mapped.push(...((count === 0 ? undefined : map[key]) ?? [key]));
    place += Math.max(count, 1);
  }
  return mapped;
}
