type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** @returns the fields of a form for one part of the request */
export function listFields(form: HTMLFormElement, part: 'path' | 'query' | 'form' | 'body' | 'type'): Field[] {
  return [...form.querySelectorAll<Field>(`[data-in="${part}"]`)];
}

/** @returns path and query of the request; empty required fields get their examples */
export function buildAddress(form: HTMLFormElement): string {
  const values = new Map(listFields(form, 'path').map((field) => [field.name, getValue(field)]));
  const path = (form.dataset['path'] ?? '').replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values.get(name) ?? name),
  );
  const query = listFields(form, 'query')
    .filter((field) => getValue(field) !== '')
    .map((field) => `${field.name}=${encodeURIComponent(getValue(field))}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

function getValue(field: Field): string {
  return field.value.trim() || (field.required && 'placeholder' in field ? field.placeholder : '');
}

/** Shows the values of a form in its command. */
export function updateCommand(form: HTMLFormElement): void {
  setPart(form, 'address', buildAddress(form));
  const [type] = listFields(form, 'type');
  if (type !== undefined) setPart(form, 'type', type.value);
  const [body] = listFields(form, 'body');
  if (body !== undefined) setPart(form, 'body', body.value.replaceAll("'", `'\\''`));
}

export function updateKey(key: string): void {
  for (const part of document.querySelectorAll('[data-part="key"]')) part.textContent = key || '$KEY';
}

function setPart(form: HTMLFormElement, part: string, text: string): void {
  const element = form.querySelector(`[data-part="${part}"]`);
  if (element !== null) element.textContent = text;
}
