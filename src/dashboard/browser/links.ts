/** Paths of pages, after the #. `site` is a slug or an ID. */
export const links = {
  home: '/',
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

/** Encoded twice: the router decodes once, and an ID may contain a slash. */
function encodeTwice(postId: string): string {
  return encodeURIComponent(encodeURIComponent(postId));
}

/** @param part route parameter, see `links.post` */
export function decodePostId(part: string): string {
  return decodeURIComponent(part);
}
