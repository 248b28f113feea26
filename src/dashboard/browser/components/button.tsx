import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface Look {
  /** At most one primary button on a page. */
  readonly kind?: 'primary' | 'secondary' | 'quiet' | 'danger';
  readonly icon?: IconName;
  /** In rows and cards. */
  readonly isCompact?: boolean;
  /** Without children only the icon is shown: then `aria-label` is needed. */
  readonly children?: ComponentChildren;
}

type ButtonProps = Look &
  Omit<JSX.IntrinsicElements['button'], 'loading' | 'icon'> & {
    /** Disables the button while its action runs; the label stays. */
    readonly isBusy?: boolean;
  };

export function Button({ kind, icon, isCompact, isBusy = false, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={classOf({ kind, icon, isCompact, children }, rest.class)}
      disabled={isBusy || rest.disabled === true}
      aria-busy={isBusy}
    >
      {isBusy ? <Icon name="loader-circle" isSpinning /> : icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

type LinkButtonProps = Look & {
  readonly href: string;
  readonly download?: boolean;
  readonly 'aria-label'?: string;
};

/** A link that looks like a button: it leads somewhere. */
export function LinkButton({ kind, icon, isCompact, href, download, children, ...rest }: LinkButtonProps) {
  return (
    <a
      {...rest}
      class={classOf({ kind, icon, isCompact, children })}
      href={href}
      {...(download === true ? { download: '' } : {})}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </a>
  );
}

function classOf(
  { kind, isCompact, children }: { [K in keyof Look]: Look[K] | undefined },
  more: unknown = '',
): string {
  const words = ['button', kind ?? '', isCompact === true ? 'compact' : '', children === undefined ? 'icon-only' : ''];
  return [...words, typeof more === 'string' ? more : ''].filter((word) => word !== '').join(' ');
}
