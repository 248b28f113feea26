import type { EventType } from '../../../analytics/schema.ts';
import { buildEventsUrl } from '../item.ts';
import type { Track } from '../tracks.ts';
import { createReporting, type Reporting } from './reporting.ts';

/** The reports of a player, for one audio at a time. */
export interface PlayerReports {
  begin(postId: string | null, track: Track): void;
  report(type: EventType, value?: string | number): void;
  end(): void;
}

export function createPlayerReports(host: Element, audio: HTMLAudioElement): PlayerReports {
  let reporting: Reporting | undefined;
  const end = (): void => {
    reporting?.end();
    reporting = undefined;
  };
  return {
    begin: (postId, { language, voiceId }) => {
      end();
      // A page that specifies only a file has no server to report to.
      if (postId === null || host.getAttribute('events') === 'off') return;
      const consent = host.getAttribute('consent') === 'full' ? 'full' : 'none';
      const about = { url: buildEventsUrl(host), postId, language: language || null, voiceId };
      reporting = createReporting({ ...about, consent }, audio);
    },
    report: (type, value) => reporting?.report(type, value),
    end,
  };
}
