/** Makes an element. No attribute may be `style`: the policy of a page may forbid it. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    element.setAttribute(attribute, value);
  }
  element.append(...children);
  return element;
}

/** Writes a text only where it differs, so that nothing is laid out or read aloud anew. */
export function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setLabel(element: Element, label: string): void {
  if (element.getAttribute('aria-label') === label) return;
  element.setAttribute('aria-label', label);
  if (element instanceof HTMLButtonElement) element.title = label;
}
