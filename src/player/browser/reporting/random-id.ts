const byteCount = 16;

/** @returns 128 random bits; `crypto.randomUUID` needs HTTPS */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(byteCount));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
