import { createHash } from 'node:crypto';
import type { Certificate, CertificateResponse } from '../../src/audio/certificate/schema.ts';
import type { AudioRecord, Timings } from '../../src/audio/schema.ts';
import { type Decoded, decodeMp3 } from '../fixtures/decode.ts';
import { defaultVoice } from '../fixtures/default-voice.ts';
import { planPost, readSymbols, toSymbols } from '../fixtures/post.ts';
import type { HonestArticle } from './articles.ts';
import type { HonestClient, HonestResponse } from './honest-client.ts';

/** Durations of MP3 and timings are whole milliseconds, rounded separately. */
const durationToleranceMs = 2;
const toneVoiceName = 'Bell';

/**
 * Fetches all files of a ready audio, and compares them with the article and with each other.
 * @returns the problem; undefined: none, or the audio has changed meanwhile, or there was no response
 */
export async function findAudioProblems(
  client: HonestClient,
  record: AudioRecord,
  article: HonestArticle,
): Promise<string[] | undefined> {
  const media = new URL(record.audio_url ?? 'http://missing').pathname;
  const postPath = `/v1/audio/${encodeURIComponent(record.post_id)}`;
  const request = (kind: string, path: string, expected: readonly number[], headers: Record<string, string> = {}) =>
    client.request({ kind, path, headers, expected });
  const certified = await request('certificate', `${postPath}/certificate?language=${record.language}`, [200, 404]);
  const mp3 = await request('MP3', media, [200, 404, 410]);
  const timed = await request('timings', media.replace(/mp3$/, 'json'), [200, 404, 410]);
  if (certified?.status !== 200 || mp3?.status !== 200 || timed?.status !== 200) return undefined;
  const { certificate } = certified.data<CertificateResponse>();
  const etag = mp3.headers.get('etag') ?? '';
  const cached = await request('MP3, unchanged', media, [304, 404, 410], { 'if-none-match': etag });
  const start = Math.floor(mp3.bytes.length / 3);
  const range = await request('MP3, range', media, [206, 404, 410], { range: `bytes=${start}-${start + 999}` });
  if (cached?.status !== 304 || range?.status !== 206) return undefined;

  const timings = JSON.parse(new TextDecoder().decode(timed.bytes)) as Timings;
  const decoded = await decodeMp3(mp3.bytes);
  const { samples, sampleRateHz, warnings } = decoded;
  return [
    ...findTextProblems(certificate, timings, article),
    ...findFrameProblems(certificate, mp3),
    ...findDurationProblems(record, certificate, timings, (samples.length * 1_000) / sampleRateHz),
    ...(await findSoundProblems(certificate, decoded, article)),
    ...(warnings === '' ? [] : [`the MP3 is damaged: ${warnings}`]),
    ...(etag === `"${media.split('/').at(-1)}"` ? [] : [`ETag ${etag} of ${media}`]),
    ...(Buffer.compare(range.bytes, mp3.bytes.subarray(start, start + 1_000)) === 0 ? [] : ['a range differs']),
  ];
}

function findTextProblems(certificate: Certificate, timings: Timings, article: HonestArticle): string[] {
  const expected = { title: article.title, content: article.content };
  const sources = Object.fromEntries(certificate.source.map(({ field, sha256 }) => [field, sha256]));
  const differing = Object.entries(expected).filter(([field, text]) => sources[field] !== computeSha256(text));
  const spokenText = timings.segments.map(({ text }) => text ?? '').join('');
  const { kept_characters, spoken_characters } = certificate.coverage;
  return [
    ...differing.map(([field]) => `the certificate is of another ${field}`),
    ...(squeeze(spokenText) === squeeze(article.sentences.join('')) ? [] : [`says "${spokenText.slice(0, 200)}"`]),
    ...(certificate.left_out.length === 0 ? [] : [`leaves out ${JSON.stringify(certificate.left_out)}`]),
    ...(kept_characters === spoken_characters ? [] : [`says ${spoken_characters} of ${kept_characters} characters`]),
  ];
}

/** Checks that the MP3 ends with the frames of the certified segments, in order. */
function findFrameProblems({ segments, sound }: Certificate, { bytes, headers }: HonestResponse): string[] {
  const problems: string[] = [];
  let at = bytes.length - sound.bytes;
  for (const { index, bytes: length, sha256 } of segments) {
    if (computeSha256(bytes.subarray(at, at + length)) !== sha256)
      problems.push(`the frames of segment ${index} differ`);
    at += length;
  }
  if (at !== bytes.length) problems.push(`the segments have ${at} of ${bytes.length} bytes`);
  // On a full disk it is sent in chunks.
  const contentLength = Number(headers.get('content-length') ?? bytes.length);
  if (contentLength !== bytes.length) problems.push(`Content-Length is ${contentLength}, of ${bytes.length} bytes`);
  return problems;
}

function findDurationProblems(
  { duration_seconds }: AudioRecord,
  { sound: { duration_ms } }: Certificate,
  { segments }: Timings,
  decodedMs: number,
): string[] {
  const timedMs = segments.at(-1)?.end_ms ?? 0;
  const isOff = (ms: number): boolean => Math.abs(ms - duration_ms) > durationToleranceMs;
  return [
    ...(isOff(decodedMs) ? [`lasts ${decodedMs} ms, certified are ${duration_ms}`] : []),
    ...(isOff(timedMs) ? [`timings end at ${timedMs} ms, certified are ${duration_ms}`] : []),
    ...(duration_seconds === Math.round(duration_ms / 1_000) ? [] : [`duration_seconds is ${duration_seconds}`]),
  ];
}

/** The default voice plays a tone for each phoneme, so that the audio can be compared with the text. */
async function findSoundProblems(
  { voices }: Certificate,
  decoded: Decoded,
  { title, content }: HonestArticle,
): Promise<string[]> {
  const config = defaultVoice.config ?? '';
  if (voices.some(({ name }) => name !== toneVoiceName)) return [];
  const segments = await planPost({ title, content }, config);
  const expected = segments.flatMap(({ ids }) => toSymbols(ids, config)).join('');
  const actual = readSymbols(decoded);
  return actual === expected ? [] : [`sounds as ${actual.slice(0, 200)} instead of ${expected.slice(0, 200)}`];
}

function computeSha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function squeeze(text: string): string {
  return text.replace(/\s/g, '');
}
