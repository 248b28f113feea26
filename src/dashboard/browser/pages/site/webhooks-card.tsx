import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { AudioEvent } from '../../../../audio/events.ts';
import type { Webhook } from '../../../../webhooks/schema.ts';
import { type ItemOf, request } from '../../api.ts';
import { ActionButton, deletion } from '../../components/actions.tsx';
import { Button, CopyLine } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import { Dialog, toast } from '../../components/dialog.tsx';
import { Choice } from '../../components/field.tsx';
import { type FieldSpecs, formDialog } from '../../components/form.tsx';
import { RelativeTime, Status } from '../../components/page.tsx';
import { capitalize, formatCount, formatNumber, formatSince } from '../../format.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';

type EventType = AudioEvent['type'];

const eventTexts: Readonly<Record<EventType, string>> = {
  'audio.ready': 'Audio ready',
  'audio.failed': 'Audio failed',
  'audio.deleted': 'Audio deleted',
};
const pollMs = 10_000;

type WebhookBody = Pick<Webhook, 'url' | 'event_types'>;

const fields: FieldSpecs<WebhookBody> = {
  url: {
    label: 'Address',
    kind: 'url',
    hint: 'HTTPS. Private addresses must be listed in the setting LECTERN_WEBHOOK_ALLOW.',
  },
  event_types: { label: 'Events', options: eventTexts },
};

/** The webhooks of a site, with the state that their deliveries show. */
export function WebhooksCard() {
  const { routes } = useSite();
  const add = formDialog<WebhookBody, { readonly secret: string }>({
    title: 'Add webhook',
    body: 'WebhookBody',
    fields,
    initial: { url: 'https://', event_types: Object.keys(eventTexts) as EventType[] },
    submit: 'Add webhook',
    send: (body) => request(() => routes.webhooks.post(body)),
    secret: toSecret,
  });
  return (
    <Collection
      as="card"
      title="Webhooks"
      about="Messages to your server when audio is ready, has failed or was deleted. They are signed, and retried for a day."
      head={() => [{ label: 'Add webhook', icon: 'plus', name: 'webhook', dialog: add }]}
      load={(query) => request(() => routes.webhooks.get({ query }))}
      keyOf={({ id }) => id}
      everyMs={() => pollMs}
      columns={[
        {
          title: 'Address',
          phone: 'main',
          cell: ({ url }) => url,
          line: ({ event_types }) => event_types.map((type) => eventTexts[type]).join(' · '),
        },
        {
          title: 'State',
          phone: 'line',
          cell: (webhook, reload) => <WebhookHealth webhook={webhook} onSent={reload} />,
        },
      ]}
      actions={(webhook) => {
        const route = routes.webhooks({ webhook: webhook.id });
        const { url, event_types, active } = webhook;
        return [
          {
            label: 'Delivery log',
            icon: 'scroll-text',
            dialog: ({ onDone }) => <DeliveryDrawer webhook={webhook} onClose={onDone} />,
          },
          {
            label: 'Send test event',
            icon: 'send',
            run: async () => {
              const { state } = await request(() => route.test.post());
              toast(state === 'delivered' ? 'Test event delivered' : 'Test event failed: see the delivery log');
            },
          },
          {
            label: 'Edit',
            icon: 'pencil',
            dialog: formDialog<WebhookBody>({
              title: 'Edit webhook',
              body: 'WebhookChanges',
              fields,
              initial: { url, event_types },
              submit: 'Save webhook',
              send: (body) => request(() => route.patch(body)),
            }),
          },
          {
            label: 'Rotate secret',
            icon: 'key-round',
            isDanger: true,
            confirm: {
              title: 'Rotate signing secret?',
              text: (
                <p>
                  For 24 hours, messages are signed with both secrets, so that you can change your server without
                  interruption. After that, messages to <code>{url}</code> are signed with the new secret only.
                </p>
              ),
            },
            reveal: async () => toSecret(await request(() => route['rotate-secret'].post())),
          },
          {
            label: active ? 'Turn off' : 'Turn on',
            icon: active ? 'circle-pause' : 'play',
            run: () => request(() => route.patch({ active: !active })),
            done: active ? 'Webhook is off' : 'Webhook is on',
          },
          deletion('Webhook', route, {
            confirm: {
              title: 'Delete webhook?',
              text: <p>Nothing is sent to {url} any more. Its delivery log is deleted after a minute.</p>,
            },
          }),
        ];
      }}
      empty={{
        title: 'No webhooks yet',
        children:
          'Add an address of your server that takes POST requests: it then need not ask whether audio is ready.',
      }}
    />
  );
}

function toSecret({ secret }: { readonly secret: string }) {
  return {
    title: 'Signing secret',
    label: 'Signing secret',
    value: secret,
    children: <p class="sub">Your server checks messages with it, by any library for Standard Webhooks.</p>,
  };
}

/** Whether a webhook works, by its deliveries. @param onSent called after undelivered messages were sent again */
function WebhookHealth({ webhook, onSent }: { readonly webhook: Webhook; readonly onSent: () => void }) {
  const { routes } = useSite();
  const { id, health, disabled_reason, previous_secret_until } = webhook;
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
        <ActionButton
          isCompact
          icon="refresh-cw"
          label="Send all again"
          subject={webhook.url}
          run={() => request(() => routes.webhooks({ webhook: id })['retry-all'].post())}
          done="Undelivered messages are being sent again"
          onDone={onSent}
        />
      )}
      {previous_secret_until !== null && Date.parse(previous_secret_until) > Date.now() && (
        <span class="dim">
          Both secrets until <RelativeTime at={previous_secret_until} />
        </span>
      )}
    </span>
  );
}

const slowMs = 10_000;
const states = {
  pending: { tone: 'info', icon: 'clock', word: 'Waiting' },
  delivered: { tone: 'good', icon: 'check', word: 'Delivered' },
  failed: { tone: 'bad', icon: 'circle-alert', word: 'Failed' },
} as const;
const stateOptions = { '': 'All', failed: 'Failed', pending: 'Waiting', delivered: 'Delivered' };
type Delivery = ItemOf<ReturnType<SiteRoutes['webhooks']>['deliveries']>;

/** The deliveries of a webhook with their attempts. */
function DeliveryDrawer({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const { routes } = useSite();
  const [state, setState] = useState('');
  const [changes, setChanges] = useState(0);
  const reload = () => setChanges((count) => count + 1);
  const { deliveries } = routes.webhooks({ webhook: webhook.id });
  const stateQuery = (state === '' ? {} : { state }) as Readonly<Record<string, never>>;
  return (
    <Dialog title="Delivery log" onClose={onClose} isDrawer>
      <div class="stack tight">
        <p class="sub cut">{webhook.url}</p>
        <WebhookHealth webhook={webhook} onSent={reload} />
        <div class="row wide wrap">
          <Choice label="State" value={state} onValue={setState} options={stateOptions} />
          <Button isCompact kind="quiet" icon="refresh-cw" label="Refresh" onClick={reload} />
        </div>
        <Collection
          title="Deliveries"
          load={(query) => request(() => deliveries.get({ query: { ...query, ...stateQuery } }))}
          dependencies={[webhook.id, state, changes]}
          keyOf={({ id }) => id}
          everyMs={(deliveries) => deliveryPollMs(deliveries, webhook.active)}
          columns={[
            {
              title: 'Delivery',
              phone: 'main',
              cell: (delivery) => {
                const run = () => request(() => deliveries({ delivery: delivery.id }).replay.post());
                const again = { label: 'Send again', isCompact: true, run, done: 'Message sent again' };
                return <DeliveryRow {...delivery} again={<ActionButton {...again} onDone={reload} />} />;
              },
            },
          ]}
          empty={{
            title: 'No deliveries',
            children: 'Send a test event to see whether your server takes messages.',
          }}
        />
      </div>
    </Dialog>
  );
}

/** Often while a delivery is due, rarely before a later attempt; an inactive webhook sends nothing. */
function deliveryPollMs(deliveries: readonly Delivery[], isActive: boolean): number | undefined {
  const waiting = deliveries.filter(({ state }) => state === 'pending');
  if (waiting.length === 0) return undefined;
  const next = Math.min(...waiting.map(({ next_attempt_at }) => Date.parse(next_attempt_at ?? '')));
  return isActive && next <= Date.now() + 1_000 ? 1_000 : slowMs;
}

/** @param again a button that sends it again */
function DeliveryRow({ again, ...delivery }: Delivery & { readonly again: ComponentChildren }) {
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
        <ol role="list" class="stack tight">
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
        {delivery.state !== 'pending' && <div class="actions">{again}</div>}
      </div>
    </details>
  );
}

function outcomeText({ status_code, error }: Delivery['attempts'][number]): string {
  return error === null ? `Status ${status_code}` : capitalize(error);
}
