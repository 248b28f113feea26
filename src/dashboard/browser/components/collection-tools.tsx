import { useEffect, useState } from 'preact/hooks';
import { useDebounced } from '../query.ts';
import { Button } from './button.tsx';
import { Field, listOptions, type Options } from './field.tsx';
import { Icon } from './icon.tsx';

/** A filter of a list; its value is part of the URL. */
export interface Filter {
  /** Name of the query parameter. */
  readonly name: string;
  readonly label: string;
  /** A list of values; without one the filter is a field. */
  readonly options?: Options;
  readonly kind?: 'text' | 'date';
}

interface CollectionToolsProps {
  readonly search: string | undefined;
  readonly filters: readonly Filter[];
  readonly sorts: Options | undefined;
  readonly address: URLSearchParams;
  readonly onChange: (changes: Readonly<Record<string, string>>) => void;
  /** Where rows can be selected: on phones their boxes are shown on demand. */
  readonly onSelect?: (() => void) | false | undefined;
}

/** Search, filters and order of a list. */
export function CollectionTools({ search, filters, sorts = {}, address, onChange, onSelect }: CollectionToolsProps) {
  const orders = listOptions(sorts);
  if (search === undefined && filters.length === 0 && orders.length === 0) return null;
  const usual = orders[0]?.value ?? '';
  return (
    <search class="tools">
      {search !== undefined && <TypedField name="q" label={search} kind="search" {...{ address, onChange }} />}
      {onSelect && <Button class="phone-only" label="Select" onClick={onSelect} />}
      {filters.map(({ name, label, options, kind = 'text' }) =>
        options === undefined ? (
          <TypedField key={name} {...{ name, label, kind, address, onChange }} />
        ) : (
          <Field
            key={name}
            label={label}
            isLabelHidden
            value={address.get(name) ?? ''}
            options={[{ value: '', label: `Any ${label.toLowerCase()}` }, ...listOptions(options)]}
            onValue={(value) => onChange({ [name]: value })}
          />
        ),
      )}
      {orders.length > 0 && (
        <div class="row end">
          <Field
            label="Order"
            isLabelHidden
            value={address.get('sort') ?? usual}
            options={orders}
            onValue={(value) => onChange({ sort: value === usual ? '' : value })}
          />
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
