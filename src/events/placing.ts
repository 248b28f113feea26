import type { CheckedEvent } from './request.ts';
import type { PostAudio } from './store.ts';

/** What an event was about, as far as the site knows of it. */
export interface Subject {
  /** Empty where it isn't known, like the next; 0 for no voice. */
  readonly post: string;
  readonly language: string;
  readonly voiceId: number;
  /** Length of what is heard; null where it isn't known. */
  readonly durationS: number | null;
}

const nothing: Subject = { post: '', language: '', voiceId: 0, durationS: null };
const defaultLanguage = 'en';

/**
 * Only what is there gets figures of its own: whoever may send events can't make tables grow by inventing names.
 * @param audios of the post, of each a row; a post without audio has one of nulls, a post that isn't there none
 * @param voices installed now or ever
 */
export function subjectOf(
  event: CheckedEvent,
  audios: readonly PostAudio[],
  voices: ReadonlySet<number>,
): Subject {
  if (audios.length === 0) return nothing;
  const language = languageOf(event, audios);
  const spoken = audios.filter((audio) => audio.language === language);
  const main = spoken.find(({ isMain }) => isMain === 1);
  const heard = spoken.find(({ voiceId }) => voiceId === event.voiceId) ?? main;
  const given = event.voiceId ?? heard?.voiceId ?? 0;
  return {
    post: event.postId,
    language,
    voiceId: voices.has(given) ? given : 0,
    durationS: heard?.durationMs == null ? null : heard.durationMs / 1000,
  };
}

function languageOf(event: CheckedEvent, audios: readonly PostAudio[]): string {
  const wanted =
    event.language ??
    audios.find(({ voiceId }) => voiceId !== null && voiceId === event.voiceId)?.language ??
    defaultLanguage;
  if (audios.some(({ language }) => language === wanted)) return wanted;
  if (event.language !== null) return '';
  return audios.find(({ isMain }) => isMain === 1)?.language ?? '';
}
