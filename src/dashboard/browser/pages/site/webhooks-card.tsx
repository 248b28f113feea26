import type { AudioEvent } from '../../../../audio/events.ts';
import type { Webhook } from '../../../../webhooks/schema.ts';
import { request } from '../../api.ts';
import { deletion } from '../../components/actions.tsx';
import { Collection } from '../../components/collection.tsx';
import { type FieldSpec, formDialog } from '../../components/form.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useSite } from '../../site.tsx';
import { DeliveryDrawer, WebhookHealth } from './delivery-drawer.tsx';

type EventType = AudioEvent['type'];

const eventTexts: Readonly<Record<EventType, string>> = {
  'audio.ready': 'Audio ready',
  'audio.failed': 'Audio failed',
  'audio.deleted': 'Audio deleted',
};
const pollMs = 10_000;

interface WebhookBody {
  readonly url: string;
  readonly event_types: EventType[];
}

const fields: readonly FieldSpec<WebhookBody>[] = [
  {
    name: 'url',
    label: 'Address',
    kind: 'url',
    hint: 'HTTPS. Private addresses must be listed in the setting LECTERN_WEBHOOK_ALLOW.',
  },
  { name: 'event_types', label: 'Events', options: eventTexts },
];

/** The webhooks of a site, with the state that their deliveries show. */
export function WebhooksCard() {
  const { site, routes } = useSite();
  const tell = useToast();
  const add = formDialog<WebhookBody, { readonly secret: string }>({
    title: 'Add webhook',
    body: 'POST /v1/sites/{site}/webhooks',
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
      about="Messages to your server when audio is ready, has failed or was deleted. They are signed, and repeated for a day."
      head={() => [{ label: 'Add webhook', icon: 'plus', name: 'webhook', dialog: add }]}
      load={(query) => request(() => routes.webhooks.get({ query }))}
      dependencies={[site.slug]}
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
              tell(state === 'delivered' ? 'Test event delivered' : 'Test event failed: see the delivery log');
            },
          },
          {
            label: 'Edit',
            icon: 'pencil',
            dialog: formDialog<WebhookBody>({
              title: 'Edit webhook',
              body: 'PATCH /v1/sites/{site}/webhooks/{webhook}',
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
            confirm: { title: 'Rotate signing secret?', text: <AboutRotation url={url} /> },
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

function AboutRotation({ url }: Pick<Webhook, 'url'>) {
  return (
    <p>
      For 24 hours, messages are signed with both secrets, so that you can change your server without interruption.
      After that, messages to <code>{url}</code> are signed with the new secret only.
    </p>
  );
}
