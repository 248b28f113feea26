import type { UserRecord } from '../../../../auth/schema.ts';
import { api, ask } from '../../api.ts';
import { useLoaded } from '../../loading.ts';
import { SelectField } from '../../parts/field.tsx';
import { LoadedView } from '../../parts/list.tsx';

const sitesMax = 100;

export type SiteRole = UserRecord['sites'][number]['role'];
/** Site id → the part in it. */
export type Parts = ReadonlyMap<number, SiteRole>;

/** @returns the parts as the API takes them */
export function partsOf(parts: Parts): { site: number; role: SiteRole }[] {
  return [...parts].map(([site, role]) => ({ site, role }));
}

interface RightsFieldsProps {
  readonly role: UserRecord['role'];
  readonly onRole: (role: UserRecord['role']) => void;
  readonly parts: Parts;
  readonly onParts: (parts: Parts) => void;
}

/** The role, and for a member the part in each site. */
export function RightsFields({ role, onRole, parts, onParts }: RightsFieldsProps) {
  return (
    <>
      <SelectField
        label="Role"
        value={role}
        onValue={(value) => onRole(value === 'admin' ? 'admin' : 'member')}
        options={[
          { value: 'member', label: 'Member: what their sites let them' },
          { value: 'admin', label: 'Admin: everything, users and backups too' },
        ]}
      />
      {role === 'member' && <SiteParts parts={parts} onParts={onParts} />}
    </>
  );
}

function SiteParts({ parts, onParts }: Pick<RightsFieldsProps, 'parts' | 'onParts'>) {
  const sites = useLoaded(() => ask(api.sites.get({ query: { limit: sitesMax } })), []);
  const set = (siteId: number, value: string) => {
    const others = new Map([...parts].filter(([id]) => id !== siteId));
    if (value === 'editor' || value === 'viewer') others.set(siteId, value);
    onParts(others);
  };
  return (
    <fieldset class="site-parts">
      <legend>Part in sites</legend>
      <LoadedView of={sites}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="hint">
              There is no site yet. Add one under Sites, and give a part in it later.
            </p>
          ) : (
            items.map(({ id, name }) => (
              <SelectField
                key={id}
                label={name}
                value={parts.get(id) ?? ''}
                onValue={(value) => set(id, value)}
                options={[
                  { value: '', label: 'None' },
                  { value: 'viewer', label: 'Viewer: reads' },
                  { value: 'editor', label: 'Editor: changes posts, words and settings' },
                ]}
              />
            ))
          )
        }
      </LoadedView>
    </fieldset>
  );
}
