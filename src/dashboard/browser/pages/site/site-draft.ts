import { useState } from 'preact/hooks';
import { request } from '../../api.ts';
import type { SaveBarProps } from '../../components/dialog.tsx';
import { type FieldSpec, type FieldState, withoutEmptyLines } from '../../components/form.tsx';
import { sitesChanged } from '../../frame/sites.ts';
import { useAction } from '../../query.ts';
import { type SiteDetail, type SiteRoutes, useSite } from '../../site.tsx';

/** Settings that are changed but not saved. */
export interface SiteDraft<T> extends FieldState<T> {
  readonly values: T;
  readonly bar: SaveBarProps;
}

/**
 * Changes of the settings of a site, which are saved together.
 * @param of the settings of the page, from those of the site
 * @param toBody the request for the changed settings
 */
export function useSiteDraft<T extends object>(
  of: (site: SiteDetail) => T,
  fields: readonly FieldSpec<T>[],
  toBody: (changed: Partial<T>) => Parameters<SiteRoutes['patch']>[0],
): SiteDraft<T> {
  const { site, routes, update } = useSite();
  const saved = of(site);
  const [changes, setChanges] = useState<Partial<T>>({});
  // In the order of the changes.
  const changed = (Object.keys(changes) as (keyof T)[])
    .filter((name) => JSON.stringify(changes[name]) !== JSON.stringify(saved[name]))
    .flatMap((name) => fields.find((field) => field.name === name) ?? []);
  const save = useAction(async () => {
    const body = Object.fromEntries(changed.map(({ name }) => [name, withoutEmptyLines(changes[name])]));
    update(await request(() => routes.patch(toBody(body as Partial<T>))));
    setChanges({});
    sitesChanged();
  });
  const onDiscard = () => {
    setChanges({});
    save.reset();
  };
  return {
    values: { ...saved, ...changes },
    set: (more) => setChanges((before) => ({ ...before, ...more })),
    problem: save.problem,
    bar: {
      ...{ changed: changed.map(({ label }) => label), action: save, onDiscard },
      fields: fields.map(({ name }) => name),
    },
  };
}
