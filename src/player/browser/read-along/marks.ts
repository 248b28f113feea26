const name = 'lectern-spoken';

// The text gets a colour of its own too: whether a page is dark is not known for sure, and it stays readable either way.
const css = `::highlight(${name}){background-color:var(--lectern-highlight,light-dark(#ffe08a,#5b4a12));color:var(--lectern-highlight-text,light-dark(#1c1a14,#fff8e1))}
@media (forced-colors:active){::highlight(${name}){background-color:Highlight;color:HighlightText}}`;
const sheet = new CSSStyleSheet();
sheet.replaceSync(css);

/**
 * Marks passages of the page without a change to it, by the CSS Custom Highlight API. Where the browser lacks that, nothing is
 * marked.
 * @param area whose page gets the colours; a page that allows no inline style takes them too
 * @returns what marks a passage and takes back its last mark
 */
export function createMarks(area: Element): (passage: Range | undefined) => void {
  if (typeof Highlight === 'undefined') return () => {};
  const root = area.getRootNode();
  const { adoptedStyleSheets } = root instanceof ShadowRoot ? root : document;
  if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
  // Players of a page share it.
  const marks = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, marks);
  let marked: Range | undefined;
  return (passage) => {
    if (passage === marked) return;
    if (marked !== undefined) marks.delete(marked);
    if (passage !== undefined) marks.add(passage);
    marked = passage;
  };
}
