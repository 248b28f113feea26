import { AppError } from '../../errors.ts';

/** How many may listen at once to posts that are being made. */
export interface ListenerLimits {
  readonly listenersMax: number;
  readonly listenersPerSiteMax: number;
}

/** Counts those who listen to posts that are being made: each holds a connection and a sentence in memory. */
export interface Listeners {
  /**
   * @returns what ends the listening; may be called more than once
   * @throws AppError `too_many_listeners`
   */
  admit(siteId: number): () => void;
}

export function createListeners({ listenersMax, listenersPerSiteMax }: ListenerLimits): Listeners {
  const countBySite = new Map<number, number>();
  let count = 0;
  const add = (siteId: number, change: 1 | -1): void => {
    const ofSite = (countBySite.get(siteId) ?? 0) + change;
    count += change;
    if (ofSite === 0) countBySite.delete(siteId);
    else countBySite.set(siteId, ofSite);
  };
  return {
    admit: (siteId) => {
      if (count >= listenersMax || (countBySite.get(siteId) ?? 0) >= listenersPerSiteMax) {
        throw new AppError('too_many_listeners', 'Too many are listening');
      }
      add(siteId, 1);
      let isOver = false;
      return () => {
        if (!isOver) add(siteId, -1);
        isOver = true;
      };
    },
  };
}
