import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface PageProps {
  /** The parent page. */
  readonly back?: { readonly to: string; readonly title: string };
  readonly title: string;
  /** The title is the paper's: a headline. */
  readonly isHeadline?: boolean;
  /** One line below the title. */
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Layout of a page: title, actions, content. */
export function Page({ back, title, isHeadline = false, about, actions, children }: PageProps) {
  return (
    <>
      <header class="page-head">
        <div>
          {back !== undefined && <BackLink {...back} />}
          <Heading title={title} look={isHeadline ? 'serif' : ''} />
          {about !== undefined && <p class="sub">{about}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** Leads to the parent page. */
export function BackLink({ to, title }: { readonly to: string; readonly title: string }) {
  return (
    <a class="back" href={`#${to}`}>
      <Icon name="arrow-left" />
      {title}
    </a>
  );
}

/** The heading of a page, also in the title of the window. */
export function Heading({ title, look }: { readonly title: string; readonly look: '' | 'serif' | 'unseen' }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Lectern`;
  }, [title]);
  // Tells screen readers that the page has changed, without taking the focus from a field.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} class={look}>
      {title}
    </h1>
  );
}

interface CardProps {
  readonly title?: string;
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** The content reaches the edges: rows, a list, figures. */
  readonly isFlush?: boolean;
  readonly children: ComponentChildren;
}

/** A part of a page with a heading. */
export function Card({ title, about, actions, isFlush = false, children }: CardProps) {
  const id = useId();
  return (
    <section class="card" {...(title === undefined ? {} : { 'aria-labelledby': id })}>
      {title !== undefined && (
        <header>
          <div>
            <h2 id={id}>{title}</h2>
            {about !== undefined && <p class="sub small">{about}</p>}
          </div>
          {actions !== undefined && <div class="actions">{actions}</div>}
        </header>
      )}
      {isFlush ? children : <div class="body">{children}</div>}
    </section>
  );
}
