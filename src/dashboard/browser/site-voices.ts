import { api, ask, encodeSegment } from './api.ts';

export type SiteVoices = Awaited<ReturnType<typeof fetchSiteVoices>>;

/** The voice settings of a site, and its available voices. @param site slug or ID */
export function fetchSiteVoices(site: string | number) {
  return ask(() => api.sites({ site: encodeSegment(site) }).voices.get());
}

/** What decides who reads. */
type Readers = Pick<SiteVoices, 'voices' | 'default_voice_id' | 'default_voices'>;

/** @param language undefined: of posts that name none @returns the voice that reads posts, as the server chooses it */
export function readerOf(
  { voices, default_voice_id, default_voices }: Readers,
  language?: string,
): SiteVoices['voices'][number] | undefined {
  const main = voices.find(({ id }) => id === default_voice_id);
  const wanted = language ?? (main ?? voices[0])?.language;
  if (main?.language === wanted) return main;
  const speaking = voices.filter((voice) => voice.language === wanted);
  return speaking.find(({ id }) => default_voices.includes(id)) ?? speaking[0];
}
