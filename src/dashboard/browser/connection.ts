import { useEffect, useState } from 'preact/hooks';

/** How often an unreachable server is tried. */
const retryMs = 2_000;
const changes = new EventTarget();
let isOffline = false;
let retry: ReturnType<typeof setInterval> | undefined;
let probe = async () => false;

/** @param reach sends a request to the server; false: no response */
export function setConnectionProbe(reach: () => Promise<boolean>): void {
  probe = reach;
}

/** Call when a request got no answer. The server is then tried until it answers. */
export function reportOffline(): void {
  if (isOffline) return;
  isOffline = true;
  changes.dispatchEvent(new Event('change'));
  retry = setInterval(() => tryAgain(), retryMs);
  addEventListener('online', tryAgain);
}

function tryAgain(): void {
  probe().then((isReached) => isReached && reportOnline(), reportOffline);
}

/** Call when the server has answered. */
export function reportOnline(): void {
  if (!isOffline) return;
  isOffline = false;
  clearInterval(retry);
  removeEventListener('online', tryAgain);
  changes.dispatchEvent(new Event('change'));
}

/** @returns whether the server cannot be reached at the moment */
export function useOffline(): boolean {
  const [shown, setShown] = useState(isOffline);
  useEffect(() => {
    const update = () => setShown(isOffline);
    update();
    changes.addEventListener('change', update);
    return () => changes.removeEventListener('change', update);
  }, []);
  return shown;
}

/** Runs when the server can be reached again. @returns removes it */
export function onReconnect(run: () => void): () => void {
  const notice = () => {
    if (!isOffline) run();
  };
  changes.addEventListener('change', notice);
  return () => changes.removeEventListener('change', notice);
}
