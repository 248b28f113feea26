/** Creates an element. `style` is not allowed: the Content-Security-Policy of a page may forbid it. */
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

/** Sets a text only if it differs, to avoid layout and screen reader announcements. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets the accessible name and the tooltip of an element. */
export function setLabel(element: HTMLElement, name: string): void {
  if (element.ariaLabel !== name) element.ariaLabel = element.title = name;
}
