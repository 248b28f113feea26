import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { useDebounced } from '../../query.ts';
import { actionKinds } from './audit-labels.ts';

/** The filters; an empty string means no filter. */
export interface AuditFilter {
  readonly actor: string;
  readonly action: string;
  readonly site: string;
  readonly from: string;
  readonly to: string;
}

export const noFilter: AuditFilter = { actor: '', action: '', site: '', from: '', to: '' };

interface AuditFiltersProps {
  readonly filter: AuditFilter;
  readonly sites: readonly { readonly slug: string; readonly name: string }[];
  readonly onFilter: (filter: AuditFilter) => void;
  readonly isFiltered: boolean;
}

export function AuditFilters({ filter, sites, onFilter, isFiltered }: AuditFiltersProps) {
  const change = (changes: Partial<AuditFilter>) => onFilter({ ...filter, ...changes });
  return (
    <search class="audit-filters" aria-label="Filter">
      <ActorField actor={filter.actor} onActor={(actor) => change({ actor })} />
      <SelectField
        label="Action"
        value={filter.action}
        onValue={(action) => change({ action })}
        options={[{ value: '', label: 'All actions' }, ...actionKinds]}
      />
      <SelectField
        label="Site"
        value={filter.site}
        onValue={(site) => change({ site })}
        options={[{ value: '', label: 'All sites' }, ...sites.map(({ slug, name }) => ({ value: slug, label: name }))]}
      />
      <TextField label="From (UTC)" type="date" value={filter.from} onValue={(from) => change({ from })} />
      <TextField label="To (UTC)" type="date" value={filter.to} onValue={(to) => change({ to })} />
      <Button disabled={!isFiltered} onClick={() => onFilter(noFilter)}>
        Clear filters
      </Button>
    </search>
  );
}

/** Queries after a pause in typing. */
function ActorField({ actor, onActor }: { actor: string; onActor: (actor: string) => void }) {
  const [typed, setTyped] = useState(actor);
  useEffect(() => setTyped(actor), [actor]);
  const settled = useDebounced(typed.trim());
  useEffect(() => {
    if (settled !== actor) onActor(settled);
  }, [settled]);
  return (
    <TextField label="Actor" placeholder="E-mail or command line" autoComplete="off" value={typed} onValue={setTyped} />
  );
}
