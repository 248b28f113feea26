import { api, request } from '../../api.ts';
import { PageLink } from '../../components/button.tsx';
import { Card, QueryView } from '../../components/page.tsx';
import { HeadActions } from '../../components/row-actions.tsx';
import { Status } from '../../components/status.tsx';
import { useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { inviteDialog } from '../server/users-page.tsx';

const usersMax = 100;

/** Who can open the site, besides the admins. */
export function MembersCard() {
  const { site } = useSite();
  const users = useQuery(() => request(() => api.users.get({ query: { limit: usersMax } })), [site.slug]);
  const members = users.value?.items.flatMap(({ sites, ...user }) => {
    const role = sites.find(({ id }) => id === site.id)?.role;
    return role === undefined ? [] : [{ ...user, role }];
  });
  return (
    <Card
      title="Members"
      about="Editors change everything here but what is the admins'; viewers only look."
      actions={
        <HeadActions
          of={[{ label: 'Invite', icon: 'user-plus', dialog: inviteDialog(site.id) }]}
          onDone={users.reload}
        />
      }
    >
      <QueryView of={users}>
        {() => (
          <ul class="rows tight">
            {members?.map(({ id, email, role, invited }) => (
              <li key={id}>
                <span class="grow cut">{email}</span>
                {invited && <Status icon="mail">Invited</Status>}
                <span class="sub">{role === 'editor' ? 'Editor' : 'Viewer'}</span>
              </li>
            ))}
          </ul>
        )}
      </QueryView>
      {members?.length === 0 && <p class="sub">Only admins so far.</p>}
      <p class="hint">
        Roles and reset links are under <PageLink to="/server/users" text="Users" />.
      </p>
    </Card>
  );
}
