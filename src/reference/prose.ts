import { escapeHtml } from '../http/html.ts';

/** A description: Markdown with paragraphs, lists, code and links. */
export function renderProse(text: string | undefined): string {
  if (text === undefined) return '';
  return text
    .split(/\n{2,}/)
    .map(renderBlock)
    .join('\n');
}

function renderBlock(text: string): string {
  if (!text.startsWith('- ')) return `<p>${renderInline(text)}</p>`;
  const items = text.slice(2).split('\n- ');
  return `<ul class="list">${items.map((item) => `<li>${renderInline(item)}</li>`).join('')}</ul>`;
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
