import { api, ask, part } from '../../../api.ts';

/** A feed that the site takes its posts from. */
export type Source = Awaited<ReturnType<typeof readSource>>;

export function readSource(slug: string, id: number) {
  return ask(
    api
      .sites({ site: part(slug) })
      .sources({ source: id })
      .get(),
  );
}
