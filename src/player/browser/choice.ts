import { createElement } from './dom.ts';

/** A native `<select>`, which every phone and screen reader supports. */
export interface Choice {
  readonly element: HTMLSelectElement;
  /** @param chosen index of the current option */
  show(names: readonly string[], chosen: number): void;
}

export function createChoice(name: string, onChoose: (index: number) => void): Choice {
  const element = createElement('select', { class: name, part: name });
  let shown = '';
  element.onchange = () => onChoose(element.selectedIndex);
  return {
    element,
    show: (names, chosen) => {
      if (`${names}` !== shown) {
        element.replaceChildren(...names.map((each) => createElement('option', {}, each)));
      }
      shown = `${names}`;
      element.selectedIndex = chosen;
    },
  };
}
