import { useState } from 'preact/hooks';
import { request } from '../../api.ts';
import { type FieldSpecs, withoutEmptyLines } from '../../components/form.tsx';
import { sitesChanged } from '../../frame/sites.ts';
import { useAction } from '../../query.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';

/**
 * Changes of the settings of a site, which are saved together.
 * @param toBody the request for the changed settings
 * @returns the state of the fields, and properties of the save bar
 */
export function useSiteDraft<T extends object>(
  saved: T,
  fields: FieldSpecs<T>,
  toBody: (changed: Partial<T>) => Parameters<SiteRoutes['patch']>[0],
) {
  const { routes, update } = useSite();
  const [changes, setChanges] = useState<Partial<T>>({});
  // In the order of the changes.
  const changed = (Object.keys(changes) as (keyof T)[]).filter(
    (name) => JSON.stringify(changes[name]) !== JSON.stringify(saved[name]),
  );
  const action = useAction(async () => {
    const body = Object.fromEntries(changed.map((name) => [name, withoutEmptyLines(changes[name])]));
    update(await request(() => routes.patch(toBody(body as Partial<T>))));
    setChanges({});
    sitesChanged();
  });
  const onDiscard = () => {
    setChanges({});
    action.reset();
  };
  return {
    values: { ...saved, ...changes },
    set: (more: Partial<T>) => setChanges((before) => ({ ...before, ...more })),
    problem: action.problem,
    bar: {
      ...{ action, onDiscard, changed: changed.flatMap((name) => fields[name]?.label ?? []) },
      fields: Object.keys(fields),
    },
  };
}
