import { useState } from 'preact/hooks';
import type { AudioEvent } from '../../../../../audio/events.ts';
import { api, ask, encodeSegment } from '../../../api.ts';
import { ConfirmDialog, Dialog } from '../../../components/dialog.tsx';
import { CheckField, TextField } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { useAction } from '../../../query.ts';
import { useSite } from '../../../site.tsx';

type EventType = AudioEvent['type'];

const eventTexts: Readonly<Record<EventType, string>> = {
  'audio.ready': 'Audio ready',
  'audio.failed': 'Audio failed',
  'audio.deleted': 'Audio deleted',
};
const eventTypes = Object.keys(eventTexts) as readonly EventType[];

/** A webhook as it is listed, without its secret. */
export interface Webhook {
  readonly id: number;
  readonly url: string;
  readonly event_types: readonly EventType[];
  readonly active: boolean;
  readonly disabled_reason: string | null;
  readonly previous_secret_until: string | null;
}

/** @returns the label of an event type */
export function eventText(type: string): string {
  return (eventTexts as Readonly<Record<string, string>>)[type] ?? type;
}

interface CreateProps {
  /** @param secret its value, which no later response contains */
  readonly onMade: (secret: string) => void;
  readonly onClose: () => void;
}

export function CreateWebhookDialog({ onMade, onClose }: CreateProps) {
  const { site } = useSite();
  const [url, setUrl] = useState('https://');
  const [chosen, setChosen] = useState<readonly EventType[]>(eventTypes);
  const create = useAction(async () => {
    const { secret } = await ask(() =>
      api.sites({ site: encodeSegment(site.slug) }).webhooks.post({ url, event_types: [...chosen] }),
    );
    onMade(secret);
  });
  return (
    <Dialog title="Add webhook" onClose={onClose}>
      <Form action={create} submit="Add webhook" fields={['url']} canSubmit={chosen.length > 0} onCancel={onClose}>
        <UrlField url={url} onUrl={setUrl} problem={create.problem} />
        <EventsField chosen={chosen} onChosen={setChosen} />
      </Form>
    </Dialog>
  );
}

interface ChangeProps {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function EditWebhookDialog({ webhook, onChanged, onClose }: ChangeProps) {
  const { site } = useSite();
  const tell = useToast();
  const [url, setUrl] = useState(webhook.url);
  const [chosen, setChosen] = useState(webhook.event_types);
  const save = useAction(async () => {
    await ask(() =>
      api
        .sites({ site: encodeSegment(site.slug) })
        .webhooks({ webhook: webhook.id })
        .patch({ url, event_types: [...chosen] }),
    );
    tell('Webhook saved');
    onChanged();
    onClose();
  });
  return (
    <Dialog title="Edit webhook" onClose={onClose}>
      <Form action={save} submit="Save webhook" fields={['url']} canSubmit={chosen.length > 0} onCancel={onClose}>
        <UrlField url={url} onUrl={setUrl} problem={save.problem} />
        <EventsField chosen={chosen} onChosen={setChosen} />
      </Form>
    </Dialog>
  );
}

export function DeleteWebhookDialog({ webhook, onChanged, onClose }: ChangeProps) {
  const { site } = useSite();
  const tell = useToast();
  const remove = useAction(async () => {
    await ask(() =>
      api
        .sites({ site: encodeSegment(site.slug) })
        .webhooks({ webhook: webhook.id })
        .delete(),
    );
    tell('Webhook deleted');
    onChanged();
  });
  return (
    <ConfirmDialog title="Delete webhook?" confirmLabel="Delete webhook" action={remove} onClose={onClose}>
      <p>
        Stops all messages to <code>{webhook.url}</code>. Pending deliveries and the delivery log are deleted.
      </p>
    </ConfirmDialog>
  );
}

export function RotateSecretDialog({
  webhook,
  onSecret,
  onClose,
}: Omit<ChangeProps, 'onChanged'> & { readonly onSecret: (secret: string) => void }) {
  const { site } = useSite();
  const rotate = useAction(async () => {
    const { secret } = await ask(() =>
      api
        .sites({ site: encodeSegment(site.slug) })
        .webhooks({ webhook: webhook.id })
        ['rotate-secret'].post(),
    );
    onSecret(secret);
  });
  return (
    <ConfirmDialog title="Rotate signing secret?" confirmLabel="Rotate secret" action={rotate} onClose={onClose}>
      <p>
        For 24 hours, messages are signed with both secrets, so that you can update your server without interruption.
        After that, messages to <code>{webhook.url}</code> are signed with the new secret only.
      </p>
    </ConfirmDialog>
  );
}

interface UrlFieldProps {
  readonly url: string;
  readonly onUrl: (url: string) => void;
  readonly problem: Parameters<typeof TextField>[0]['problem'];
}

function UrlField({ url, onUrl, problem }: UrlFieldProps) {
  return (
    <TextField
      label="URL"
      name="url"
      type="url"
      autocomplete="off"
      spellcheck={false}
      hint="HTTPS URL of your server. Private addresses must be listed in the setting LECTERN_WEBHOOK_ALLOW."
      problem={problem}
      value={url}
      onValue={onUrl}
    />
  );
}

interface EventsFieldProps {
  readonly chosen: readonly EventType[];
  readonly onChosen: (chosen: readonly EventType[]) => void;
}

function EventsField({ chosen, onChosen }: EventsFieldProps) {
  return (
    <fieldset class="form">
      <legend>Events</legend>
      {eventTypes.map((type) => (
        <CheckField
          key={type}
          label={eventTexts[type]}
          isChecked={chosen.includes(type)}
          onChecked={(isChecked) => onChosen(isChecked ? [...chosen, type] : chosen.filter((one) => one !== type))}
        />
      ))}
    </fieldset>
  );
}
