import { useRef, useState } from 'preact/hooks';
import { runInBackground } from '../background.ts';
import { Button } from './button.tsx';

interface CopyProps {
  /** What it is, for screen readers and the button. */
  readonly label: string;
  readonly text: string;
  /** Several lines are shown whole. */
  readonly isBlock?: boolean;
}

/** Text to take along: a key, an address, a line of HTML. */
export function Copy({ label, text, isBlock = false }: CopyProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'selected'>('idle');
  const shown = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      // Without https a page may not write to the clipboard: then the text is selected, and the keyboard copies it.
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
      setState('selected');
    }
  };
  return (
    <div class={isBlock ? 'copy block' : 'copy'}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={shown} tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <Button onClick={() => runInBackground(copy())} aria-label={`Copy ${label}`}>
        {state === 'copied' ? 'Copied' : 'Copy'}
      </Button>
      <span class="unseen" role="status">
        {state === 'copied' && `${label} copied`}
        {state === 'selected' && `${label} selected: press Control and C`}
      </span>
    </div>
  );
}
