import type { FieldSpecs } from '../../components/form.tsx';
import { shownTimeZone } from '../../time-zone.ts';

/** What a post has besides its text; times as fields have them. */
export interface PostValues {
  readonly post_url: string;
  readonly publish_at: string;
  readonly visibility: 'public' | 'private';
  readonly priority: 'high' | 'normal' | 'low';
}

/** Address, time of publication, who may hear a post. @param hasPriority audio waits in the queue, or will */
export function listPostFields(hasPriority: boolean): FieldSpecs<PostValues> {
  return {
    post_url: {
      label: 'Article URL',
      kind: 'url',
      hint: 'A player without post-id finds the post by this URL.',
    },
    publish_at: {
      label: 'Publish at',
      kind: 'datetime-local',
      hint: `Time in ${shownTimeZone()}. The post is not public before that time. Empty: immediately.`,
    },
    visibility: {
      label: 'Who may hear it',
      options: { public: 'Everybody: pages and the feed', private: 'Private: the dashboard and API keys' },
    },
    priority: {
      label: 'Place in the queue',
      options: { high: 'First', normal: 'Normal', low: 'Last' },
      isShown: () => hasPriority,
    },
  };
}

/** What is typed into the editor. */
export interface TextDraft extends PostValues {
  readonly title: string;
  readonly content: string;
  /** Empty: made of the title. */
  readonly post_id: string;
  /** Empty: the site's default voice. */
  readonly voice: string;
}

export const emptyDraft: TextDraft = {
  title: '',
  content: '',
  post_id: '',
  post_url: '',
  voice: '',
  publish_at: '',
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
