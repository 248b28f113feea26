import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks allows 24 to 64. */
const secretByteCount = 32;
const secretStart = 'whsec_';

/** @returns a fresh signing secret, `whsec_` and base64 */
export function newSecret(): string {
  return secretStart + randomBytes(secretByteCount).toString('base64');
}

/** What a message is signed with. */
export interface SigningSecrets {
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_secret_until: string | null;
}

/**
 * The headers of Standard Webhooks. For a day after a rotation there are two signatures, so that a receiver may change its secret
 * at any moment of it.
 * @param at moment of this attempt: receivers refuse what is older than a few minutes
 */
export function signatureHeaders(
  secrets: SigningSecrets,
  messageId: string,
  body: string,
  at: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signed = `${messageId}.${timestamp}.${body}`;
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secretsInForce(secrets, at)
      .map((secret) => signature(secret, signed))
      .join(' '),
  };
}

function secretsInForce(secrets: SigningSecrets, at: Date): string[] {
  const { secret, previous_secret: previous, previous_secret_until: until } = secrets;
  const isPreviousInForce = previous !== null && until !== null && at.toISOString() < until;
  return isPreviousInForce ? [secret, previous] : [secret];
}

function signature(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(secretStart.length), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
