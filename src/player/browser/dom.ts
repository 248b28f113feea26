/** Makes an element. No attribute may be `style`: the policy of a page may forbid it. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

export function createButton(
  attributes: Readonly<Record<string, string>>,
  onClick: () => void,
  ...children: readonly Node[]
): HTMLButtonElement {
  const element = createElement('button', { type: 'button', ...attributes }, ...children);
  element.onclick = onClick;
  return element;
}

export function setAttributes(element: Element, attributes: Readonly<Record<string, string>>) {
  for (const [attribute, value] of Object.entries(attributes)) {
    element.setAttribute(attribute, value);
  }
}

/** Writes a text only where it differs, so that nothing is laid out or read aloud anew. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Names an element, for screen readers and to whom points at it. */
export function setLabel(element: HTMLElement, name: string): void {
  if (element.ariaLabel !== name) element.ariaLabel = element.title = name;
}
