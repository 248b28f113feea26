import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { ConfirmDialog, Dialog } from '../../../components/dialog.tsx';
import { TextField } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { formatRelativeTime } from '../../../format.ts';
import { useAction } from '../../../query.ts';
import { useSite } from '../../../site.tsx';

/** A key as it is listed, without its value. */
export interface ApiKey {
  readonly id: number;
  readonly name: string;
  readonly prefix: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

interface MakeProps {
  /** @param key its value, which no later response contains */
  readonly onMade: (key: string) => void;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ onMade, onClose }: MakeProps) {
  const { site } = useSite();
  const [name, setName] = useState('production');
  const create = useAction(async () => {
    const { key } = await ask(() => api.sites({ site: encodeSegment(site.slug) }).keys.post({ name }));
    onMade(key);
  });
  return (
    <Dialog title="Create API key" onClose={onClose}>
      <Form action={create} submit="Create key" fields={['name']} onCancel={onClose}>
        <TextField
          label="Name"
          name="name"
          autocomplete="off"
          hint="Purpose of the key, for example production or staging."
          problem={create.problem}
          value={name}
          onValue={setName}
        />
      </Form>
    </Dialog>
  );
}

export function RotateKeysDialog({ keys, onMade, onClose }: MakeProps & { readonly keys: readonly ApiKey[] }) {
  const { site } = useSite();
  const [name, setName] = useState(keys[0]?.name ?? 'production');
  const rotate = useAction(async () => {
    const { key } = await ask(() => api.sites({ site: encodeSegment(site.slug) })['rotate-key'].post({ name }));
    onMade(key);
  });
  return (
    <Dialog title="Rotate API keys" onClose={onClose}>
      <Form action={rotate} submit="Rotate keys" kind="danger" fields={['name']} onCancel={onClose}>
        <div class="confirm">
          <p>
            {keys.length === 1
              ? 'This key stops working immediately:'
              : `These ${keys.length} keys stop working immediately:`}
          </p>
          <ul class="plain-list">
            {keys.map((key) => (
              <li key={key.id}>
                <KeyWords apiKey={key} />
              </li>
            ))}
          </ul>
          <p>
            Clients that use {keys.length === 1 ? 'it' : 'them'} get 401 until they have the new key. To avoid an
            interruption, create a second key first, and revoke the old one afterwards.
          </p>
        </div>
        <TextField
          label="Name of the new key"
          name="name"
          autocomplete="off"
          problem={rotate.problem}
          value={name}
          onValue={setName}
        />
      </Form>
    </Dialog>
  );
}

interface RevokeProps {
  readonly apiKey: ApiKey;
  readonly isLast: boolean;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({ apiKey, isLast, onRevoked, onClose }: RevokeProps) {
  const { site } = useSite();
  const tell = useToast();
  const revoke = useAction(async () => {
    await ask(() =>
      api
        .sites({ site: encodeSegment(site.slug) })
        .keys({ key: apiKey.id })
        .delete(),
    );
    tell(`Key ${apiKey.name} revoked`);
    onRevoked();
  });
  return (
    <ConfirmDialog title={`Revoke ${apiKey.name}?`} confirmLabel="Revoke key" action={revoke} onClose={onClose}>
      <p>
        <KeyWords apiKey={apiKey} /> stops working immediately and permanently. Clients that use it get 401.
      </p>
      {isLast && <p>This is the only key of the site. Without a key no CMS can submit articles.</p>}
    </ConfirmDialog>
  );
}

function KeyWords({ apiKey: { name, prefix, last_used_at } }: { readonly apiKey: ApiKey }) {
  return (
    <>
      <strong>{name}</strong> (<code>{prefix}…</code>,{' '}
      {last_used_at === null ? 'never used' : `last used ${formatRelativeTime(last_used_at)}`})
    </>
  );
}
