import type { UserRecord } from '../../../../auth/schema.ts';
import { api, unwrap } from '../../api.ts';
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

interface RoleFieldsProps {
  readonly role: UserRecord['role'];
  readonly onRole: (role: UserRecord['role']) => void;
  readonly parts: SiteRoles;
  readonly onParts: (parts: SiteRoles) => void;
}

/** Role, and for members the role on each site. */
export function RoleFields({ role, onRole, parts, onParts }: RoleFieldsProps) {
  return (
    <>
      <SelectField
        label="Role"
        value={role}
        onValue={(value) => onRole(value === 'admin' ? 'admin' : 'member')}
        options={[
          { value: 'member', label: 'Member: access by site role' },
          { value: 'admin', label: 'Admin: full access, including users and backups' },
        ]}
      />
      {role === 'member' && <SiteRoleFields parts={parts} onParts={onParts} />}
    </>
  );
}

function SiteRoleFields({ parts, onParts }: Pick<RoleFieldsProps, 'parts' | 'onParts'>) {
  const sites = useQuery(() => unwrap(api.sites.get({ query: { limit: maxSites } })), []);
  const set = (siteId: number, value: string) => {
    const others = new Map([...parts].filter(([id]) => id !== siteId));
    if (value === 'editor' || value === 'viewer') others.set(siteId, value);
    onParts(others);
  };
  return (
    <fieldset class="site-parts">
      <legend>Site roles</legend>
      <QueryView of={sites}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="hint">No sites yet. Add a site under Sites, then assign a role.</p>
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
