/** How far two pronunciations are apart: from 1 on they differ in a consonant, a stressed vowel, or the stress and a vowel beside it. */

interface Sound {
  readonly symbol: string;
  readonly isStressed: boolean;
}

const vowels = 'aeiouæɑəɛɪʊ';
const weakVowels = 'əɪiɛʊ';
const weights = { weakVowel: 0.1, unstressedVowel: 0.3, stressedVowel: 0.6, consonant: 1, kind: 2, stress: 0.35 };

/** Weighted edit distance that ignores length, secondary stress and accents. */
export function measureDistance(left: string, right: string): number {
  const [rows, columns] = [readSounds(left), readSounds(right)];
  let above = [0];
  for (const [index, column] of columns.entries()) above.push((above[index] ?? 0) + deletionCost(column));
  for (const row of rows) {
    const current = [(above[0] ?? 0) + deletionCost(row)];
    for (const [index, column] of columns.entries()) {
      const substituted = (above[index] ?? 0) + substitutionCost(row, column);
      const dropped = (above[index + 1] ?? 0) + deletionCost(row);
      current.push(Math.min(substituted, dropped, (current[index] ?? 0) + deletionCost(column)));
    }
    above = current;
  }
  return above.at(-1) ?? 0;
}

function readSounds(phonemes: string): Sound[] {
  const plain = phonemes
    .replace(/[\s_ːˌ.,;:!?]/gu, '')
    .replace(/[ɐʌ]/g, 'ə')
    .replace(/[ɔɒ]/g, 'ɑ')
    .replaceAll('ɾ', 't')
    .replace(/ŋ(?=ˈ?[kɡ])/g, 'n')
    .replaceAll('oɹ', 'ɑɹ')
    .replaceAll('ᵻ', 'ɪ')
    .replace(/ɚ|ɜɹ?/g, 'əɹ');
  const sounds: Sound[] = [];
  let isStressed = false;
  for (const symbol of plain) {
    if (symbol !== 'ˈ') sounds.push({ symbol, isStressed });
    isStressed = symbol === 'ˈ';
  }
  return sounds;
}

/** "ROO-tyah" and "ROO-tee-ah" are accents of each other. */
function isGlidePair(left: Sound, right: Sound): boolean {
  const pair = [left, right].map(({ symbol, isStressed }) => (isStressed ? '' : symbol)).join('');
  return /^(?:j[iɪ]|[iɪ]j|w[uʊ]|[uʊ]w)$/.test(pair);
}

function deletionCost({ symbol, isStressed }: Sound): number {
  return vowels.includes(symbol) && !isStressed ? 0.5 : 1;
}

function substitutionCost(left: Sound, right: Sound): number {
  const stress = left.isStressed === right.isStressed ? 0 : weights.stress;
  if (left.symbol === right.symbol) return stress;
  const areVowels = [left, right].map(({ symbol }) => vowels.includes(symbol));
  if (areVowels[0] !== areVowels[1]) return (isGlidePair(left, right) ? weights.weakVowel : weights.kind) + stress;
  if (!areVowels[0]) return weights.consonant + stress;
  if (left.isStressed || right.isStressed) return weights.stressedVowel + stress;
  const areWeak = [left, right].every(({ symbol }) => weakVowels.includes(symbol));
  return areWeak ? weights.weakVowel : weights.unstressedVowel;
}
