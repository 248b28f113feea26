import { createHash, createHmac, randomBytes } from 'node:crypto';
import { bearerOf } from '../http/bearer.ts';

const tokenByteCount = 32;
const cookieName = 'lectern_session';
const tokenShape = /^[\w-]{43}$/;

/** @returns a secret of 256 bits, base64url */
export function createToken(): string {
  return randomBytes(tokenByteCount).toString('base64url');
}

/** @returns SHA-256 of a token, hex: the only form in which it is stored */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Derived, so that nothing more needs storing; tells nothing about the session's own token. */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('lectern csrf').digest('base64url');
}

/** The token that a request was sent with, by header or by cookie; the header counts where both are there. */
export function tokenOf(request: Request): { token: string; isCookie: boolean } | undefined {
  const bearer = bearerOf(request);
  if (bearer !== undefined) return shaped(bearer, false);
  const cookies = (request.headers.get('cookie') ?? '').split(';').map((one) => one.trim());
  const cookie = cookies.find((one) => one.startsWith(`${cookieName}=`));
  return cookie === undefined ? undefined : shaped(cookie.slice(cookieName.length + 1), true);
}

/**
 * @param baseUrl what clients see: the cookie goes there only, and only encrypted where that is https
 * @param token empty: the browser forgets the cookie
 */
export function sessionCookie(baseUrl: string, token: string, maxAgeS: number): string {
  const { protocol, pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/+$/, '') || '/';
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${cookieName}=${token}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`;
}

function shaped(token: string, isCookie: boolean) {
  return tokenShape.test(token) ? { token, isCookie } : undefined;
}
