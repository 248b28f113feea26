/** Wakes those who wait for an audio's next sentence. */
export interface AudioWatch {
  /** To be told of whatever was committed for an audio. */
  tell(audioId: number): void;
  /**
   * Ask before looking at the rows: what is told from then on ends the waiting.
   * @returns a promise that ends at the next news of an audio
   */
  next(audioId: number): Promise<void>;
  /** Ends all waiting: the server stops. */
  close(): void;
  readonly isClosed: boolean;
}

export function createWatch(): AudioWatch {
  const waiting = new Map<number, PromiseWithResolvers<void>>();
  let isClosed = false;
  const tell = (audioId: number): void => {
    waiting.get(audioId)?.resolve();
    waiting.delete(audioId);
  };
  return {
    tell,
    next: (audioId) => {
      const known = waiting.get(audioId);
      if (known !== undefined) return known.promise;
      const news = Promise.withResolvers<void>();
      if (isClosed) news.resolve();
      else waiting.set(audioId, news);
      return news.promise;
    },
    close: () => {
      isClosed = true;
      for (const audioId of [...waiting.keys()]) tell(audioId);
    },
    get isClosed() {
      return isClosed;
    },
  };
}
