import type { PostFieldValues } from './post-fields.tsx';

/** What is typed into the editor. */
export interface TextDraft extends PostFieldValues {
  readonly title: string;
  readonly content: string;
  /** Empty: made of the title. */
  readonly postId: string;
  /** Empty: the site's default voice. */
  readonly voice: string;
}

export const emptyDraft: TextDraft = {
  title: '',
  content: '',
  postId: '',
  url: '',
  voice: '',
  publishAt: '',
  visibility: 'public',
  priority: 'normal',
};

/** Whether a text has tags, as the server decides it in short. */
export function isHtml(text: string): boolean {
  return /<\/?[a-z][a-z0-9]*[\s/>]/i.test(text);
}

const idLengthMax = 80;

/** @returns a URL-safe ID; empty if the title has no letters or digits */
export function idFromTitle(title: string): string {
  return title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, idLengthMax)
    .replace(/-+$/, '');
}
