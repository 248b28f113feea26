/** Whether a client says that it takes an answer compressed by gzip. */
export function acceptsGzip(request: Request): boolean {
  const accepted = request.headers.get('accept-encoding') ?? '';
  return /(^|[\s,])gzip\s*(?!\s*;\s*q=0(\.0*)?\s*(,|$))(;|,|$)/i.test(accepted);
}
