/** Sentences as Unicode finds them in a language: offsets into `text`, without the whitespace between. */
export function segmentSentences(text: string, language: string): { start: number; end: number }[] {
  const sentences: { start: number; end: number }[] = [];
  for (const { segment, index } of getSegmenter(language).segment(text)) {
    const start = index + segment.length - segment.trimStart().length;
    const end = index + segment.trimEnd().length;
    if (end > start) sentences.push({ start, end });
  }
  return sentences;
}

/** Making one takes longer than a paragraph's sentences. */
const segmenters = new Map<string, Intl.Segmenter>();
const MAX_SEGMENTERS = 50;

function getSegmenter(language: string): Intl.Segmenter {
  const known = segmenters.get(language);
  if (known) return known;
  if (segmenters.size >= MAX_SEGMENTERS) segmenters.clear();
  const segmenter = new Intl.Segmenter(resolveLocale(language), { granularity: 'sentence' });
  segmenters.set(language, segmenter);
  return segmenter;
}

function resolveLocale(language: string): string {
  try {
    return Intl.Segmenter.supportedLocalesOf([language])[0] ?? 'en';
  } catch {
    return 'en';
  }
}
