/** Values of the post form. */
export interface TextDraft {
  readonly title: string;
  readonly content: string;
  readonly postId: string;
  readonly url: string;
  /** Empty: the site's default voice. */
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
