/** @returns the token that a request shows as `Authorization: Bearer`; undefined without one */
export function bearerOf(request: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}
