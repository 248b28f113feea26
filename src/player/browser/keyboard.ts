/** Keyboard actions while the focus is in the player. */
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

/** Handles the keys of a player, unless another control uses them. */
export function watchKeys(shadow: ShadowRoot, actions: KeyActions): void {
  shadow.addEventListener('keydown', (event) => {
    const isRightToLeft = getComputedStyle(shadow.host).direction === 'rtl';
    if (event instanceof KeyboardEvent) handleKey(event, isRightToLeft, actions);
  });
}

function handleKey(event: KeyboardEvent, isRightToLeft: boolean, { toggle, skip, mute }: KeyActions): void {
  const [target] = event.composedPath();
  // A select element has its own keys; the browser uses keys with modifiers.
  if (target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
  const isSlider = target instanceof HTMLInputElement;
  const { key } = event;
  const sign = isRightToLeft && /Left|Right/.test(key) ? -1 : 1;
  const seconds = everywhere[key] ?? (isSlider ? onSlider[key] : undefined);
  // On a button the space bar is a click.
  if (key === 'k' || (key === ' ' && isSlider)) toggle();
  else if (key === 'm') mute();
  else if (seconds !== undefined) skip(sign * seconds);
  else return;
  event.preventDefault();
}
