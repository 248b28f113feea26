import { api, ask } from '../../api.ts';
import { DialogButton } from '../../components/dialog.tsx';
import { Card } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Status } from '../../components/status.tsx';
import { useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { InviteDialog } from '../server/users-page.tsx';

const usersMax = 100;

/** Who can open the site, besides the admins. */
export function MembersCard() {
  const { site } = useSite();
  const users = useQuery(() => ask(() => api.users.get({ query: { limit: usersMax } })), [site.slug]);
  return (
    <Card
      title="Members"
      about="Editors change everything here but what is the admins'; viewers only look."
      actions={
        <DialogButton
          icon="user-plus"
          dialog={(onClose) => <InviteDialog siteId={site.id} onDone={users.reload} onClose={onClose} />}
        >
          Invite
        </DialogButton>
      }
    >
      <QueryView of={users}>
        {({ items }) => {
          const members = items.flatMap((user) => {
            const role = user.sites.find(({ id }) => id === site.id)?.role;
            return role === undefined ? [] : [{ ...user, role }];
          });
          return members.length === 0 ? (
            <p class="sub">Only admins so far.</p>
          ) : (
            <ul class="rows tight">
              {members.map(({ id, email, role, invited }) => (
                <li key={id}>
                  <span class="grow cut">{email}</span>
                  {invited && <Status icon="mail">Invited</Status>}
                  <span class="sub">{role === 'editor' ? 'Editor' : 'Viewer'}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </QueryView>
      <p class="hint">
        Roles and reset links are under{' '}
        <a class="link" href="#/server/users">
          Users
        </a>
        .
      </p>
    </Card>
  );
}
