/** Addresses of pages, behind the #. `site` is a slug or an id. */
export const links = {
  home: '/',
  site: (site: string | number) => `/sites/${site}`,
  /** @param rest like `/analytics` */
  ofSite: (site: string | number, rest: `/${string}`) => `/sites/${site}${rest}`,
  post: (site: string | number, postId: string) => `/sites/${site}/posts/${encodeTwice(postId)}`,
  /** Where the text is corrected. */
  postText: (site: string | number, postId: string, language: string) => `${links.post(site, postId)}/text/${language}`,
  /** What listeners of one post did. */
  postAnalytics: (site: string | number, postId: string) => `/sites/${site}/analytics/${encodeTwice(postId)}`,
};

/** Encoded twice, as the router decodes what it matches, and a slash in an id must outlive that. */
function encodeTwice(postId: string): string {
  return encodeURIComponent(encodeURIComponent(postId));
}

/** @param part as the router gives it, see `links.post` */
export function decodePostId(part: string): string {
  return decodeURIComponent(part);
}
