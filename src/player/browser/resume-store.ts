/** Nobody wants to come back to less, or to the last words. */
const earliestS = 5;
const lastS = 10;
const prefix = 'lectern:';

/** Where the listener was, by audio. It stays on this device, and tells nothing else. */
export interface ResumeStore {
  /** @returns seconds; 0 where nothing is known, or it isn't worth it */
  getPosition(key: string, durationS: number | undefined): number;
  /** @param positionS 0 forgets it */
  setPosition(key: string, positionS: number): void;
}

/** @param isOn whether positions may be kept */
export function createResumeStore(isOn: () => boolean): ResumeStore {
  return {
    getPosition: (key, durationS) => {
      const positionS = Number(isOn() && storage((store) => store.getItem(prefix + key)));
      const isWorthIt = positionS >= earliestS && positionS < (durationS ?? Infinity) - lastS;
      return isWorthIt ? positionS : 0;
    },
    setPosition: (key, positionS) => {
      if (!isOn()) return;
      storage((store) => {
        if (positionS < earliestS) store.removeItem(prefix + key);
        else store.setItem(prefix + key, `${Math.floor(positionS)}`);
      });
    },
  };
}

/** A browser may have its storage switched off or full: then nothing is remembered. */
function storage<T>(use: (store: Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
