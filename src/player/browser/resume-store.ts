/** Positions near the start or the end are not worth resuming. */
const earliestS = 5;
const lastS = 10;
const prefix = 'lectern:';

/** Positions of the listener by audio, stored on this device only. */
export interface ResumeStore {
  /** @returns seconds; 0 if none is stored or worth resuming */
  getPosition(key: string, durationS: number | undefined): number;
  /** @param positionS 0 deletes the position */
  setPosition(key: string, positionS: number): void;
}

/** @param isOn whether positions may be stored */
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

/** Storage may be disabled or full: then nothing is stored. */
function storage<T>(use: (store: Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
