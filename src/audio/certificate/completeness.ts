import type { SourceSpan } from '../../speech/document/block.ts';
import { samplesPerFrame } from '../../speech/mp3.ts';
import { durationProblem } from '../../speech/plausible.ts';
import { textSum } from '../../speech/text-sum.ts';
import type { Provenance } from './schema.ts';
import type { CertifiedRow } from './store.ts';

const heardInOrder: readonly SourceSpan['field'][] = [
  'intro',
  'title',
  'content',
  'outro',
  'disclosure',
];

/**
 * Whether the segments of a version say all that the reader of its text kept: each character in exactly one of them, in
 * order, none too short or too long for its phonemes.
 * @returns what is wrong, each a plain phrase; nothing for a whole audio
 */
export function incompleteness(
  { speed, coverage }: Pick<Provenance, 'speed' | 'coverage'>,
  rows: readonly CertifiedRow[],
  sampleRateHz: number,
): string[] {
  const problems = rows.flatMap((row, index) => {
    const name = `segment ${index}`;
    const found = [
      placeProblem(row, index, rows[index - 1]),
      soundProblem(row, speed, sampleRateHz),
    ];
    return found.flatMap((problem) => (problem === undefined ? [] : [`${name} ${problem}`]));
  });
  const spoken = textSum(rows.map(({ text }) => text));
  if (spoken.characters !== coverage.spoken_characters) {
    problems.push(
      `${spoken.characters} characters are in its segments, ${coverage.spoken_characters} are to be spoken`,
    );
  } else if (spoken.sha256 !== coverage.spoken_sha256) {
    problems.push('the words of its segments are not those of the text');
  }
  return problems;
}

function placeProblem(
  row: CertifiedRow,
  index: number,
  before: CertifiedRow | undefined,
): string | undefined {
  if (row.position !== index) return `stands in place ${row.position}`;
  if (row.source_start > row.source_end) return 'ends before it begins';
  if (before === undefined) return undefined;
  const [here, earlier] = [row, before].map((one) => heardInOrder.indexOf(one.source_field));
  if ((here ?? 0) < (earlier ?? 0)) return `is of the ${row.source_field}, which was read before`;
  const overlaps = here === earlier && row.source_start < before.source_end;
  return overlaps ? 'reads again what the one before has read' : undefined;
}

function soundProblem(row: CertifiedRow, speed: number, sampleRateHz: number): string | undefined {
  const { frame_count, byte_count, speech_ms, phoneme_count } = row;
  if (frame_count === null || byte_count === null || speech_ms === null) return 'is missing';
  if (phoneme_count === null || row.frames_sha256 === null) return 'is of an older program';
  if (phoneme_count === 0) return 'has nothing to hear';
  const problem = durationProblem(speech_ms, phoneme_count, speed);
  if (problem !== undefined) return `is too ${problem} to be whole`;
  const soundMs = (frame_count * samplesPerFrame(sampleRateHz) * 1000) / sampleRateHz;
  return soundMs < speech_ms ? 'ends before its speech does' : undefined;
}
