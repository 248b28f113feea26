import type { ComponentChildren, JSX } from 'preact';

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'loading'> {
  readonly kind?: 'primary' | 'secondary' | 'quiet' | 'danger';
  /** Disables the button while its action runs. */
  readonly isBusy?: boolean;
  readonly children: ComponentChildren;
}

export function Button({ kind = 'secondary', isBusy = false, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button ${kind} ${rest.class ?? ''}`}
      disabled={isBusy || rest.disabled === true}
      aria-busy={isBusy}
    >
      {children}
    </button>
  );
}

interface LinkButtonProps {
  readonly href: string;
  readonly kind?: 'primary' | 'secondary' | 'quiet';
  readonly download?: boolean;
  readonly children: ComponentChildren;
}

export function LinkButton({ href, kind = 'secondary', download, children }: LinkButtonProps) {
  return (
    <a class={`button ${kind}`} href={href} {...(download === true ? { download: '' } : {})}>
      {children}
    </a>
  );
}
