/** @returns a value of a request's query, unchecked; the last one when it is given several times */
export function queryValue(request: Request, name: string): string | undefined {
  return new URL(request.url).searchParams.getAll(name).at(-1);
}
