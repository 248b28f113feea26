import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface PageProps {
  /** What it belongs to. */
  readonly back?: { readonly to: string; readonly title: string };
  readonly title: string;
  /** One sentence on what the page is for. */
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The frame of every page: title, actions, content. */
export function Page({ back, title, about, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Lectern`;
  }, [title]);
  // Whoever reads by screen reader learns that another page is there; nobody loses the field he writes in.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <header class="page-header">
        <div>
          {back !== undefined && (
            <a class="back" href={`#${back.to}`}>
              {back.title}
            </a>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about !== undefined && <p class="about">{about}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

interface SectionProps {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a page with a heading of its own. */
export function Section({ title, about, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section class="section" aria-labelledby={id}>
      <header>
        <div>
          <h2 id={id}>{title}</h2>
          {about !== undefined && <p class="about">{about}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
