import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { CopyLine } from '../../../components/copy.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Card } from '../../../components/page.tsx';
import { PagedQueryView } from '../../../components/query-view.tsx';
import { usePagedQuery } from '../../../query.ts';
import { useSite } from '../../../site.tsx';
import { WebhookCard } from './webhook-card.tsx';
import { CreateWebhookDialog } from './webhook-dialogs.tsx';

/** The webhooks of a site. */
export function WebhooksSection() {
  const { site } = useSite();
  const [isAdding, setIsAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  const webhooks = usePagedQuery(
    (cursor) =>
      ask(() =>
        api.sites({ site: encodeSegment(site.slug) }).webhooks.get({ query: cursor === undefined ? {} : { cursor } }),
      ),
    [site.slug],
  );
  const add = (
    <Button kind="primary" onClick={() => setIsAdding(true)}>
      Add webhook
    </Button>
  );
  return (
    <Card
      title="Webhooks"
      about="Webhooks notify your server when audio is ready, has failed or was deleted. Messages are signed and retried for one day."
      actions={(webhooks.items?.length ?? 0) > 0 && add}
    >
      {secret !== undefined && <NewSecret value={secret} onDone={() => setSecret(undefined)} />}
      <PagedQueryView
        of={webhooks}
        empty={
          <EmptyState title="No webhooks yet" action={add}>
            <p>
              Add the URL of an endpoint on your server that accepts POST requests. It receives an event as soon as
              audio is ready, so your server does not have to poll.
            </p>
          </EmptyState>
        }
      >
        {(items) => (
          <div class="webhooks">
            {items.map((webhook) => (
              <WebhookCard key={webhook.id} webhook={webhook} reload={webhooks.reload} onSecret={setSecret} />
            ))}
          </div>
        )}
      </PagedQueryView>
      {isAdding && (
        <CreateWebhookDialog
          onMade={(made) => {
            setSecret(made);
            setIsAdding(false);
            webhooks.reload();
          }}
          onClose={() => setIsAdding(false)}
        />
      )}
    </Card>
  );
}

function NewSecret({ value, onDone }: { readonly value: string; readonly onDone: () => void }) {
  return (
    <div class="new-secret">
      <Notice kind="success">
        <p>
          <strong>Copy the signing secret now. It is shown only once.</strong> Your server verifies messages with it,
          using any Standard Webhooks library.
        </p>
        <CopyLine label="Signing secret" text={value} />
        <div class="actions">
          <Button onClick={onDone}>Done</Button>
        </div>
      </Notice>
    </div>
  );
}
