import { useState } from 'preact/hooks';
import { ApiError, ask } from '../../api.ts';
import { sitesChanged } from '../../frame/sites.ts';
import { type Action, useAction } from '../../query.ts';
import { type SiteDetail, type SiteRoutes, useSite } from '../../site.tsx';

type SiteChanges = Parameters<SiteRoutes['patch']>[0];

/** The settings with values of a kind. */
type NamesOf<T, V> = keyof { [K in keyof T as T[K] extends V ? K : never]: T[K] } & keyof T & string;

/** Settings that are changed but not saved. */
export interface SiteDraft<T> {
  readonly values: T;
  readonly set: (changes: Partial<T>) => void;
  readonly problem: ApiError | undefined;
  /** @returns the properties of a text field, or of a choice among the values of the setting */
  readonly field: (name: NamesOf<T, string>) => {
    readonly label: string;
    readonly name: string;
    readonly problem: ApiError | undefined;
    readonly value: string;
    readonly onValue: (value: string) => void;
  };
  /** @returns the properties of a toggle */
  readonly toggle: (name: NamesOf<T, boolean>) => {
    readonly label: string;
    readonly isChecked: boolean;
    readonly onChecked: (isChecked: boolean) => void;
  };
  /** For the save bar. */
  readonly bar: {
    readonly changed: readonly string[];
    readonly action: Action<[]>;
    readonly onDiscard: () => void;
    readonly fields: readonly string[];
  };
}

/**
 * Changes of the settings of a site, which are saved together.
 * @param of the settings of the page, from those of the site
 * @param labels by setting, as its field has it
 * @param toBody the request for the changed settings
 */
export function useSiteDraft<T extends object>(
  of: (site: SiteDetail) => T,
  labels: Readonly<Record<keyof T & string, string>>,
  toBody: (changed: Partial<T>) => SiteChanges,
): SiteDraft<T> {
  const { site, routes, update } = useSite();
  const saved = of(site);
  const [changes, setChanges] = useState<Partial<T>>({});
  const names = (Object.keys(changes) as (keyof T & string)[]).filter(
    (name) => JSON.stringify(changes[name]) !== JSON.stringify(saved[name]),
  );
  const save = useAction(async () => {
    const changed = Object.fromEntries(names.map((name) => [name, changes[name]])) as Partial<T>;
    update(await ask(() => routes.patch(toBody(changed))));
    setChanges({});
    sitesChanged();
  });
  const problem = inSettings(save.problem);
  const values = { ...saved, ...changes };
  const set = (more: Partial<T>) => setChanges((before) => ({ ...before, ...more }));
  const setOne = (name: keyof T, value: unknown) => set({ [name]: value } as Partial<T>);
  return {
    values,
    set,
    problem,
    field: (name) => ({
      ...{ label: labels[name], name, problem, value: String(values[name]) },
      onValue: (value) => setOne(name, value),
    }),
    toggle: (name) => ({
      ...{ label: labels[name], isChecked: values[name] === true },
      onChecked: (isChecked) => setOne(name, isChecked),
    }),
    bar: {
      changed: names.map((name) => labels[name]),
      action: { ...save, problem },
      onDiscard: () => {
        setChanges({});
        save.reset();
      },
      fields: Object.keys(labels),
    },
  };
}

/** A problem of `reading.keep.2` is shown at the field `keep`. */
function inSettings(problem: ApiError | undefined): ApiError | undefined {
  if (problem === undefined) return undefined;
  const fields: Record<string, string[]> = {};
  for (const [path, problems] of Object.entries(problem.fields)) {
    const name = path.replace(/^(reading|feed|player)\./, '').replace(/\.\d+$/, '');
    fields[name] = [...(fields[name] ?? []), ...problems];
  }
  return new ApiError(problem.status, problem.message, fields);
}
