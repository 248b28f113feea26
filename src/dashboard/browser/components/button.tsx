import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type Action, runInBackground } from '../query.ts';
import { Icon, type IconName } from './icon.tsx';

export interface Look {
  /** At most one primary button on a page; `link`: in a text or a row. */
  readonly kind?: 'primary' | 'secondary' | 'quiet' | 'danger' | 'link' | undefined;
  readonly icon?: IconName | undefined;
  /** In rows and cards. */
  readonly isCompact?: boolean | undefined;
  /** Without it only the icon is shown: then `aria-label` is needed. */
  readonly label?: ComponentChildren;
  /** What it acts on, where several on a page have the same label; for screen readers. */
  readonly subject?: string | undefined;
}

type ButtonElement = JSX.IntrinsicElements['button'];
type ButtonProps = Look &
  Omit<ButtonElement, 'loading' | 'icon' | 'label' | 'onClick' | 'children'> & {
    readonly action?: Action<[]>;
    /** Its promise runs in the background. */
    readonly onClick?: ((event: Parameters<NonNullable<ButtonElement['onClick']>>[0]) => unknown) | undefined;
    /** While its action runs, which ignores another start. The button keeps the focus: it is not disabled. */
    readonly isBusy?: boolean;
  };

export function Button(props: ButtonProps) {
  const { kind, icon, isCompact, action, onClick, isBusy = action?.isRunning, label, subject, ...rest } = props;
  return (
    <button
      type="button"
      {...nameOf(label, subject)}
      {...rest}
      class={classOf({ kind, isCompact, label }, rest.class)}
      aria-busy={isBusy === true}
      aria-disabled={isBusy === true}
      onClick={(event) => runInBackground(Promise.resolve(onClick?.(event) ?? action?.run()))}
    >
      {isBusy ? <Icon name="loader-circle" isSpinning /> : icon !== undefined && <Icon name={icon} />}
      {label}
    </button>
  );
}

type LinkButtonProps = Look & {
  readonly href?: string;
  /** In place of it: a path behind the #. */
  readonly to?: string;
  readonly download?: boolean;
  readonly 'aria-label'?: string;
};

/** A link that looks like a button: it leads somewhere. */
export function LinkButton({
  kind,
  icon,
  isCompact,
  to,
  href = `#${to}`,
  download,
  label,
  subject,
  ...rest
}: LinkButtonProps) {
  return (
    <a
      {...nameOf(label, subject)}
      {...rest}
      class={classOf({ kind, isCompact, label })}
      href={href}
      {...(download === true ? { download: '' } : {})}
    >
      {icon !== undefined && <Icon name={icon} />}
      {label}
    </a>
  );
}

interface PageLinkProps {
  /** Path behind the #. */
  readonly to: string;
  readonly text: ComponentChildren;
  readonly look?: string;
  /** Language of the text. */
  readonly lang?: string | undefined;
  /** As of a button. */
  readonly subject?: string;
}

/** A link in a text or a row. */
export function PageLink({ to, text, look = 'link', lang, subject }: PageLinkProps) {
  return (
    <a class={look} href={`#${to}`} lang={lang} {...nameOf(text, subject)}>
      {text}
    </a>
  );
}

/** Begins with the label: speech input finds a control by what it shows. */
function nameOf(label: ComponentChildren, subject: string | undefined) {
  return subject === undefined ? {} : { 'aria-label': `${String(label)}: ${subject}` };
}

function classOf({ kind, isCompact, label }: { [K in keyof Look]: Look[K] | undefined }, more?: unknown): string {
  if (kind === 'link') return isCompact === true ? 'link small' : 'link';
  return ['button', kind, isCompact === true && 'compact', label === undefined && 'icon-only', more]
    .filter((word) => typeof word === 'string')
    .join(' ');
}

/** Text with a copy button: a key, a URL, HTML. @param label its name, for screen readers and the button */
export function CopyLine({ label, text }: { readonly label: string; readonly text: string }) {
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
      <Button
        isCompact
        icon={state === 'copied' ? 'check' : 'copy'}
        onClick={copy}
        aria-label={`Copy ${label}`}
        label={state === 'copied' ? 'Copied' : 'Copy'}
      />
      <span class="unseen" role="status">
        {state === 'copied' && `${label} copied`}
        {state === 'selected' && `${label} selected. Press Ctrl+C to copy it.`}
      </span>
    </div>
  );
}
