/** Search, the current place, and the menu of narrow windows. */
export function setUpContents(reference: HTMLElement): void {
  const nav = reference.querySelector<HTMLElement>('#contents');
  const search = nav?.querySelector('input');
  if (nav === null || search === null || search === undefined) return;
  search.addEventListener('input', () => filterLinks(nav, search.value.trim().toLowerCase()));
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') nav.querySelector<HTMLAnchorElement>('li:not([hidden]) a')?.click();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!search.checkVisibility()) nav.showPopover();
    search.focus();
  });
  nav.addEventListener('click', ({ target }) => {
    if ((target as HTMLElement).closest('a') !== null && nav.matches(':popover-open')) nav.hidePopover();
  });
  markCurrent(nav);
  addEventListener('hashchange', () => openTarget());
  openTarget();
}

function filterLinks(nav: HTMLElement, query: string): void {
  const words = query.split(/\s+/);
  let count = 0;
  for (const group of nav.querySelectorAll('details')) {
    let countInGroup = 0;
    for (const item of group.querySelectorAll('li')) {
      const text = item.querySelector('a')?.dataset['text'] ?? '';
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) countInGroup += 1;
    }
    group.hidden = countInGroup === 0;
    group.open = query !== '' && countInGroup > 0;
    count += countInGroup;
  }
  for (const link of nav.querySelectorAll<HTMLElement>(':scope > a')) link.hidden = query !== '';
  const nothing = nav.querySelector<HTMLElement>('.nothing');
  if (nothing !== null) nothing.hidden = count > 0;
}

/** Marks the link to the operation at the top of the window. */
function markCurrent(nav: HTMLElement): void {
  const links = new Map([...nav.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));
  const mark = (id: string) => {
    const link = links.get(id);
    if (link === undefined) return;
    for (const other of nav.querySelectorAll('[aria-current]')) other.removeAttribute('aria-current');
    link.setAttribute('aria-current', 'location');
    const group = link.closest('details');
    if (group !== null) group.open = true;
    // Of the contents only, not of the page.
    nav.scrollTop = link.offsetTop - nav.clientHeight / 2;
  };
  const observer = new IntersectionObserver(
    (entries) => {
      const entry = entries.find(({ isIntersecting }) => isIntersecting);
      if (entry !== undefined) mark(entry.target.id);
    },
    { rootMargin: '-20% 0px -75% 0px' },
  );
  for (const section of document.querySelectorAll('.operation[id]')) observer.observe(section);
}

/** Opens the schema that a link leads to. */
function openTarget(): void {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
