import { fetchApi } from '../../../api.ts';
import type { SiteDetail } from '../../../site.tsx';

type Category = SiteDetail['feed']['category'];

/** @returns the podcast categories from the OpenAPI document, their only source */
export async function podcastCategories(): Promise<readonly Category[]> {
  const document = (await (await fetchApi('/openapi.json')).json()) as Described;
  return document.components.schemas.FeedSettings.properties.category.enum;
}

interface Described {
  readonly components: {
    readonly schemas: {
      readonly FeedSettings: {
        readonly properties: { readonly category: { readonly enum: readonly Category[] } };
      };
    };
  };
}
