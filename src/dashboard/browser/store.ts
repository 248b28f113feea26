import { useEffect, useState } from 'preact/hooks';

/** A value outside of the components: those that use it are drawn again with each change. */
export function createStore<T>(initial: T) {
  const listeners = new Set<() => void>();
  let value = initial;
  const listen = (listener: () => void) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  };
  const use = () => {
    const [shown, setShown] = useState(() => value);
    useEffect(() => {
      const update = () => setShown(() => value);
      update();
      return listen(update);
    }, []);
    return shown;
  };
  return {
    get: () => value,
    set: (next: T) => {
      value = next;
      for (const listener of listeners) listener();
    },
    /** @returns removes the listener */
    listen,
    /** The value in a component. */
    use,
  };
}
