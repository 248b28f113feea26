import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useDebounced } from '../query.ts';
import { SelectField } from './field.tsx';
import { Icon } from './icon.tsx';

/** A filter of a list; its value is part of the URL. */
export interface Filter {
  /** Name of the query parameter. */
  readonly name: string;
  readonly label: string;
  /** A list of values; without one the filter is a field. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly kind?: 'text' | 'date';
}

interface CollectionToolsProps {
  readonly search: string | undefined;
  readonly filters: readonly Filter[];
  readonly sorts: readonly { readonly value: string; readonly label: string }[];
  readonly address: URLSearchParams;
  readonly onChange: (changes: Readonly<Record<string, string>>) => void;
  readonly tool: ComponentChildren;
}

/** Search, filters and order of a list. */
export function CollectionTools({ search, filters, sorts, address, onChange, tool }: CollectionToolsProps) {
  if (search === undefined && filters.length === 0 && sorts.length === 0 && tool === undefined) return null;
  return (
    <search class="tools">
      {search !== undefined && (
        <TypedField name="q" label={search} kind="search" address={address} onChange={onChange} />
      )}
      {filters.map(({ name, label, options, kind = 'text' }) =>
        options === undefined ? (
          <TypedField key={name} name={name} label={label} kind={kind} address={address} onChange={onChange} />
        ) : (
          <SelectField
            key={name}
            label={label}
            isLabelHidden
            value={address.get(name) ?? ''}
            options={[{ value: '', label }, ...options]}
            onValue={(value) => onChange({ [name]: value })}
          />
        ),
      )}
      {(sorts.length > 0 || tool !== undefined) && (
        <div class="row end">
          {tool}
          {sorts.length > 0 && (
            <SelectField
              label="Order"
              isLabelHidden
              value={address.get('sort') ?? sorts[0]?.value ?? ''}
              options={sorts}
              onValue={(value) => onChange({ sort: value === sorts[0]?.value ? '' : value })}
            />
          )}
        </div>
      )}
    </search>
  );
}

interface TypedFieldProps extends Pick<CollectionToolsProps, 'address' | 'onChange'> {
  readonly name: string;
  readonly label: string;
  readonly kind: 'search' | 'text' | 'date';
}

/** Applies after a pause in typing. */
function TypedField({ name, label, kind, address, onChange }: TypedFieldProps) {
  const given = address.get(name) ?? '';
  const [typed, setTyped] = useState(given);
  useEffect(() => setTyped(given), [given]);
  const settled = useDebounced(typed.trim());
  useEffect(() => {
    if (settled !== given) onChange({ [name]: settled });
  }, [settled]);
  return (
    <label class={kind === 'search' ? 'input search' : 'input row'} style={kind === 'search' ? {} : { width: 'auto' }}>
      {kind === 'search' && <Icon name="search" />}
      {kind === 'date' && <span class="dim small">{label}</span>}
      <input
        type={kind}
        aria-label={label}
        placeholder={label}
        autocomplete="off"
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </label>
  );
}
