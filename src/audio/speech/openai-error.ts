import type { ErrorAnswer } from '../../http/error-answer.ts';
import { factsOf } from '../../http/request-facts.ts';

/** Lets every error that a request is answered with say itself to clients of OpenAI, too: those read `error.message` only. */
export function answerOpenAiClients(request: Request): void {
  factsOf(request).errorMembers = ({ code, status, body }: ErrorAnswer) => {
    const fields = Object.entries(body.errors ?? {});
    const problems = fields.flatMap(([field, all]) => all.map((problem) => `${field}: ${problem}`));
    const message = [body.message, problems.join('; ')].filter((part) => part !== '').join(': ');
    return { error: { message, type: typeOf(status), param: fields[0]?.[0] ?? null, code } };
  };
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
