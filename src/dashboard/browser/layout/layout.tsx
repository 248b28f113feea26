import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Navigation } from './navigation.tsx';

/** Navigation beside the page; a menu on a narrow screen. */
export function Layout({ children }: { readonly children: ComponentChildren }) {
  const [isOpen, setIsOpen] = useState(false);
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  useEffect(() => setIsOpen(false), [path]);
  return (
    <div class="layout">
      <button type="button" class="skip" onClick={() => main.current?.querySelector<HTMLElement>('h1')?.focus()}>
        Skip to content
      </button>
      <header class="top-bar">
        <span class="brand">Lectern</span>
        <button
          type="button"
          class="menu-button"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setIsOpen(!isOpen)}
        >
          Menu
        </button>
      </header>
      <div id="navigation" class={isOpen ? 'side open' : 'side'}>
        <Navigation />
      </div>
      <main ref={main} key={path}>
        {children}
      </main>
    </div>
  );
}
