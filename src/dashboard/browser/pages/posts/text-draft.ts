/** A post as its form has it. */
export interface TextDraft {
  readonly title: string;
  readonly content: string;
  readonly postId: string;
  readonly url: string;
  /** Empty: the site's usual one. */
  readonly voice: string;
  readonly publishAt: string;
  readonly visibility: 'public' | 'private';
  readonly priority: 'high' | 'normal' | 'low';
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

const idLengthMax = 80;

/** @returns an id that can be read in an address, empty when nothing of the title is left */
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
