import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { runInBackground } from '../../../background.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { useAction } from '../../../query.ts';
import { useSite } from '../../../site.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import {
  DeleteWebhookDialog,
  EditWebhookDialog,
  eventText,
  RotateSecretDialog,
  type Webhook,
} from './webhook-dialogs.tsx';
import './webhooks.css';

interface WebhookCardProps {
  readonly webhook: Webhook;
  readonly reload: () => void;
  readonly onSecret: (secret: string) => void;
}

export function WebhookCard({ webhook, reload, onSecret }: WebhookCardProps) {
  const { site } = useSite();
  const tell = useToast();
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete'>();
  const [hasLog, setHasLog] = useState(false);
  const [tests, setTests] = useState(0);
  const route = api.sites({ site: encodeSegment(site.slug) }).webhooks({ webhook: webhook.id });
  const turn = useAction(async () => {
    await ask(() => route.patch({ active: !webhook.active }));
    tell(webhook.active ? 'Webhook disabled' : 'Webhook enabled');
    reload();
  });
  const test = useAction(async () => {
    const { state } = await ask(() => route.test.post());
    tell(state === 'delivered' ? 'Test event delivered' : 'Test event failed. See the delivery log.');
    setHasLog(true);
    setTests(tests + 1);
  });
  const close = () => setOpen(undefined);
  return (
    <article class="card webhook" aria-label={webhook.url}>
      <header>
        <div>
          <h3>
            <code>{webhook.url}</code>
          </h3>
          <p class="hint">{webhook.event_types.map(eventText).join(' · ')}</p>
        </div>
        <Badge kind={webhook.active ? 'good' : 'warning'}>{webhook.active ? 'Enabled' : 'Disabled'}</Badge>
      </header>
      {!webhook.active && webhook.disabled_reason !== null && (
        <Notice kind="warning">
          <p>Disabled by the server: {webhook.disabled_reason}.</p>
        </Notice>
      )}
      {webhook.previous_secret_until !== null && Date.parse(webhook.previous_secret_until) > Date.now() && (
        <p class="hint">
          Messages are also signed with the previous secret until <RelativeTime at={webhook.previous_secret_until} />.
        </p>
      )}
      <div class="actions">
        <Button isBusy={test.isRunning} onClick={() => runInBackground(test.run())}>
          {' '}
          Send test event{' '}
        </Button>
        <Button aria-expanded={hasLog} onClick={() => setHasLog(!hasLog)}>
          {hasLog ? 'Hide delivery log' : 'Show delivery log'}
        </Button>
        <Button kind="quiet" onClick={() => setOpen('edit')}>
          Edit
        </Button>
        <Button kind="quiet" onClick={() => setOpen('rotate')}>
          Rotate secret
        </Button>
        <Button kind="quiet" isBusy={turn.isRunning} onClick={() => runInBackground(turn.run())}>
          {webhook.active ? 'Disable' : 'Enable'}
        </Button>
        <Button kind="quiet" onClick={() => setOpen('delete')}>
          Delete
        </Button>
      </div>
      <ErrorNotice problem={test.problem ?? turn.problem} />
      {hasLog && <DeliveryLog key={tests} webhookId={webhook.id} isActive={webhook.active} />}
      {open === 'edit' && <EditWebhookDialog webhook={webhook} onChanged={reload} onClose={close} />}
      {open === 'rotate' && (
        <RotateSecretDialog
          webhook={webhook}
          onSecret={(secret) => {
            onSecret(secret);
            reload();
          }}
          onClose={close}
        />
      )}
      {open === 'delete' && <DeleteWebhookDialog webhook={webhook} onChanged={reload} onClose={close} />}
    </article>
  );
}
