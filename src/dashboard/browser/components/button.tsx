import type { ComponentChildren, JSX } from 'preact';
import { runInBackground } from '../background.ts';
import type { Action } from '../query.ts';
import { Icon, type IconName } from './icon.tsx';

export interface Look {
  /** At most one primary button on a page. */
  readonly kind?: 'primary' | 'secondary' | 'quiet' | 'danger';
  readonly icon?: IconName | undefined;
  /** In rows and cards. */
  readonly isCompact?: boolean;
  /** Without children only the icon is shown: then `aria-label` is needed. */
  readonly children?: ComponentChildren;
}

type ButtonElement = JSX.IntrinsicElements['button'];
type ButtonProps = Look &
  Omit<ButtonElement, 'loading' | 'icon' | 'onClick'> & {
    /** What a click starts. */
    readonly action?: Action<[]>;
    /** Its promise runs in the background. */
    readonly onClick?: ((event: Parameters<NonNullable<ButtonElement['onClick']>>[0]) => unknown) | undefined;
    /** Disables the button while its action runs; the label stays. */
    readonly isBusy?: boolean;
  };

export function Button(props: ButtonProps) {
  const { kind, icon, isCompact, action, onClick, isBusy = action?.isRunning === true, children, ...rest } = props;
  return (
    <button
      type="button"
      {...rest}
      class={classOf({ kind, icon, isCompact, children }, rest.class)}
      disabled={isBusy || rest.disabled === true}
      aria-busy={isBusy}
      onClick={(event) => runInBackground(Promise.resolve(onClick?.(event) ?? action?.run()))}
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
