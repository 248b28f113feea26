import { useState } from 'preact/hooks';
import type { Webhook } from '../../../../webhooks/schema.ts';
import { ask } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import { CopyLine } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Choice } from '../../components/field.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Status } from '../../components/status.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatCount, formatDateTime, formatNumber, formatTime } from '../../format.ts';
import { useAction } from '../../query.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';

interface HealthProps {
  readonly webhook: Webhook;
  /** Called after undelivered messages were sent again. */
  readonly onSent: () => void;
}

/** Whether a webhook works, by its deliveries. */
export function WebhookHealth({
  webhook: { id, health, disabled_reason, previous_secret_until },
  onSent,
}: HealthProps) {
  const { routes } = useSite();
  const tell = useToast();
  const sendAll = useAction(async () => {
    await ask(() => routes.webhooks({ webhook: id })['retry-all'].post());
    tell('Undelivered messages are being sent again');
    onSent();
  });
  const { state, since, undelivered, last_error } = health;
  const waiting = undelivered > 0 ? ` · ${formatNumber(undelivered)} undelivered` : '';
  return (
    <span class="row wrap">
      {state === 'failing' && (
        <Status tone="bad">
          <span title={last_error ?? ''}>
            {since === null ? 'Failing' : `Failing since ${formatSince(since)}`}
            {waiting}
          </span>
        </Status>
      )}
      {state === 'off' && (
        <Status tone="warn" icon="circle-pause">
          {disabled_reason === null ? 'Off' : `Turned off by the server: ${disabled_reason}`}
          {waiting}
        </Status>
      )}
      {state === 'unused' && <span class="dim">Not used yet</span>}
      {state === 'ok' && undelivered > 0 && <Status tone="warn">{formatNumber(undelivered)} undelivered</Status>}
      {undelivered > 0 && state !== 'off' && (
        <Button isCompact icon="refresh-cw" action={sendAll}>
          Send all again
        </Button>
      )}
      {previous_secret_until !== null && Date.parse(previous_secret_until) > Date.now() && (
        <span class="dim">
          Both secrets until <RelativeTime at={previous_secret_until} />
        </span>
      )}
    </span>
  );
}

/** The time of a moment today, else with its day. */
function formatSince(iso: string): string {
  const isToday = new Date(iso).toDateString() === new Date().toDateString();
  return isToday ? formatTime(iso) : formatDateTime(iso);
}

const slowMs = 10_000;
const states = {
  pending: { tone: 'info', icon: 'clock', word: 'Waiting' },
  delivered: { tone: 'good', icon: 'check', word: 'Delivered' },
  failed: { tone: 'bad', icon: 'circle-alert', word: 'Failed' },
} as const;
type State = keyof typeof states;
type Delivery = Awaited<ReturnType<typeof fetchDeliveries>>['items'][number];

function fetchDeliveries(routes: SiteRoutes, webhook: number, query: Readonly<Record<string, unknown>>) {
  return ask(() => routes.webhooks({ webhook }).deliveries.get({ query: query as { state?: State } }));
}

/** The deliveries of a webhook with their attempts. */
export function DeliveryDrawer({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const { routes } = useSite();
  const [state, setState] = useState('');
  const [changes, setChanges] = useState(0);
  const reload = () => setChanges((count) => count + 1);
  return (
    <Dialog title="Delivery log" onClose={onClose} isDrawer>
      <div class="stack tight">
        <p class="sub cut">{webhook.url}</p>
        <WebhookHealth webhook={webhook} onSent={reload} />
        <div class="row wide wrap">
          <Choice
            label="State"
            value={state}
            onValue={setState}
            options={[
              { value: '', label: 'All' },
              { value: 'failed', label: 'Failed' },
              { value: 'pending', label: 'Waiting' },
              { value: 'delivered', label: 'Delivered' },
            ]}
          />
          <Button isCompact kind="quiet" icon="refresh-cw" onClick={reload}>
            Refresh
          </Button>
        </div>
        <Collection
          label="Deliveries"
          load={(query) => fetchDeliveries(routes, webhook.id, { ...query, ...(state === '' ? {} : { state }) })}
          dependencies={[webhook.id, state, changes]}
          keyOf={({ id }) => id}
          everyMs={(deliveries: readonly Delivery[]) => pollMs(deliveries, webhook.active)}
          columns={[
            {
              title: 'Delivery',
              phone: 'main',
              cell: (delivery) => <DeliveryRow webhookId={webhook.id} delivery={delivery} onSent={reload} />,
            },
          ]}
          empty={
            <EmptyState title="No deliveries">
              <p>Send a test event to see whether your server takes messages.</p>
            </EmptyState>
          }
        />
      </div>
    </Dialog>
  );
}

/** Often while a delivery is due, rarely before a later attempt; an inactive webhook sends nothing. */
function pollMs(deliveries: readonly Delivery[], isActive: boolean): number | undefined {
  const waiting = deliveries.filter(({ state }) => state === 'pending');
  if (waiting.length === 0) return undefined;
  const next = Math.min(...waiting.map(({ next_attempt_at }) => Date.parse(next_attempt_at ?? '')));
  return isActive && next <= Date.now() + 1_000 ? 1_000 : slowMs;
}

interface DeliveryRowProps {
  readonly webhookId: number;
  readonly delivery: Delivery;
  readonly onSent: () => void;
}

function DeliveryRow({ webhookId, delivery, onSent }: DeliveryRowProps) {
  const { routes } = useSite();
  const tell = useToast();
  const resend = useAction(async () => {
    await ask(() => routes.webhooks({ webhook: webhookId }).deliveries({ delivery: delivery.id }).replay.post());
    tell('Message sent again');
    onSent();
  });
  const { tone, icon, word } = states[delivery.state];
  const last = delivery.attempts.at(-1);
  return (
    <details>
      <summary>
        <Status tone={tone} icon={icon}>
          {word}
        </Status>{' '}
        <code>{delivery.type}</code>{' '}
        <span class="dim small">
          <RelativeTime at={delivery.created_at} />
          {last !== undefined && ` · ${outcomeText(last)}`}
          {delivery.attempt_count > 1 && ` · ${formatCount(delivery.attempt_count, 'attempt')}`}
        </span>
      </summary>
      <div class="stack tight">
        <ol class="stack tight">
          {delivery.attempts.map((attempt) => (
            <li key={attempt.number}>
              {outcomeText(attempt)}, after {attempt.duration_ms} ms, <RelativeTime at={attempt.at} />
              {attempt.response !== null && attempt.response !== '' && <pre class="dim">{attempt.response}</pre>}
            </li>
          ))}
        </ol>
        {delivery.next_attempt_at !== null && (
          <p class="hint">
            Next attempt <RelativeTime at={delivery.next_attempt_at} />
          </p>
        )}
        <CopyLine label={`Message ${delivery.message_id}`} text={JSON.stringify(delivery.payload, null, 2)} />
        <ErrorNotice problem={resend.problem} />
        {delivery.state !== 'pending' && (
          <div class="actions">
            <Button isCompact action={resend}>
              Send again
            </Button>
          </div>
        )}
      </div>
    </details>
  );
}

function outcomeText({ status_code, error }: Delivery['attempts'][number]): string {
  if (error === null) return `Status ${status_code}`;
  return `${error.charAt(0).toUpperCase()}${error.slice(1)}`;
}
