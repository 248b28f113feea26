/** @returns the host of a URL, as copied from a browser; other text unchanged */
export function extractHost(given: string): string {
  return /^https?:\/\//i.test(given) ? (URL.parse(given)?.hostname ?? given) : given;
}
