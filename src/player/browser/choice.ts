import { createElement } from './dom.ts';

/** One way to choose: a list of the browser's own, which every phone and screen reader knows. */
export interface Choice {
  readonly element: HTMLSelectElement;
  /** @param chosen place of the one that holds */
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
