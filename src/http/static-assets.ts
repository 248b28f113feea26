import { hash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { htmlResponse } from './html.ts';

/** A file that does not change while the server runs. */
export interface Asset {
  readonly content: string | Uint8Array<ArrayBuffer>;
  readonly type: string;
}

interface EncodedAsset {
  readonly etag: string;
  /** Undefined if it is hardly smaller, as of fonts and pictures. */
  readonly compressed: Uint8Array<ArrayBuffer> | undefined;
}

/** Compressed once, at the highest level. */
const gzipOptions = { level: 12, library: 'libdeflate' } as const;
const encodedAssets = new WeakMap<Asset, EncodedAsset>();

/**
 * Compressed if the client accepts it; 304 if the client has it.
 * @param cacheControl default: revalidate, as its URL is the same in every version
 */
export function assetResponse(request: Request, asset: Asset, cacheControl = 'no-cache'): Response {
  const { etag, compressed } = encodedAssets.getOrInsertComputed(asset, encodeAsset);
  const headers = {
    'content-type': asset.type,
    'x-content-type-options': 'nosniff',
    'cache-control': cacheControl,
    vary: 'Accept-Encoding',
    etag,
  };
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers });
  if (compressed === undefined || !acceptsGzip(request)) return new Response(asset.content, { headers });
  return new Response(compressed, { headers: { ...headers, 'content-encoding': 'gzip' } });
}

/** As `assetResponse`, for an HTML page: with the headers of `htmlResponse`. */
export function pageResponse(request: Request, page: Asset): Response {
  const response = assetResponse(request, page);
  for (const [name, value] of htmlResponse('').headers) response.headers.set(name, value);
  return response;
}

function encodeAsset({ content }: Asset): EncodedAsset {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22);
  const gzip = Bun.gzipSync(bytes, gzipOptions);
  return { etag: `W/"${hash}"`, compressed: gzip.length < 0.9 * bytes.length ? gzip : undefined };
}

export function acceptsGzip(request: Request): boolean {
  const accepted = request.headers.get('accept-encoding') ?? '';
  return /(^|[\s,])gzip\s*(?!\s*;\s*q=0(\.0*)?\s*(,|$))(;|,|$)/i.test(accepted);
}

/** JSON for polling clients: 304 while it is unchanged. */
export function conditionalJsonResponse(request: Request, body: unknown, cacheControl: string): Response {
  const text = JSON.stringify(body);
  const etag = `"${hash('sha1', text, 'base64url')}"`;
  const headers = {
    etag,
    'cache-control': cacheControl,
    'content-type': 'application/json',
  };
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers });
}

/**
 * Evaluates `If-None-Match`, else `If-Modified-Since`.
 * @param etag with its quotes
 */
export function isNotModified(request: Request, etag: string, lastModified?: Date): boolean {
  const noneMatch = request.headers.get('if-none-match');
  if (noneMatch !== null) {
    const etags = noneMatch.split(',').map((part) => part.trim().replace(/^W\//, ''));
    return etags.includes('*') || etags.includes(etag.replace(/^W\//, ''));
  }
  const since = request.headers.get('if-modified-since');
  if (since === null || lastModified === undefined) return false;
  return truncateToSeconds(lastModified.getTime()) <= Date.parse(since);
}

/** Evaluates `If-Range`; true without the header. */
export function allowsRange(request: Request, etag: string, lastModified: Date): boolean {
  const condition = request.headers.get('if-range')?.trim();
  if (condition === undefined) return true;
  if (condition.includes('"')) return condition === etag;
  return truncateToSeconds(lastModified.getTime()) === Date.parse(condition);
}

function truncateToSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** A requested range of bytes. */
export type ByteRange = { start: number; end: number } | 'whole' | 'unsatisfiable';

/**
 * Parses a `Range` header with one range; several ranges or another unit get the whole, as RFC 9110 allows.
 * @param byteCount length of the file
 * @returns `end` exclusive
 */
export function parseByteRange(header: string | null, byteCount: number): ByteRange {
  const [, first, last] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole';
  if (first === '') {
    const suffix = Number(last);
    if (suffix === 0 || byteCount === 0) return 'unsatisfiable';
    return { start: Math.max(0, byteCount - suffix), end: byteCount };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= byteCount) return 'unsatisfiable';
  return { start, end: last === '' ? byteCount : Math.min(Number(last) + 1, byteCount) };
}

/** The content of a response that is an MP3, for its endpoint spec. */
export const mp3Content = { type: 'audio/mpeg', schema: Type.String({ format: 'binary' }) };

export function mp3Response(bytes: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(bytes, {
    headers: { 'content-type': mp3Content.type, 'content-length': String(bytes.byteLength), ...headers },
  });
}
