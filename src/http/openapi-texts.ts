/** What the document says before the first operation. */
export const introduction = `Lectern turns written posts into spoken audio: hand a post in, ask for its status about every three seconds until
that is \`ready\` or \`failed\`, then play the MP3 that \`audio_url\` names.

Every JSON answer is an envelope: \`{"success": true, "message", "data"}\`, or \`{"success": false, "message", "errors"}\` where
\`errors\`, if there, maps a field to a list of what is wrong with it. Every answer carries \`X-Request-Id\`, which stands in the
server's log too. Unknown members of a request are ignored; timestamps are ISO 8601 in UTC. A path that doesn't exist is
answered with 404, a wrong method with 405 and \`Allow\`, both in the envelope.

The rate headers stand on every answer given at or after the rate check. After a 429 wait as long as \`Retry-After\` says.`;

/** The parts of the API, in the order in which they are shown. */
export const tags: Readonly<Record<string, string>> = {
  Audio:
    'Hand posts in, ask how far they are, take them back. With a key of the site, from servers only.',
  Public: 'What pages and players ask, by a domain of the site. Answers carry CORS headers.',
  Media: 'MP3s and their timings. Their addresses can’t be guessed and need nothing else.',
  Events: 'What listeners do.',
  Voices: 'Installed voices.',
  Session: 'Signing in and out of the dashboard.',
  Sites: 'Sites, their plans and subscriptions.',
  Domains: 'Host names of a site: pages there may play its audio.',
  Keys: 'API keys of a site. A key is shown once, when it is made.',
  Posts: 'The posts of a site, as its dashboard shows them.',
  Sources: 'Feeds whose new items become posts of a site.',
  System: 'The queue and the installation, for admins.',
  Pronunciations: 'How a site has words pronounced.',
  Analytics: 'What listeners of a site did, and what its keys asked.',
  Webhooks: 'Where a site is told of its audio, and what was delivered.',
  Users: 'Who may sign in, with a part in which site; the audit log.',
  Operation: 'Whether the server is well; its description.',
};

/** How callers show who they are. */
export const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'A key of the site, `svc_live_…`. From servers only, never in a browser.',
  },
  bearerKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The same key, as clients of OpenAI send theirs; `X-API-Key` counts where both are there.',
  },
  bearerSession: {
    type: 'http',
    scheme: 'bearer',
    description: 'The `token` of a sign-in.',
  },
  cookieSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'lectern_session',
    description: 'Set by a sign-in; browsers send it by themselves.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description:
      'The `csrf_token` of a sign-in; needed beside the cookie by whatever changes something.',
  },
};

/** Headers of answers. */
export const sharedHeaders = {
  'X-Request-Id': {
    description: 'Names the request; in the server’s log too',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: '0b8f3c1e-5b0e-4f43-9a43-0a4f3f1c2d11',
  },
  'X-RateLimit-Limit': {
    description: 'Requests allowed in 60 s',
    schema: { type: 'integer', minimum: 1 },
    example: 60,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in this window',
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  'Retry-After': {
    description: 'Whole seconds to wait',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  ETag: {
    description: 'For `If-None-Match`',
    required: true,
    schema: { type: 'string' },
    example: '"nM9oR0hXn8l1qkGqO5Zc6dT0G9s"',
  },
};
