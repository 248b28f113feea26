import { useEffect, useState } from 'preact/hooks';

/** State outside the components: those that use it render again when it changes. */
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
    /** @returns a function that removes the listener */
    listen,
    /** The value in a component. */
    use,
  };
}
