import { escapeHtml } from '../http/html.ts';

/** Paragraphs of a description: Markdown with code and links. */
export function renderProse(text: string | undefined): string {
  if (text === undefined) return '';
  return text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${renderInline(paragraph)}</p>`)
    .join('\n');
}

export function renderInline(text: string): string {
  return escapeHtml(text)
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`') && part.length > 1
        ? `<code>${part.slice(1, -1)}</code>`
        : part.replace(/\[([^\]]+)\]\((https?:[^)\s]+)\)/g, '<a href="$2">$1</a>'),
    )
    .join('');
}
