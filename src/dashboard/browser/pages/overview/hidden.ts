import { useState } from 'preact/hooks';

/** Whether somebody has put the first steps of a site away, in this browser: not every site shows players on pages. */
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
        // A browser that keeps nothing shows them again next time.
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
