import type { ComponentChildren } from 'preact';
import { useSite } from '../site.tsx';

interface PaperProps {
  /** Name of the paper. */
  readonly name: string;
  readonly headline: string;
  readonly isDark?: boolean;
  /** Between the headline and the text. */
  readonly player: ComponentChildren;
  readonly paragraphs: readonly string[];
}

/** Selector of the text, for a player that marks what it speaks. */
export const paperArticle = '#paper-article';

/** A page as a newspaper prints it: what readers get. */
export function Paper({ name, headline, isDark = false, player, paragraphs }: PaperProps) {
  return (
    <div class={isDark ? 'paper dark' : 'paper'}>
      {/* The player shows the initial of the site's name. */}
      <meta property="og:site_name" content={name} />
      <p class="masthead">{name || ' '}</p>
      <p class="title">{headline}</p>
      {player}
      <div id="paper-article">
        {paragraphs.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
    </div>
  );
}

/** @returns the paragraphs of a submitted text, plain or HTML, at most so many */
export function toParagraphs(content: string, most: number): string[] {
  const { body } = new DOMParser().parseFromString(content, 'text/html');
  const blocks = [...body.querySelectorAll('p')].map(({ textContent }) => textContent);
  const all = blocks.length > 0 ? blocks : (body.textContent ?? '').split(/\n\s*\n/);
  return all
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .slice(0, most);
}

/** The address bar of a browser. */
export function AddressBar() {
  const { site } = useSite();
  return (
    <div class="address-bar" aria-hidden="true">
      <i />
      <i />
      <i />
      <span class="cut">{site.domains[0]}</span>
    </div>
  );
}
