/** What keys do while the focus is within the player. */
export interface KeyActions {
  toggle(): void;
  /** @param seconds forward; back if negative */
  skip(seconds: number): void;
  mute(): void;
}

const onSlider: Readonly<Record<string, number>> = {
  ArrowUp: 5,
  ArrowDown: -5,
  PageUp: 30,
  PageDown: -30,
  Home: -Infinity,
  End: Infinity,
};
const everywhere: Readonly<Record<string, number>> = {
  ArrowLeft: -5,
  ArrowRight: 5,
  j: -15,
  l: 15,
};

/** Does what a key means; those of others are left to them. */
export function handleKey(event: KeyboardEvent, { toggle, skip, mute }: KeyActions): void {
  const [target] = event.composedPath();
  // A list has its own keys, and so has the browser with these held.
  if (target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
  const isSlider = target instanceof HTMLInputElement;
  const { key } = event;
  const seconds = everywhere[key] ?? (isSlider ? onSlider[key] : undefined);
  // On a button the space bar presses it.
  if (key === 'k' || (key === ' ' && isSlider)) toggle();
  else if (key === 'm') mute();
  else if (seconds !== undefined) skip(seconds);
  else return;
  event.preventDefault();
}
