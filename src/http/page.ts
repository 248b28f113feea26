/** @returns path part of the address that clients see, without a slash at the end */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

const ownPage = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  // What was just made can be heard.
  'media-src': "'self' blob:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

/**
 * A page of ours: it loads nothing from elsewhere, and no script or style that stands in the page itself.
 * @param policy what its Content-Security-Policy has otherwise, null for a rule that it doesn't have
 */
export function pageAnswer(
  html: string,
  policy: Readonly<Record<string, string | null>> = {},
): Response {
  const rules = Object.entries({ ...ownPage, ...policy }).filter(([, value]) => value !== null);
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': rules.map((rule) => rule.join(' ')).join('; '),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    },
  });
}
