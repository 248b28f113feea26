import { createHash } from 'node:crypto';
import type { HostilePost, HostileSite } from './ledger.ts';
import type { Random } from './random.ts';
import type { CampaignRecord } from './record.ts';

interface HostileText {
  readonly kind: string;
  write(random: Random): string;
  /** Permitted error of the post; without it the post must become ready. */
  readonly mayFail?: RegExp;
}

const noText = /no speakable text/;
/** A text that needs far more work than an article. */
const tooHard = /time limit|CPU|was stopped|crashed|Text extraction failed/;
/** The selectors of the site are hostile, too. */
const hostileSelectors = /CSS selectors of the site/;
const plain = '<p>The rest of the page is as plain as can be, and says so.</p>';

function createHashText(random: Random, algorithm: 'sha256' | 'sha512', encoding: 'hex' | 'base64'): string {
  return createHash(algorithm)
    .update(String(random.between(0, 1)))
    .digest(encoding);
}

function repeat(text: string, random: Random, max: number): string {
  return text.repeat(random.integer(max / 10, max));
}

/** Texts that once caused a bug, and similar ones. */
const hostileTexts: readonly [HostileText, ...HostileText[]] = [
  {
    kind: 'SHA-256',
    write: (random) => `<p>The checksum is ${createHashText(random, 'sha256', 'hex')} today.</p>${plain}`,
  },
  { kind: 'SHA-512', write: (random) => `<p>Or ${createHashText(random, 'sha512', 'base64')} even.</p>${plain}` },
  { kind: 'capitals', write: (random) => `<p>${repeat('XQZWKJH', random, 60)}</p>${plain}` },
  { kind: 'digits and letters', write: (random) => `<p>${repeat('1a2b3c4d5e6f', random, 300)}</p>${plain}` },
  { kind: 'Chinese', write: (random) => `<p>${repeat('中文報紙新聞', random, 60)}</p>${plain}`, mayFail: noText },
  { kind: 'only Chinese', write: (random) => `<p>${repeat('中文報紙新聞', random, 600)}</p>`, mayFail: /./ },
  { kind: 'Arabic', write: (random) => `<p>${repeat('صحيفة ', random, 400)}</p>${plain}`, mayFail: noText },
  { kind: 'Thai', write: (random) => `<p>${repeat('หนังสือพิมพ์', random, 100)}</p>${plain}`, mayFail: noText },
  { kind: 'emoji', write: (random) => repeat('🙂🧨', random, 3_000).padEnd(60, '🙂'), mayFail: noText },
  { kind: 'combining marks', write: (random) => `<p>A${repeat('\u0301', random, 20_000)}</p>${plain}` },
  { kind: 'direction marks', write: (random) => `<p>${repeat('\u202eabc\u2066', random, 2_000)}</p>${plain}` },
  { kind: 'nested elements', write: (random) => `${repeat('<div><p>', random, 20_000)}deep${plain}` },
  { kind: 'nested lists', write: (random) => `${repeat('<ul><li>', random, 5_000)}deep${plain}` },
  { kind: 'nested tables', write: (random) => `${repeat('<table><tr><td>', random, 3_000)}deep${plain}` },
  { kind: 'open brackets', write: (random) => `<p>${repeat('<', random, 50_000)}</p>${plain}`, mayFail: noText },
  { kind: 'entities', write: (random) => `<p>${repeat('&amp;&#x41;', random, 20_000)}</p>${plain}`, mayFail: tooHard },
  { kind: 'attributes', write: (random) => `<p q="${repeat('x ', random, 200_000)}">One.</p>${plain}` },
  { kind: 'tiny paragraphs', write: (random) => `${repeat('<p>bab</p>', random, 300)}${plain}` },
  { kind: 'abbreviations', write: (random) => `<p>${repeat('Dr. St. No. 1. ', random, 400)}</p>${plain}` },
  { kind: 'numbers', write: (random) => `<p>${repeat('9'.repeat(40), random, 60)}</p>${plain}` },
  { kind: 'unclosed comment', write: (random) => `${plain}<!-- ${repeat('--', random, 50_000)}` },
  { kind: 'unclosed script', write: (random) => `${plain}<script>${repeat('</scrip', random, 20_000)}` },
];

export interface HostilePosterOptions {
  readonly url: () => string;
  readonly site: HostileSite;
  readonly record: CampaignRecord;
  readonly random: Random;
  readonly isOver: () => boolean;
}

const maxUnfinishedPosts = 4;
const maxPauseMs = 4_000;
const requestTimeoutMs = 60_000;

/** Submits hostile texts to a site. Accepted ones are added to the ledger. */
export async function runHostilePoster(options: HostilePosterOptions): Promise<void> {
  const { random, isOver } = options;
  const unfinished = new Set<string>();
  for (let number = 1; !isOver(); number += 1) {
    if (unfinished.size < maxUnfinishedPosts) {
      const postId = `hostile-${number}`;
      if (await submit(options, postId, random.pick(hostileTexts))) unfinished.add(postId);
    }
    for (const postId of unfinished) {
      if ((await findHostileStatus(options, postId))?.isFinished === true) unfinished.delete(postId);
    }
    await Bun.sleep(random.between(0, maxPauseMs));
  }
}

async function submit(options: HostilePosterOptions, postId: string, text: HostileText): Promise<boolean> {
  const { url, site, record, random } = options;
  const body = { post_id: postId, content: text.write(random) };
  const response = await fetch(`${url()}/v1/audio/generate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': site.key },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(requestTimeoutMs),
  }).catch(() => undefined);
  // Without a response the post does not count as accepted.
  if (response?.status !== 202) return false;
  record.count('hostile posts accepted');
  site.posts.set(postId, { postId, kind: text.kind, mayFail: text.mayFail ?? null });
  return true;
}

/** @returns undefined without a response */
export async function findHostileStatus(
  { url, site: { key } }: Pick<HostilePosterOptions, 'url' | 'site'>,
  postId: string,
): Promise<{ status: string; error: string | null; isFinished: boolean } | undefined> {
  const response = await fetch(`${url()}/v1/audio/${postId}/status`, {
    headers: { 'x-api-key': key },
    signal: AbortSignal.timeout(requestTimeoutMs),
  }).catch(() => undefined);
  if (response === undefined || response.status >= 500) return undefined;
  if (response.status === 404) return { status: 'missing', error: null, isFinished: true };
  const { data } = (await response.json()) as { data: { status: string; error?: string } };
  return { status: data.status, error: data.error ?? null, isFinished: /ready|failed/.test(data.status) };
}

/** @returns the problem of the result of a hostile post */
export function findHostileProblem(post: HostilePost, status: string, error: string | null): string | undefined {
  const { postId, kind, mayFail } = post;
  if (status === 'ready') return undefined;
  if (status === 'failed' && [mayFail, hostileSelectors].some((reason) => reason?.test(error ?? ''))) return undefined;
  return `${postId} (${kind}) is ${status}: ${error}`;
}
