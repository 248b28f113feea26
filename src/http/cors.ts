import { requestContext } from './request-context.ts';

/** Lets the scripts of any page read the answer, whatever it becomes. */
export function allowAnyOrigin(request: Request): void {
  requestContext(request).responseHeaders['access-control-allow-origin'] = '*';
}

/** Answers the question that browsers ask before a conditional request to another origin: yes. */
export function preflightAnyOrigin(request: Request): Response {
  allowAnyOrigin(request);
  return new Response(null, {
    status: 204,
    headers: {
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'If-None-Match, If-Modified-Since',
      'access-control-max-age': '86400',
    },
  });
}
