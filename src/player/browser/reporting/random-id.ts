const byteCount = 16;

/** @returns 128 random bits; `crypto.randomUUID` is missing on pages without https */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(byteCount));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
