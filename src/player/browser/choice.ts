import { make } from './dom.ts';

/** One way to choose: a list of the browser's own, which every phone and screen reader knows. */
export interface Choice {
  readonly element: HTMLSelectElement;
  /** @param chosen place of the one that holds */
  show(names: readonly string[], chosen: number): void;
}

export function createChoice(part: string, onChoose: (index: number) => void): Choice {
  const element = make('select', { part });
  let shown = '';
  element.addEventListener('change', () => onChoose(element.selectedIndex));
  return {
    element,
    show: (names, chosen) => {
      const all = names.join('\n');
      if (all !== shown) element.replaceChildren(...names.map((name) => make('option', {}, name)));
      shown = all;
      element.selectedIndex = chosen;
    },
  };
}
