import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AppError } from '../../errors.ts';

/** @returns the Ed25519 signature of some bytes, base64. @param keyFile a private key as PEM (PKCS #8) */
export function signBytes(bytes: Uint8Array, keyFile: string): string {
  const key = readKey(keyFile, 'private', createPrivateKey);
  return sign(null, bytes, key).toString('base64');
}

/**
 * @param signature base64, as it stands in a bundle
 * @param keyFiles public keys as PEM, each of which will do
 */
export function isSignedBy(
  bytes: Uint8Array,
  signature: string,
  keyFiles: readonly string[],
): boolean {
  const raw = Buffer.from(signature.trim(), 'base64');
  return keyFiles
    .map((keyFile) => readKey(keyFile, 'public', createPublicKey))
    .some((key) => verify(null, bytes, key, raw));
}

function readKey(
  path: string,
  kind: 'private' | 'public',
  parse: (pem: string) => KeyObject,
): KeyObject {
  const refused = (): AppError =>
    new AppError('operation_failed', `${path} is no Ed25519 ${kind} key (PEM)`);
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch {
    throw new AppError('operation_failed', `The key ${path} cannot be read`);
  }
  // A private key holds the public one, but has no place where signatures are only checked.
  if (!pem.includes(`${kind.toUpperCase()} KEY-----`)) throw refused();
  try {
    const key = parse(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    throw refused();
  }
  throw refused();
}
