/** Polls have none, mostly, and an address is dear to take apart. */
const none = new URLSearchParams();

/** @returns what stands behind the `?` of a request's address */
export function queryOf({ url }: Request): URLSearchParams {
  const start = url.indexOf('?');
  return start === -1 ? none : new URLSearchParams(url.slice(start));
}

/** @returns a value of a request's query, unchecked; the last one when it is given several times */
export function queryValue(request: Request, name: string): string | undefined {
  return queryOf(request).getAll(name).at(-1);
}
