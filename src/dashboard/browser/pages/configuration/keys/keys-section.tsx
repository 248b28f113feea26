import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { CopyLine } from '../../../components/copy.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Card } from '../../../components/page.tsx';
import { PagedQueryView } from '../../../components/query-view.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { type Column, Table } from '../../../components/table.tsx';
import { planNames } from '../../../plans.ts';
import { usePagedQuery } from '../../../query.ts';
import { useSite } from '../../../site.tsx';
import { generateSnippet } from '../../../snippets.ts';
import { type ApiKey, CreateKeyDialog, RevokeKeyDialog, RotateKeysDialog } from './key-dialogs.tsx';

type Open = { dialog: 'create' } | { dialog: 'rotate' } | { dialog: 'revoke'; key: ApiKey };

/** The API keys of a site. */
export function KeysSection() {
  const { site, canEdit } = useSite();
  const [open, setOpen] = useState<Open>();
  const [made, setMade] = useState<string>();
  const keys = usePagedQuery(
    (cursor) =>
      ask(() =>
        api
          .sites({ site: encodeSegment(site.slug) })
          .keys.get({ query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } }),
      ),
    [site.slug],
  );
  const active = keys.items?.filter(({ revoked_at }) => revoked_at === null) ?? [];
  const revoked = keys.items?.filter(({ revoked_at }) => revoked_at !== null) ?? [];
  const close = () => setOpen(undefined);
  const onMade = (key: string) => {
    setMade(key);
    close();
    keys.reload();
  };
  return (
    <Card
      title="API keys"
      about="Your CMS submits articles with an API key. Treat a key like a password: keep it on your server, never in a page."
      actions={
        canEdit &&
        active.length > 0 && (
          <>
            <Button onClick={() => setOpen({ dialog: 'rotate' })}>Rotate keys…</Button>
            <Button kind="primary" onClick={() => setOpen({ dialog: 'create' })}>
              Create API key
            </Button>
          </>
        )
      }
    >
      {site.plan !== 'enterprise' && (
        <div class="new-secret">
          <Notice kind="warning">
            <p>
              API keys require the Enterprise plan. This site is on {planNames[site.plan]}. Requests with its keys get
              403.
            </p>
          </Notice>
        </div>
      )}
      {made !== undefined && <NewKey value={made} onDone={() => setMade(undefined)} />}
      <PagedQueryView of={keys} empty={<NoKeys onCreate={() => setOpen({ dialog: 'create' })} />}>
        {() => (
          <>
            {active.length === 0 ? (
              <NoKeys onCreate={() => setOpen({ dialog: 'create' })} />
            ) : (
              <Table
                caption="API keys"
                rows={active}
                keyOf={({ id }) => id}
                columns={[
                  ...columns,
                  ...(canEdit
                    ? [
                        {
                          title: 'Actions',
                          isActions: true,
                          cell: (key: ApiKey) => (
                            <Button
                              kind="quiet"
                              aria-label={`Revoke ${key.name}, ${key.prefix}`}
                              onClick={() => setOpen({ dialog: 'revoke', key })}
                            >
                              Revoke
                            </Button>
                          ),
                        },
                      ]
                    : []),
                ]}
              />
            )}
            {revoked.length > 0 && (
              <details class="revoked">
                <summary>Revoked keys ({revoked.length})</summary>
                <Table
                  caption="Revoked keys"
                  rows={revoked}
                  keyOf={({ id }) => id}
                  columns={[
                    ...columns,
                    {
                      title: 'Revoked',
                      cell: ({ revoked_at }) => revoked_at !== null && <RelativeTime at={revoked_at} />,
                    },
                  ]}
                />
              </details>
            )}
          </>
        )}
      </PagedQueryView>
      {open?.dialog === 'create' && <CreateKeyDialog onMade={onMade} onClose={close} />}
      {open?.dialog === 'rotate' && <RotateKeysDialog keys={active} onMade={onMade} onClose={close} />}
      {open?.dialog === 'revoke' && (
        <RevokeKeyDialog apiKey={open.key} isLast={active.length === 1} onRevoked={keys.reload} onClose={close} />
      )}
    </Card>
  );
}

const columns: readonly Column<ApiKey>[] = [
  { title: 'Name', cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Prefix', cell: ({ prefix }) => <code>{prefix}…</code> },
  { title: 'Created', cell: ({ created_at }) => <RelativeTime at={created_at} /> },
  {
    title: 'Last used',
    cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <RelativeTime at={last_used_at} />),
  },
];

function NewKey({ value, onDone }: { readonly value: string; readonly onDone: () => void }) {
  return (
    <div class="new-secret">
      <Notice kind="success">
        <p>
          <strong>Copy the new key now. It is shown only once.</strong> The server stores only a hash of the key.
        </p>
        <CopyLine label="API key" text={value} />
        <details>
          <summary>Try it with curl</summary>
          <CopyLine label="curl command" text={generateSnippet(value)} />
        </details>
        <div class="actions">
          <Button onClick={onDone}>Done</Button>
        </div>
      </Notice>
    </div>
  );
}

function NoKeys({ onCreate }: { readonly onCreate: () => void }) {
  const { canEdit } = useSite();
  return (
    <EmptyState
      title="No API keys yet"
      action={
        canEdit && (
          <Button kind="primary" onClick={onCreate}>
            Create API key
          </Button>
        )
      }
    >
      <p>
        With an API key, your CMS submits each article to <code>POST /v1/audio/generate</code> when it is published or
        updated.
      </p>
    </EmptyState>
  );
}
