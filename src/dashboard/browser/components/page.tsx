import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface PageProps {
  /** The parent page. */
  readonly back?: { readonly to: string; readonly title: string };
  readonly title: string;
  /** The purpose of the page, in one sentence. */
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Layout of a page: title, actions, content. */
export function Page({ back, title, about, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Lectern`;
  }, [title]);
  // Tells screen readers that the page has changed, without taking the focus from a field.
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

/** A section of a page with a heading. */
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
