import { useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';

interface CopyLineProps {
  /** Name of the text, for screen readers and the button. */
  readonly label: string;
  readonly text: string;
}

/** Text with a copy button: a key, a URL, HTML. */
export function CopyLine({ label, text }: CopyLineProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'selected'>('idle');
  const shown = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      // Without HTTPS a page has no access to the clipboard: the text is selected for the keyboard.
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
      setState('selected');
    }
  };
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={shown} tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <Button isCompact icon={state === 'copied' ? 'check' : 'copy'} onClick={copy} aria-label={`Copy ${label}`}>
        {state === 'copied' ? 'Copied' : 'Copy'}
      </Button>
      <span class="unseen" role="status">
        {state === 'copied' && `${label} copied`}
        {state === 'selected' && `${label} selected. Press Ctrl+C to copy it.`}
      </span>
    </div>
  );
}
