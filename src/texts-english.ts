/** Texts that listeners see or hear; `{}` is a placeholder. */
export const english = {
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

export type Texts = typeof english;
export type PlayerTexts = Texts['player'];
