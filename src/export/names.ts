import { createHash } from 'node:crypto';

const stemLengthMax = 40;
const hashLength = 10;

/** Where the files of a post lie in an exported folder. */
export interface PostFiles {
  readonly page: string;
  readonly audio: string;
  readonly timings: string;
  readonly vtt: string;
  readonly transcript: string;
}

/**
 * Names that every file system takes and tells apart, one that knows no capitals too: of whatever the `post_id` is made
 * of, the letters and digits that are plain are kept, and its sum.
 * @param mediaKey of the version: another MP3 gets another name, so that no cache gives out the one before
 */
export function filesOf(postId: string, language: string, mediaKey: string): PostFiles {
  const name = `${stemOf(postId)}.${language}`;
  const audio = `audio/${name}.${sumOf(mediaKey)}`;
  return {
    page: `posts/${name}.html`,
    audio: `${audio}.mp3`,
    timings: `${audio}.json`,
    vtt: `${audio}.vtt`,
    transcript: `${audio}.transcript.json`,
  };
}

function stemOf(postId: string): string {
  const words =
    postId
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return [words.join('-').slice(0, stemLengthMax), sumOf(postId)].filter(Boolean).join('-');
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, hashLength);
}
