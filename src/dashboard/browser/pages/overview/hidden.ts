import { useState } from 'preact/hooks';

/** Whether the setup steps of a site are hidden in this browser. Not every site has a player on its pages. */
export function useHidden(siteId: number): {
  readonly isHidden: boolean;
  readonly hide: () => void;
} {
  const name = `lectern-steps-hidden-${siteId}`;
  const [isHidden, setIsHidden] = useState(() => remembered(name));
  return {
    isHidden,
    hide: () => {
      setIsHidden(true);
      try {
        localStorage.setItem(name, 'yes');
      } catch {
        // Without storage the steps appear again on the next visit.
      }
    },
  };
}

function remembered(name: string): boolean {
  try {
    return localStorage.getItem(name) !== null;
  } catch {
    return false;
  }
}
