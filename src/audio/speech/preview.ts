import { batchesOf } from '../../speech/batches.ts';
import type { LeftOut } from '../../speech/document/block.ts';
import type { Alias } from '../../speech/lexicon.ts';
import type { PreviewedSentence } from '../../speech/preview.ts';
import type { Reading } from '../../speech/reading.ts';
import type { Workers } from '../../speech/workers.ts';
import type { InstalledVoice } from '../../voices/catalog.ts';
import type { Preview } from './preview-schema.ts';

/** A text, and how its site has it read. */
export interface PreviewedText {
  readonly title: string | null;
  readonly content: string;
  readonly aliases: readonly Alias[];
  readonly reading: Reading;
  /** Who would speak passages in other languages. */
  readonly foreign: readonly ForeignVoice[];
}

interface ForeignVoice {
  readonly language: string;
  readonly voice: InstalledVoice;
  readonly aliases: readonly Alias[];
}

/** What would be said of a text, without saying it. */
export async function previewText(
  ask: Workers['ask'],
  { id, files, language }: InstalledVoice,
  { title, content, aliases, reading, foreign }: PreviewedText,
): Promise<Preview> {
  const article = await ask('read', {
    ...{ title, content, language, aliases, reading, wantsUnknownWords: true },
    foreign: foreign.map((one) => ({ language: one.language, aliases: one.aliases })),
  });
  const voiceIds = new Map(foreign.map((one) => [one.language, one.voice.id]));
  const foreignFiles = foreign.map((one) => ({ language: one.language, voice: one.voice.files }));
  const sentences: PreviewedSentence[] = [];
  const leftOut = [...article.leftOut];
  const unknownSymbols = new Set<string>();
  for (const batch of batchesOf(article.sentences)) {
    const previewed = await ask('preview', {
      ...{ voice: files, sentences: batch, foreign: foreignFiles },
    });
    sentences.push(...previewed.sentences);
    leftOut.push(...previewed.leftOut);
    for (const symbol of previewed.unknownSymbols) unknownSymbols.add(symbol);
  }
  const words = article.unknownWords.map(({ word }) => word);
  const pronounced = await ask('pronounce', { voice: files, language, words });
  return {
    ...{ language, voice_id: id },
    ...inBlocks(sentences, (code = language) => ({
      language: code,
      voice_id: voiceIds.get(code) ?? id,
    })),
    left_out: leftOut.map(leftOutRecord),
    unknown_words: article.unknownWords.map(({ word, count }, index) => ({
      ...{ word, count, spoken: word, phonemes: '' },
      ...pronounced.words[index],
    })),
    unknown_phonemes: [...unknownSymbols].sort(),
  };
}

function inBlocks(
  all: readonly PreviewedSentence[],
  speaking: (language: string | undefined) => { language: string; voice_id: number },
): Pick<Preview, 'blocks' | 'sentences'> {
  const blocks: Preview['blocks'] = [];
  const sentences: Preview['sentences'] = [];
  let isOpen = false;
  for (const { kind, language, span, endsBlock, text, spoken, phonemes, pieces } of all) {
    const block = blocks.at(-1);
    if (block !== undefined && isOpen && block.field === span.field) {
      block.end = span.end;
      block.sentence_count += 1;
    } else blocks.push({ kind, ...span, sentence_count: 1 });
    isOpen = !endsBlock;
    const place = { block: blocks.length - 1, kind, ...span, ...speaking(language) };
    sentences.push({ ...place, text, spoken, phonemes, pieces: [...pieces] });
  }
  return { blocks, sentences };
}

function leftOutRecord({ text, reason, span }: LeftOut): Preview['left_out'][number] {
  return { text, reason, ...span };
}
