import type * as Extras from './extras.ts';

/** Set by the build: the name of the second script, a hash of its content. */
declare const extrasFile: string;

let loading: Promise<typeof Extras | undefined> | undefined;

/**
 * Loads read-along, transcript, menu and the large layout, when one of them is needed first.
 * @param baseUrl of the server
 * @returns undefined if they cannot be loaded; the next call tries again
 */
export function loadExtras(baseUrl: string): Promise<typeof Extras | undefined> {
  loading ??= (import(`${baseUrl}/v1/public/player-extras/${extrasFile}`) as Promise<typeof Extras>).catch(() => {
    loading = undefined;
    return undefined;
  });
  return loading;
}

/** For a script that contains them. */
export function provideExtras(extras: typeof Extras): void {
  loading = Promise.resolve(extras);
}
