/**
 * Whether a client already has what it asks for, by `If-None-Match`, else by `If-Modified-Since`.
 * @param etag with its quotes
 */
export function isNotModified(request: Request, etag: string, lastModified?: Date): boolean {
  const noneMatch = request.headers.get('if-none-match');
  if (noneMatch !== null) {
    const given = noneMatch.split(',').map((one) => one.trim().replace(/^W\//, ''));
    return given.includes('*') || given.includes(etag.replace(/^W\//, ''));
  }
  const since = request.headers.get('if-modified-since');
  if (since === null || lastModified === undefined) return false;
  return wholeSeconds(lastModified.getTime()) <= Date.parse(since);
}

/** Whether `If-Range` lets a range be answered; without the header it does. */
export function allowsRange(request: Request, etag: string, lastModified: Date): boolean {
  const condition = request.headers.get('if-range')?.trim();
  if (condition === undefined) return true;
  if (condition.includes('"')) return condition === etag;
  return wholeSeconds(lastModified.getTime()) === Date.parse(condition);
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
