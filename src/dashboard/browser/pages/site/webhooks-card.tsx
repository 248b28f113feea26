import { useState } from 'preact/hooks';
import type { AudioEvent } from '../../../../audio/events.ts';
import type { Webhook } from '../../../../webhooks/schema.ts';
import { ask } from '../../api.ts';
import { Collection } from '../../components/collection.tsx';
import { DialogButton } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { CheckField } from '../../components/field.tsx';
import { Card } from '../../components/page.tsx';
import type { RowAction } from '../../components/row-actions.tsx';
import { FormDialog, type SchemaField } from '../../components/schema-form.tsx';
import { SecretDialog } from '../../components/secret.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useSite } from '../../site.tsx';
import { DeliveryDrawer, WebhookHealth } from './delivery-drawer.tsx';

type EventType = AudioEvent['type'];

const eventTexts: Readonly<Record<EventType, string>> = {
  'audio.ready': 'Audio ready',
  'audio.failed': 'Audio failed',
  'audio.deleted': 'Audio deleted',
};
const eventTypes = Object.keys(eventTexts) as EventType[];
const pollMs = 10_000;

/** The webhooks of a site, with the state that their deliveries show. */
export function WebhooksCard() {
  const { site, routes } = useSite();
  const tell = useToast();
  const [secret, setSecret] = useState<string>();
  const [changes, setChanges] = useState(0);
  const onSecret = (value: string) => {
    setSecret(value);
    setChanges(changes + 1);
  };
  const actionsOf = (webhook: Webhook): readonly RowAction[] => {
    const route = routes.webhooks({ webhook: webhook.id });
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
          const { state } = await ask(() => route.test.post());
          tell(state === 'delivered' ? 'Test event delivered' : 'Test event failed: see the delivery log');
        },
      },
      {
        label: 'Edit',
        icon: 'pencil',
        dialog: ({ onClose, onDone }) => <EditWebhookDialog webhook={webhook} onClose={onClose} onDone={onDone} />,
      },
      {
        label: 'Rotate secret',
        icon: 'key-round',
        isDanger: true,
        confirm: { title: 'Rotate signing secret?', text: <AboutRotation webhook={webhook} /> },
        run: async () => onSecret((await ask(() => route['rotate-secret'].post())).secret),
      },
      {
        label: webhook.active ? 'Turn off' : 'Turn on',
        icon: webhook.active ? 'circle-pause' : 'play',
        run: () => ask(() => route.patch({ active: !webhook.active })),
        done: webhook.active ? 'Webhook is off' : 'Webhook is on',
      },
      {
        label: 'Delete webhook',
        icon: 'trash-2',
        isDanger: true,
        confirm: {
          title: 'Delete webhook?',
          text: (
            <p>
              Nothing is sent to <code>{webhook.url}</code> any more. Its delivery log is deleted.
            </p>
          ),
        },
        run: () => ask(() => route.delete()),
        done: 'Webhook deleted',
      },
    ];
  };
  return (
    <Card
      title="Webhooks"
      about="Messages to your server when audio is ready, has failed or was deleted. They are signed, and repeated for a day."
      actions={
        <DialogButton
          name="webhook"
          icon="plus"
          dialog={(onClose) => <AddWebhookDialog onSecret={onSecret} onClose={onClose} />}
        >
          Add webhook
        </DialogButton>
      }
      isFlush
    >
      <Collection
        label="Webhooks"
        load={(query) => ask(() => routes.webhooks.get({ query }))}
        dependencies={[site.slug, changes]}
        keyOf={({ id }) => id}
        everyMs={() => pollMs}
        columns={[
          {
            title: 'Address',
            phone: 'main',
            cell: ({ url, event_types }) => (
              <>
                <span class="title">{url}</span>
                <span class="line">{event_types.map((type) => eventTexts[type]).join(' · ')}</span>
              </>
            ),
          },
          {
            title: 'State',
            phone: 'line',
            cell: (webhook) => <WebhookHealth webhook={webhook} onSent={() => setChanges(changes + 1)} />,
          },
        ]}
        actions={actionsOf}
        empty={
          <EmptyState title="No webhooks yet">
            <p>Add an address of your server that takes POST requests: it then need not ask whether audio is ready.</p>
          </EmptyState>
        }
      />
      {secret !== undefined && (
        <SecretDialog title="Signing secret" label="Signing secret" value={secret} onClose={() => setSecret(undefined)}>
          <p class="sub">Your server checks messages with it, by any library for Standard Webhooks.</p>
        </SecretDialog>
      )}
    </Card>
  );
}

interface WebhookBody {
  readonly url: string;
  readonly event_types: EventType[];
}

const fields: readonly SchemaField<WebhookBody>[] = [
  {
    name: 'url',
    label: 'Address',
    kind: 'url',
    hint: 'HTTPS. Private addresses must be listed in the setting LECTERN_WEBHOOK_ALLOW.',
  },
  {
    name: 'event_types',
    label: 'Events',
    render: ({ value, onValue }) => {
      const chosen = (value ?? []) as EventType[];
      return (
        <fieldset class="stack tight">
          <legend class="label">Events</legend>
          {eventTypes.map((type) => (
            <CheckField
              key={type}
              label={eventTexts[type]}
              isChecked={chosen.includes(type)}
              onChecked={(is) => onValue(is ? [...chosen, type] : chosen.filter((one) => one !== type))}
            />
          ))}
        </fieldset>
      );
    },
  },
];

interface AddProps {
  /** @param secret its value, which no later response contains */
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}

function AddWebhookDialog({ onSecret, onClose }: AddProps) {
  const { routes } = useSite();
  return (
    <FormDialog<WebhookBody>
      title="Add webhook"
      body="POST /v1/sites/{site}/webhooks"
      fields={fields}
      initial={{ url: 'https://', event_types: eventTypes }}
      submit="Add webhook"
      send={async (body) => {
        const { secret } = await ask(() => routes.webhooks.post(body));
        onClose();
        onSecret(secret);
      }}
      onClose={onClose}
    />
  );
}

interface EditProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function EditWebhookDialog({ webhook, onClose, onDone }: EditProps) {
  const { routes } = useSite();
  return (
    <FormDialog<WebhookBody>
      title="Edit webhook"
      body="PATCH /v1/sites/{site}/webhooks/{webhook}"
      fields={fields}
      initial={{ url: webhook.url, event_types: webhook.event_types }}
      submit="Save webhook"
      send={(body) => ask(() => routes.webhooks({ webhook: webhook.id }).patch(body))}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

function AboutRotation({ webhook }: { readonly webhook: Webhook }) {
  return (
    <p>
      For 24 hours, messages are signed with both secrets, so that you can change your server without interruption.
      After that, messages to <code>{webhook.url}</code> are signed with the new secret only.
    </p>
  );
}
