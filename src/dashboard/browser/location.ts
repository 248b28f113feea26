import { type ComponentChildren, createContext, h } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import type { BaseLocationHook } from 'wouter-preact';

/** The path and query behind the #, like `/sites/courier/posts?state=failed`. */
function currentPlace(): string {
  return `/${location.hash.replace(/^#?\/?/, '')}`;
}

/** The path behind the #, without its query. */
export function currentPath(): string {
  return currentPlace().split('?', 1)[0] ?? '/';
}

/** @param to path, with its query */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](replace ? history.state : null, '', `#${to}`);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

const PlaceContext = createContext('/');

/** One place for all components: with a listener in each, a page could know another address than the router. */
export function PlaceProvider({ children }: { readonly children: ComponentChildren }) {
  const [place, setPlace] = useState(currentPlace);
  useEffect(() => {
    const update = () => {
      setPlace(currentPlace());
      // A new history entry has no state. In one that was visited before, the browser restores the scroll position.
      if (history.state !== null) return;
      scrollTo(0, 0);
      history.replaceState({ isVisited: true }, '');
    };
    update();
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return h(PlaceContext.Provider, { value: place }, children);
}

/** For the router: paths of pages, without their queries. */
export const useHashPath: BaseLocationHook = Object.assign(
  () => [useContext(PlaceContext).split('?', 1)[0] ?? '/', navigate] as ReturnType<BaseLocationHook>,
  { hrefs: (href: string) => `#${href}` },
);

/** The query of the address: what is filtered, sorted or open. A change replaces the address; '' removes a member. */
export function useAddressQuery(): readonly [URLSearchParams, (changes: Readonly<Record<string, string>>) => void] {
  const [, text = ''] = useContext(PlaceContext).split('?');
  const query = useMemo(() => new URLSearchParams(text), [text]);
  const change = (changes: Readonly<Record<string, string>>) => {
    const [path = '/', before = ''] = currentPlace().split('?');
    const next = new URLSearchParams(before);
    for (const [name, value] of Object.entries(changes)) {
      if (value === '') next.delete(name);
      else next.set(name, value);
    }
    navigate(next.size === 0 ? path : `${path}?${next}`, { replace: true });
  };
  return [query, change];
}

/** Paths of pages, after the #. `site` is a slug or an ID. */
export const links = {
  site: (site: string | number) => `/sites/${site}`,
  /** @param rest like `/analytics` */
  ofSite: (site: string | number, rest: `/${string}`) => `/sites/${site}${rest}`,
  /** The screen on which a site without posts begins. */
  firstListen: (site: string | number) => `/sites/${site}/start`,
  newPost: (site: string | number) => `/sites/${site}/new`,
  post: (site: string | number, postId: string) => `/sites/${site}/posts/${encodeTwice(postId)}`,
  /** The page to edit the text. */
  postText: (site: string | number, postId: string, language: string) => `${links.post(site, postId)}/edit/${language}`,
  /** Analytics of a post. */
  postAnalytics: (site: string | number, postId: string) => `/sites/${site}/analytics/${encodeTwice(postId)}`,
};

/** Encoded twice: the router decodes once, its pages again, and an ID may contain a slash. */
function encodeTwice(postId: string): string {
  return encodeURIComponent(encodeURIComponent(postId));
}
