/**
 * The minimal cost of sending an MP3: Bun's server and a file, complete, as a range, or as 304.
 * Arguments: the file, its ETag.
 */
const [path = '', etag = ''] = process.argv.slice(2);
const file = Bun.file(path);
const headers = { etag, 'content-type': 'audio/mpeg', 'accept-ranges': 'bytes' };
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: (request) => {
    if (request.headers.get('if-none-match') === etag) {
      return new Response(null, { status: 304, headers });
    }
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? [];
    if (first === undefined || last === undefined) return new Response(file, { headers });
    return new Response(file.slice(Number(first), Number(last) + 1), {
      status: 206,
      headers: { ...headers, 'content-range': `bytes ${first}-${last}/${file.size}` },
    });
  },
});
process.stdout.write(`${server.url.origin}\n`);
