import type { PasswordLink, UserRecord } from '../../../../auth/schema.ts';
import { api, request } from '../../api.ts';
import { deletion } from '../../components/actions.tsx';
import { Collection } from '../../components/collection.tsx';
import type { SecretProps } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { type FieldSpecs, formDialog } from '../../components/form.tsx';
import { Chip, QueryView, Status } from '../../components/page.tsx';
import { formatDateTime } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';

interface Invitation {
  readonly email: string;
  readonly role: UserRecord['role'];
  readonly sites: { site: number; role: 'editor' | 'viewer' }[];
}

type UserChanges = Invitation & { readonly disabled: boolean };

/** The accounts of the server. */
export function UsersPage() {
  const { user: self, refresh } = useSession();
  return (
    <Collection
      as="page"
      title="Users"
      head={() => [{ label: 'Invite', icon: 'user-plus', kind: 'primary', name: 'invite', dialog: inviteDialog() }]}
      load={(query) => request(() => api.users.get({ query }))}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'E-mail',
          phone: 'main',
          cell: ({ id, email, invited, disabled }) => (
            <span class="row wrap">
              <span class="title">{email}</span>
              {id === self.id && <Chip>You</Chip>}
              {invited && <Status icon="mail">Invited</Status>}
              {disabled && (
                <Status tone="warn" icon="ban">
                  Disabled
                </Status>
              )}
            </span>
          ),
        },
        { title: 'Role', phone: 'line', cell: (user) => <Roles user={user} /> },
        { title: 'Last here', phone: 'hidden', at: ({ last_sign_in_at }) => last_sign_in_at },
      ]}
      actions={(user) => {
        const isSelf = user.id === self.id;
        const route = api.users({ id: user.id });
        return [
          { label: 'Edit', icon: 'pencil', dialog: editDialog(user, isSelf, async () => isSelf && refresh()) },
          !isSelf && {
            label: 'Reset link',
            icon: 'key-round',
            confirm: {
              title: 'Reset link',
              text: <p>{user.email} chooses a new password with it. The present one works until then.</p>,
              label: 'Create link',
            },
            reveal: async () => toSecret(await request(() => route['reset-link'].post())),
          },
          !isSelf &&
            deletion('User', route, {
              confirm: { title: `Delete ${user.email}?`, text: aboutDeletion },
              done: `User ${user.email} deleted`,
            }),
        ];
      }}
      empty={{ title: 'Only you so far' }}
    />
  );
}

function Roles({ user: { role, sites } }: { readonly user: UserRecord }) {
  if (role === 'admin') return <>Admin</>;
  if (sites.length === 0) return <span class="dim">No site yet</span>;
  return <>{sites.map((site) => `${site.role === 'editor' ? 'Editor' : 'Viewer'} of ${site.name}`).join(', ')}</>;
}

const aboutDeletion = (
  <>
    <p>Ends its sessions at once: after Undo, the user signs in again. The audit log is kept.</p>
    <p>To keep the account, disable it instead.</p>
  </>
);

/** @param siteId the site whose editor the user becomes, unless something else is chosen */
export function inviteDialog(siteId?: number) {
  return formDialog<Invitation, PasswordLink>({
    title: 'Invite',
    body: 'InviteUserBody',
    fields,
    initial: { email: '', role: 'member', sites: siteId === undefined ? [] : [{ site: siteId, role: 'editor' }] },
    submit: 'Create invitation',
    send: (body) => request(() => api.users.invitations.post(body)),
    secret: toSecret,
  });
}

function editDialog({ id, email, role, disabled, sites }: UserRecord, isSelf: boolean, onSent: () => Promise<unknown>) {
  return formDialog<UserChanges>({
    title: `Edit ${email}`,
    body: 'UpdateUserBody',
    fields: {
      ...fields,
      disabled: {
        label: 'Account disabled',
        kind: 'check',
        isShown: () => !isSelf,
        hint: 'Ends all sessions. Nobody can sign in until the account is enabled.',
      },
    },
    initial: { email, role, disabled, sites: sites.map((site) => ({ site: site.id, role: site.role })) },
    submit: 'Save user',
    send: async (body) => {
      await request(() => api.users({ id }).patch(body));
      await onSent();
    },
  });
}

function toSecret({ kind, user, url, expires_at }: PasswordLink): SecretProps {
  const until = formatDateTime(expires_at);
  return {
    title: kind === 'invitation' ? 'Invitation link' : 'Reset link',
    head: `Send this link to ${user.email}. It works once, until ${until}, and is not shown again.`,
    label: 'link',
    value: url,
  };
}

/** Fields of an invitation, and of a user. */
const fields: FieldSpecs<Invitation> = {
  email: { label: 'E-mail address', kind: 'email' },
  role: {
    label: 'Role',
    options: { member: 'Editor or viewer of sites', admin: 'Admin: sees and changes everything' },
  },
  sites: {
    label: 'Sites',
    isShown: ({ role }) => role === 'member',
    render: ({ value, onValue }) => <SiteRoles of={value as Invitation['sites']} onChange={onValue} />,
  },
};

const maxSites = 100;
const siteRoles = {
  '': 'None',
  viewer: 'Viewer: read-only',
  editor: 'Editor: manages posts, pronunciations and settings',
};

interface SiteRolesProps {
  readonly of: Invitation['sites'];
  readonly onChange: (roles: Invitation['sites']) => void;
}

/** The role on each site. */
function SiteRoles({ of, onChange }: SiteRolesProps) {
  const sites = useQuery(() => request(() => api.sites.get({ query: { limit: maxSites } })), []);
  const set = (site: number, role: string) => {
    const others = of.filter((role) => role.site !== site);
    onChange(role === 'editor' || role === 'viewer' ? [...others, { site, role }] : others);
  };
  return (
    <fieldset class="stack tight">
      <legend class="label">Sites</legend>
      <QueryView of={sites}>
        {({ items }) => (
          <>
            {items.length === 0 && <p class="hint">No sites yet. Add one under Sites first.</p>}
            {items.map(({ id, name }) => (
              <Field
                key={id}
                label={name}
                value={of.find(({ site }) => site === id)?.role ?? ''}
                onValue={(role) => set(id, role)}
                options={siteRoles}
              />
            ))}
          </>
        )}
      </QueryView>
    </fieldset>
  );
}
