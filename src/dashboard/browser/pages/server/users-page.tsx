import { useState } from 'preact/hooks';
import type { PasswordLink, UserRecord } from '../../../../auth/schema.ts';
import { api, ask } from '../../api.ts';
import { Collection } from '../../components/collection.tsx';
import { Dialog, DialogButton } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { CheckField, SelectField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import type { RowAction } from '../../components/row-actions.tsx';
import { FormDialog, SchemaForm } from '../../components/schema-form.tsx';
import { Secret } from '../../components/secret.tsx';
import { Chip, Status } from '../../components/status.tsx';
import { formatDateTime } from '../../format.ts';
import { useAction, useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';

/** The accounts of the server. */
export function UsersPage() {
  const { user: self, refresh } = useSession();
  const [added, setAdded] = useState(0);
  const actionsOf = (user: UserRecord): readonly (RowAction | undefined)[] => {
    const isSelf = user.id === self.id;
    return [
      {
        label: 'Edit',
        icon: 'pencil',
        dialog: ({ onClose, onDone }) => (
          <UserDialog
            user={user}
            isSelf={isSelf}
            onClose={onClose}
            onDone={isSelf ? () => refresh().then(onDone) : onDone}
          />
        ),
      },
      isSelf
        ? undefined
        : {
            label: 'Reset link',
            icon: 'key-round',
            dialog: ({ onClose }) => <ResetDialog user={user} onClose={onClose} />,
          },
      isSelf
        ? undefined
        : {
            label: 'Delete user',
            icon: 'trash-2',
            isDanger: true,
            confirm: { title: `Delete ${user.email}?`, text: <AboutDeletion /> },
            run: () => ask(() => api.users({ id: user.id }).delete()),
            done: `User ${user.email} deleted`,
          },
    ];
  };
  return (
    <Page
      title="Users"
      actions={
        <DialogButton
          name="invite"
          kind="primary"
          icon="user-plus"
          dialog={(onClose) => <InviteDialog onClose={onClose} onDone={() => setAdded(added + 1)} />}
        >
          Invite
        </DialogButton>
      }
    >
      <Collection
        label="Users"
        load={(query) => ask(() => api.users.get({ query }))}
        dependencies={[added]}
        keyOf={({ id }) => id}
        columns={[
          { title: 'E-mail', phone: 'main', cell: (user) => <Who user={user} isSelf={user.id === self.id} /> },
          { title: 'Sees', phone: 'line', cell: (user) => <Rights user={user} /> },
          {
            title: 'Last here',
            align: 'end',
            phone: 'hidden',
            cell: ({ last_sign_in_at }) => <RelativeTime at={last_sign_in_at} />,
          },
        ]}
        actions={actionsOf}
        empty={<EmptyState title="Only you so far" />}
      />
    </Page>
  );
}

function Who({ user, isSelf }: { readonly user: UserRecord; readonly isSelf: boolean }) {
  return (
    <span class="row wrap">
      <span class="title">{user.email}</span>
      {isSelf && <Chip>You</Chip>}
      {user.disabled && (
        <Status tone="warn" icon="ban">
          Disabled
        </Status>
      )}
    </span>
  );
}

function Rights({ user: { role, sites } }: { readonly user: UserRecord }) {
  if (role === 'admin') return <>Everything</>;
  if (sites.length === 0) return <span class="dim">No site yet</span>;
  return <>{sites.map((site) => `${site.name} (${site.role})`).join(', ')}</>;
}

function AboutDeletion() {
  return (
    <>
      <p>Deletes the account and ends its sessions. The audit log is kept.</p>
      <p>To keep the account, disable it instead.</p>
    </>
  );
}

interface DialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const roleOptions = [
  { value: 'member', label: 'Member: sees the sites chosen here' },
  { value: 'admin', label: 'Admin: sees and changes everything' },
];

const emailField = { name: 'email', label: 'E-mail address', kind: 'email' } as const;
const roleField = { name: 'role', label: 'Role', options: roleOptions } as const;

interface Invitation {
  readonly email: string;
  readonly role: UserRecord['role'];
  readonly sites: { site: number; role: 'editor' | 'viewer' }[];
}

/**
 * @param onDone called when the invitation exists; the dialog stays open to show its link
 * @param siteId the site whose editor the user becomes, unless something else is chosen
 */
export function InviteDialog({ onClose, onDone, siteId }: DialogProps & { readonly siteId?: number }) {
  const [link, setLink] = useState<PasswordLink>();
  return (
    <Dialog title="Invite" onClose={onClose}>
      {link !== undefined ? (
        <ShownLink link={link} onClose={onClose} />
      ) : (
        <SchemaForm<Invitation>
          body="POST /v1/users/invitations"
          fields={[emailField, roleField, sitesField<Invitation>()]}
          initial={{ role: 'member', sites: siteId === undefined ? [] : [{ site: siteId, role: 'editor' }] }}
          submit="Create invitation"
          send={async (body) => setLink(await ask(() => api.users.invitations.post(body)))}
          onDone={onDone}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}

function ShownLink({ link: { user, url, expires_at }, onClose }: { link: PasswordLink; onClose: () => void }) {
  return (
    <Secret
      head={`Send this link to ${user.email}. It works once, until ${formatDateTime(expires_at)}, and is not shown again.`}
      label="link"
      value={url}
      onClose={onClose}
    />
  );
}

type UserChanges = Invitation & { readonly disabled: boolean };

interface UserDialogProps extends DialogProps {
  readonly user: UserRecord;
  readonly isSelf: boolean;
}

function UserDialog({ user, isSelf, onClose, onDone }: UserDialogProps) {
  const sites = toSiteRoleList(new Map(user.sites.map((site) => [site.id, site.role])));
  return (
    <FormDialog<UserChanges>
      title={`Edit ${user.email}`}
      body="PATCH /v1/users/{id}"
      fields={[
        emailField,
        roleField,
        sitesField<UserChanges>(),
        {
          name: 'disabled',
          label: 'Account disabled',
          isShown: () => !isSelf,
          render: ({ value, onValue }) => (
            <CheckField
              label="Account disabled"
              hint="Ends all sessions. Nobody can sign in until the account is enabled."
              isChecked={value === true}
              onChecked={onValue}
            />
          ),
        },
      ]}
      initial={{ email: user.email, role: user.role, disabled: user.disabled, sites }}
      submit="Save user"
      send={(body) => ask(() => api.users({ id: user.id }).patch(body))}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

/** The roles of a member, by site. */
function sitesField<B extends { readonly role: UserRecord['role']; readonly sites: Invitation['sites'] }>() {
  return {
    name: 'sites' as keyof B & string,
    label: 'Sites',
    isShown: ({ role }: Partial<B>) => role === 'member',
    render: ({ value, onValue }: { value: unknown; onValue: (value: unknown) => void }) => {
      const given = (value ?? []) as Invitation['sites'];
      const roles: SiteRoles = new Map(given.map(({ site, role }) => [site, role]));
      return <SiteRoleFields parts={roles} onParts={(next) => onValue(toSiteRoleList(next))} />;
    },
  };
}

const maxSites = 100;

type SiteRole = UserRecord['sites'][number]['role'];
/** Site ID → role. */
type SiteRoles = ReadonlyMap<number, SiteRole>;

/** @returns the roles in API format */
function toSiteRoleList(parts: SiteRoles): { site: number; role: SiteRole }[] {
  return [...parts].map(([site, role]) => ({ site, role }));
}

interface SiteRoleFieldsProps {
  readonly parts: SiteRoles;
  readonly onParts: (parts: SiteRoles) => void;
}

/** The role on each site. */
function SiteRoleFields({ parts, onParts }: SiteRoleFieldsProps) {
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

/** Creates a link by which the user chooses a new password. */
function ResetDialog({ user, onClose }: { readonly user: UserRecord; readonly onClose: () => void }) {
  const [link, setLink] = useState<PasswordLink>();
  const create = useAction(async () => setLink(await ask(() => api.users({ id: user.id })['reset-link'].post())));
  return (
    <Dialog title="Reset link" onClose={onClose}>
      {link !== undefined ? (
        <ShownLink link={link} onClose={onClose} />
      ) : (
        <Form action={create} submit="Create link" onCancel={onClose}>
          <p>{user.email} chooses a new password with it. The present one works until then.</p>
        </Form>
      )}
    </Dialog>
  );
}
