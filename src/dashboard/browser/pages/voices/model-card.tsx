import { useQuery } from '../../query.ts';
import { fetchModelCard, type Voice } from './voices.ts';

/** The model card of a voice; empty if it has none. */
export function ModelCard({ voice }: { readonly voice: Voice }) {
  const { value: text } = useQuery(() => fetchModelCard(voice), [voice.id]);
  if (text === undefined || text === null) return null;
  return (
    <details>
      <summary>Model card</summary>
      <CardText text={text} />
    </details>
  );
}

/** The text of a model card, unformatted and scrollable. */
export function CardText({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="code" style={{ maxHeight: '16rem', overflow: 'auto' }} tabIndex={0} aria-label="Model card">
      <pre>{text}</pre>
    </section>
  );
}
