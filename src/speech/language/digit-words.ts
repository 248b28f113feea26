/**
 * Each digit by itself: "095" → "zero nine five". Anything that is no digit is passed over.
 * @param ones the words for 0 to 9, perhaps more behind them
 */
export function wordsOfDigits(written: string, ones: readonly string[]): string {
  return Array.from(written.replace(/\D/g, ''), (digit) => ones[Number(digit)] ?? '').join(' ');
}
