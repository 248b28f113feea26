import german from './texts/de.json' with { type: 'json' };
import spanish from './texts/es.json' with { type: 'json' };
import french from './texts/fr.json' with { type: 'json' };
import italian from './texts/it.json' with { type: 'json' };
import dutch from './texts/nl.json' with { type: 'json' };
import polish from './texts/pl.json' with { type: 'json' };
import portuguese from './texts/pt.json' with { type: 'json' };

/** Texts that listeners see or hear; `{}` is a placeholder. */
const english = {
  player: {
    listen: 'Listen to this article',
    listenShort: 'Listen',
    fromStart: 'Listen from the start',
    play: 'Play',
    pause: 'Pause',
    back: 'Back 15 seconds',
    forward: 'Forward 15 seconds',
    position: 'Position',
    speed: 'Speed',
    voice: 'Voice',
    synthetic: 'synthetic voice',
    /** The name of the voice. */
    readBy: 'read by {}, a synthetic voice',
    minutes: '{} min',
    seconds: '{} s',
    transcript: 'Transcript',
    more: 'More',
    download: 'Download',
    share: 'Share',
    copied: 'Link copied',
    previous: 'Previous',
    next: 'Next',
    part: 'Article {}',
    of: '{} of {}',
    /** A percentage. */
    generating: 'Generating: {} %',
    empty: 'No audio',
    broken: 'The audio cannot be reached',
    /** Seconds. */
    retryIn: 'Trying again in {} s',
    retry: 'Try again',
    close: 'Close',
    return: 'Back to the player',
    muted: 'Sound off',
  },
  /** The embed page, the page of the feed, and the exported pages. */
  page: {
    article: 'Read the article',
    generating: 'Generating audio',
    nothing: 'No audio found. It may have been deleted, or is not published yet.',
    unavailable: 'Audio currently unavailable.',
    transcript: 'Transcript',
    podcast: 'Podcast feed',
    subscribe: 'To subscribe, paste this address into your podcast app.',
    copyAddress: 'Copy address',
    newer: 'Newer',
    older: 'Older',
    morePosts: 'More posts',
    noPosts: 'No posts yet.',
  },
  /** The name of a site. */
  podcastDescription: 'Articles by {}, read aloud.',
  sampleSentence: 'On Saturday morning the lighthouse of the harbor town opened its doors again.',
};

type Texts = typeof english;
export type PlayerTexts = Texts['player'];

const textsByLanguage = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  pl: polish,
} satisfies Record<string, Texts>;

/** A language with texts and normalization rules: BCP 47 primary code. */
export type SupportedLanguage = keyof typeof textsByLanguage;
export const supportedLanguages = Object.keys(textsByLanguage) as SupportedLanguage[];

/** @returns the texts in a language, else in English, and the language of the texts */
export function getTexts(language = 'en'): { readonly texts: Texts; readonly language: SupportedLanguage } {
  const supported = supportedLanguages.find((code) => code === language) ?? 'en';
  return { texts: textsByLanguage[supported], language: supported };
}

const sampleSentences: Readonly<Record<string, string>> = {
  sv: 'På lördagsmorgonen öppnade fyren i hamnstaden sina dörrar igen.',
  da: 'Lørdag morgen åbnede fyrtårnet i havnebyen igen sine døre.',
  hi: 'शनिवार की सुबह बंदरगाह शहर के प्रकाशस्तंभ ने फिर से अपने दरवाज़े खोले।',
};

/** @returns the sentence that a voice is tried with, also in languages without other texts; English for an unknown one */
export function getSampleSentence(language: string): string {
  return sampleSentences[language] ?? getTexts(language).texts.sampleSentence;
}
