import type { UserRecord } from '../../../../auth/schema.ts';
import { api, ask } from '../../api.ts';
import { SelectField } from '../../components/field.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { useQuery } from '../../query.ts';

const maxSites = 100;

export type SiteRole = UserRecord['sites'][number]['role'];
/** Site ID → role. */
export type SiteRoles = ReadonlyMap<number, SiteRole>;

/** @returns the roles in API format */
export function toSiteRoleList(parts: SiteRoles): { site: number; role: SiteRole }[] {
  return [...parts].map(([site, role]) => ({ site, role }));
}

interface SiteRoleFieldsProps {
  readonly parts: SiteRoles;
  readonly onParts: (parts: SiteRoles) => void;
}

/** The role on each site. */
export function SiteRoleFields({ parts, onParts }: SiteRoleFieldsProps) {
  const sites = useQuery(() => ask(() => api.sites.get({ query: { limit: maxSites } })), []);
  const set = (siteId: number, value: string) => {
    const others = new Map([...parts].filter(([id]) => id !== siteId));
    if (value === 'editor' || value === 'viewer') others.set(siteId, value);
    onParts(others);
  };
  return (
    <fieldset class="stack tight">
      <legend class="label">Sites</legend>
      <QueryView of={sites}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="hint">No sites yet. Add one under Sites first.</p>
          ) : (
            items.map(({ id, name }) => (
              <SelectField
                key={id}
                label={name}
                value={parts.get(id) ?? ''}
                onValue={(value) => set(id, value)}
                options={[
                  { value: '', label: 'None' },
                  { value: 'viewer', label: 'Viewer: read-only' },
                  { value: 'editor', label: 'Editor: manages posts, pronunciations and settings' },
                ]}
              />
            ))
          )
        }
      </QueryView>
    </fieldset>
  );
}
