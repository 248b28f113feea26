/** What keys do while the focus is within the player. */
export interface KeyActions {
  toggle(): void;
  /** @param seconds forward; back if negative */
  skip(seconds: number): void;
  seekTo(share: 0 | 1): void;
  mute(): void;
}

const arrowS = 5;
const pageS = 30;

/** @returns whether the key was one of ours */
export function handleKey(event: KeyboardEvent, actions: KeyActions): boolean {
  const target = event.composedPath()[0];
  // A list has its own keys, and so has the browser with these held.
  if (target instanceof HTMLSelectElement) return false;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  const isSlider = target instanceof HTMLInputElement;
  // On a button the space bar presses it.
  if (event.key === ' ' && !isSlider) return false;
  const onSlider: Record<string, () => void> = {
    ArrowUp: () => actions.skip(arrowS),
    ArrowDown: () => actions.skip(-arrowS),
    PageUp: () => actions.skip(pageS),
    PageDown: () => actions.skip(-pageS),
    Home: () => actions.seekTo(0),
    End: () => actions.seekTo(1),
    ' ': actions.toggle,
  };
  const everywhere: Record<string, () => void> = {
    k: actions.toggle,
    j: () => actions.skip(-15),
    l: () => actions.skip(15),
    m: actions.mute,
    ArrowLeft: () => actions.skip(-arrowS),
    ArrowRight: () => actions.skip(arrowS),
  };
  const act = everywhere[event.key] ?? (isSlider ? onSlider[event.key] : undefined);
  if (act === undefined) return false;
  event.preventDefault();
  act();
  return true;
}
