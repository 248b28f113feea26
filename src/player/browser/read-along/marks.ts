type MarkKind = 'spoken' | 'word';

// The text has its own color, too: it stays readable if the color scheme of the page is detected wrongly.
const css = `@media screen{::highlight(lectern-spoken){background-color:var(--lectern-highlight,light-dark(#ffe08a,#5b4a12));color:var(--lectern-highlight-text,light-dark(#1c1a14,#fff8e1))}
::highlight(lectern-word){background-color:var(--lectern-highlight-word,#ffb82e);color:var(--lectern-highlight-word-text,#1c1a14)}}
@media (forced-colors:active){::highlight(lectern-spoken){background-color:Highlight;color:HighlightText}::highlight(lectern-word){background-color:HighlightText;color:Highlight}}`;
const sheet = new CSSStyleSheet();
sheet.replaceSync(css);

/**
 * Highlights passages with the CSS Custom Highlight API, without changing the page. Browsers without it show no highlight.
 * @param area element whose document gets the style, also under a policy without inline styles
 * @param kind of the marks; words are above sentences
 * @returns highlights a passage and removes the previous highlight
 */
export function createMarks(area: Element, kind: MarkKind): (passage: Range | undefined) => void {
  if (typeof Highlight === 'undefined') return () => {};
  const root = area.getRootNode();
  const { adoptedStyleSheets } = root instanceof ShadowRoot ? root : document;
  if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
  const name = `lectern-${kind}`;
  // Shared by the players of a page.
  const marks = CSS.highlights.get(name) ?? new Highlight();
  marks.priority = Number(kind === 'word');
  CSS.highlights.set(name, marks);
  let marked: Range | undefined;
  return (passage) => {
    if (passage === marked) return;
    if (marked !== undefined) marks.delete(marked);
    if (passage !== undefined) marks.add(passage);
    marked = passage;
  };
}
