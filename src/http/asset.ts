import { acceptsGzip } from './accepts-gzip.ts';
import { isNotModified } from './conditional.ts';

/** A file that stays as it is while the server runs. */
export interface Asset {
  readonly content: string | Uint8Array<ArrayBuffer>;
  /** Content type. */
  readonly type: string;
}

interface Prepared {
  readonly etag: string;
  readonly compressed: Uint8Array<ArrayBuffer>;
}

/** Compressed once and sent to every reader: as small as it gets, however long it takes. */
const smallest = { level: 12, library: 'libdeflate' } as const;
const prepared = new WeakMap<Asset, Prepared>();

/**
 * Compressed for whoever takes that, 304 for whoever has it.
 * @param cacheControl asked for anew each time by default: its address stays when the program changes
 */
export function assetAnswer(request: Request, asset: Asset, cacheControl = 'no-cache'): Response {
  const { etag, compressed } = preparedOf(asset);
  const headers = {
    'content-type': asset.type,
    'x-content-type-options': 'nosniff',
    'cache-control': cacheControl,
    vary: 'Accept-Encoding',
    etag,
  };
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers });
  if (!acceptsGzip(request)) return new Response(asset.content, { headers });
  return new Response(compressed, { headers: { ...headers, 'content-encoding': 'gzip' } });
}

function preparedOf(asset: Asset): Prepared {
  const known = prepared.get(asset);
  if (known !== undefined) return known;
  const bytes =
    typeof asset.content === 'string' ? new TextEncoder().encode(asset.content) : asset.content;
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22);
  const made = { etag: `W/"${hash}"`, compressed: Bun.gzipSync(bytes, smallest) };
  prepared.set(asset, made);
  return made;
}
