/** Range of page words that a passage matches; `end` is exclusive. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A possible place of a passage, with its weight. */
interface Found extends Place {
  readonly weight: number;
}

/** A place in a sequence of places. */
interface Candidate extends Found {
  readonly passage: number;
  /** Weight of the whole sequence. */
  readonly score: number;
  readonly before: Candidate | undefined;
}

/** Share of the words of a passage that a near match must contain in order. */
const nearShare = 0.6;
/** Shorter passages need an exact match. */
const nearWordsMin = 3;
/** Words that occur more often on the page do not help to locate a passage. */
const tellingMax = 24;
const exactMax = 64;
/** Limit of candidates; each costs a comparison with a range of the page. */
const nearMax = 4;
/** Bonus for a place that directly follows the previous one; less than a word. */
const adjoining = 0.5;

/**
 * Finds passages on a page, both as normalized words. Skips what is missing on either side and keeps the order of the
 * passages, so that equal sentences get different places.
 * @returns the place of each passage; undefined if it is not on the page
 */
export function align(passages: readonly (readonly string[])[], page: readonly string[]): (Place | undefined)[] {
  const aligned = placed(passages, page, exactPlaces);
  // A passage without an exact match may have a near match between its neighbors.
  for (let first = 0; first < passages.length; first += 1) {
    if (aligned[first] !== undefined) continue;
    let behind = first + 1;
    while (behind < passages.length && aligned[behind] === undefined) behind += 1;
    const from = aligned[first - 1]?.end ?? 0;
    const to = aligned[behind]?.start ?? page.length;
    const near = placed(passages.slice(first, behind), page.slice(from, to), nearPlaces);
    for (const [index, place] of near.entries()) {
      aligned[first + index] = place && { start: from + place.start, end: from + place.end };
    }
    first = behind;
  }
  return aligned;
}

/** @returns the ordered places with the highest total weight */
function placed(
  passages: readonly (readonly string[])[],
  page: readonly string[],
  placesFor: (words: readonly string[], page: readonly string[], places: Places) => Found[],
): (Place | undefined)[] {
  const places = placesOf(page);
  const chain = createChain(page.length);
  let previous: Candidate[] = [];
  for (const [passage, words] of passages.entries()) {
    const candidates = placesFor(words, page, places).map((found): Candidate => {
      const before = chain.best(found.start);
      const neighbour = previous.find(({ end }) => end === found.start);
      const adjoined = scoreOf(neighbour) + adjoining;
      return neighbour !== undefined && adjoined > scoreOf(before)
        ? { ...found, passage, score: adjoined + found.weight, before: neighbour }
        : { ...found, passage, score: scoreOf(before) + found.weight, before };
    });
    for (const candidate of candidates) chain.add(candidate);
    previous = candidates;
  }
  const aligned = new Array<Place | undefined>(passages.length).fill(undefined);
  for (let link = chain.best(page.length); link !== undefined; link = link.before) {
    aligned[link.passage] = link;
  }
  return aligned;
}

function scoreOf(candidate: Candidate | undefined): number {
  return candidate?.score ?? 0;
}

/** Positions of each word, in order. */
type Places = ReadonlyMap<string, readonly number[]>;

function placesOf(page: readonly string[]): Places {
  const places = new Map<string, number[]>();
  for (const [place, word] of page.entries()) {
    const known = places.get(word);
    if (known === undefined) places.set(word, [place]);
    else known.push(place);
  }
  return places;
}

function exactPlaces(words: readonly string[], page: readonly string[], places: Places): Found[] {
  let rarest = 0;
  const countAt = (index: number) => places.get(words[index] ?? '')?.length ?? 0;
  for (const index of words.keys()) if (countAt(index) < countAt(rarest)) rarest = index;
  const found: Found[] = [];
  for (const place of places.get(words[rarest] ?? '') ?? []) {
    const start = place - rarest;
    if (start < 0 || !words.every((word, index) => page[start + index] === word)) continue;
    found.push({ start, end: start + words.length, weight: words.length });
    if (found.length === exactMax) break;
  }
  return found;
}

/** Places that contain most of the words in order. */
function nearPlaces(words: readonly string[], page: readonly string[], places: Places): Found[] {
  if (words.length < nearWordsMin) return [];
  /** Start positions that distinctive words suggest. */
  const votes = new Map<number, number>();
  for (const [index, word] of words.entries()) {
    const at = places.get(word) ?? [];
    if (at.length > tellingMax) continue;
    for (const place of at) votes.set(place - index, (votes.get(place - index) ?? 0) + 1);
  }
  const likely = [...votes].sort((a, b) => b[1] - a[1]).slice(0, nearMax);
  return likely.flatMap(([start]) => closest(words, page, start) ?? []);
}

/**
 * The range near a start position that is most similar to a passage (Smith–Waterman): common words add to the score,
 * other words reduce it.
 */
function closest(words: readonly string[], page: readonly string[], about: number): Found | undefined {
  const slack = 4 + (words.length >> 2);
  const from = Math.max(0, about - slack);
  const stretch = page.slice(from, about + words.length + slack);
  const none: Likeness = { score: 0, start: 0, count: 0 };
  let best = { ...none, end: 0 };
  let above = new Array<Likeness>(stretch.length + 1).fill(none);
  for (const word of words) {
    const row = [none];
    for (const [column, other] of stretch.entries()) {
      const { score, start, count } = above[column] ?? none;
      const isSame = word === other;
      const begun = score > 0 ? start : column;
      let like = isSame
        ? { score: score + 3, start: begun, count: count + 1 }
        : { score: score - 1, start: begun, count };
      for (const candidate of [above[column + 1] ?? none, row[column] ?? none]) {
        if (candidate.score - 1 > like.score) like = { ...candidate, score: candidate.score - 1 };
      }
      row.push(like.score > 0 ? like : none);
      if (like.score > best.score) best = { ...like, end: column + 1 };
    }
    above = row;
  }
  const { start, end, count } = best;
  if (count < words.length * nearShare) return undefined;
  return { start: from + start, end: from + end, weight: count };
}

/** Score of a range, its start, and the number of common words. */
interface Likeness {
  readonly score: number;
  readonly start: number;
  readonly count: number;
}

/** The best sequence of candidates up to each word of the page, in a Fenwick tree. */
function createChain(wordCount: number) {
  const bests = new Array<Candidate | undefined>(wordCount + 1).fill(undefined);
  return {
    /** @returns the last candidate of the best sequence that ends at or before a word */
    best: (end: number): Candidate | undefined => {
      let best: Candidate | undefined;
      for (let index = end; index > 0; index -= index & -index) {
        if (scoreOf(bests[index]) > scoreOf(best)) best = bests[index];
      }
      return best;
    },
    add: (candidate: Candidate): void => {
      for (let index = candidate.end; index <= wordCount; index += index & -index) {
        if (candidate.score > scoreOf(bests[index])) bests[index] = candidate;
      }
    },
  };
}
