import type { Priority } from '../database/tables.ts';
import { AppError, type FieldErrors } from '../errors.ts';
import { primaryLanguage } from '../http/language-code.ts';
import { readTimestamp } from '../http/timestamp.ts';
import { problemsOf } from '../http/validate.ts';
import { GenerateBody } from './schema.ts';

/** A generate request that has passed every check that needs no database. */
export interface GenerateRequest {
  readonly postId: string;
  readonly content: string;
  readonly title: string | null;
  readonly post: PostFacts;
  readonly voiceId: number | null;
  /** BCP 47 primary code. */
  readonly language: string | null;
  /** Null where the request says nothing of it. */
  readonly priority: Priority | null;
}

/** What a request says of the post itself; what it doesn't name stays as it was. */
interface PostFacts {
  readonly url?: string | null;
  readonly publish_at?: string | null;
  readonly visibility?: 'public' | 'private';
}

/**
 * @param body the parsed JSON body
 * @param contentLengthMax longest content, in code points
 * @throws AppError `validation_failed` naming every field that is wrong
 */
export function readGenerateRequest(body: unknown, contentLengthMax: number): GenerateRequest {
  const errors = new Problems(problemsOf(GenerateBody, body));
  const typed = wellTyped(body, errors);
  const { post_id: postId, content } = typed;

  if (postId !== undefined) errors.check('post_id', postIdProblem(postId));
  if (content !== undefined && content.length > contentLengthMax) {
    errors.check('content', lengthProblem(content, contentLengthMax));
  }
  const title = emptyToNull(typed.post_title);
  const url = emptyToNull(typed.post_url);
  if (url !== null) errors.check('post_url', urlProblem(url));
  const language = typed.language == null ? null : primaryLanguage(typed.language);
  if (language === undefined) errors.check('language', 'must be a language code like en or de');
  const publishAt = typed.publish_at == null ? null : readTimestamp(typed.publish_at);
  if (publishAt === undefined) errors.check('publish_at', 'must be an ISO 8601 date and time');
  if (!errors.none || postId === undefined || content === undefined) throw errors.toError();

  return {
    postId,
    content,
    title,
    post: {
      ...(typed.post_url !== undefined && { url }),
      ...(typed.publish_at !== undefined && { publish_at: publishAt ?? null }),
      ...(typed.visibility != null && { visibility: typed.visibility }),
    },
    voiceId: typed.voice_id ?? null,
    language: language ?? null,
    priority: typed.priority ?? null,
  };
}

class Problems {
  readonly #fields: FieldErrors;

  constructor(found: FieldErrors) {
    this.#fields = found;
  }

  has(field: string): boolean {
    return this.#fields[field] !== undefined;
  }

  get none(): boolean {
    return Object.keys(this.#fields).length === 0;
  }

  check(field: string, problem: string | undefined): void {
    if (problem === undefined) return;
    const known = this.#fields[field];
    if (known === undefined) this.#fields[field] = [problem];
    else if (!known.includes(problem)) known.push(problem);
  }

  toError(): AppError {
    return new AppError('validation_failed', 'Validation failed', this.#fields);
  }
}

/** @returns the members that nothing was found wrong with */
function wellTyped(body: unknown, errors: Problems): Partial<GenerateBody> {
  if (errors.has('body')) return {};
  return Object.fromEntries(
    Object.entries(body as GenerateBody).filter(([field]) => !errors.has(field)),
  );
}

/** Client ids hold `/`, `:` and spaces; what can't be printed or means a folder in a path is refused. */
function postIdProblem(postId: string): string | undefined {
  if (postId === '.' || postId === '..') return 'must not be . or ..';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(postId) || !postId.isWellFormed()) {
    return 'must hold printable characters only';
  }
  return postId.trim() === '' ? 'must not be blank' : undefined;
}

/** @returns what is wrong with a text of more code points than allowed */
export function lengthProblem(text: string, max: number): string | undefined {
  // Counting code points walks the string; its UTF-16 length settles most cases.
  const length = text.length > 2 * max ? text.length : codePointCount(text);
  if (length > max) return `must be at most ${max} characters`;
  return undefined;
}

function codePointCount(text: string): number {
  let count = text.length;
  for (let index = 0; index + 1 < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next >= 0xdc00 && next <= 0xdfff) count -= 1;
  }
  return count;
}

/** @returns what is wrong with the address of a post */
export function urlProblem(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return 'must be an http(s) URL';
  // Feeds and players show it to everyone.
  if (parsed.username !== '' || parsed.password !== '') {
    return 'must hold no user name or password';
  }
  return undefined;
}

function emptyToNull(given: string | null | undefined): string | null {
  return given === undefined || given === null || given.trim() === '' ? null : given;
}
