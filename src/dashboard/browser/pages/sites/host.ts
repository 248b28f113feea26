/** @returns the host of a whole address, which is what one copies out of a browser; anything else as it is */
export function extractHost(given: string): string {
  return /^https?:\/\//i.test(given) ? (URL.parse(given)?.hostname ?? given) : given;
}
