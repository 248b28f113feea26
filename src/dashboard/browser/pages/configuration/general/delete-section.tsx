import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { api, ask, part } from '../../../api.ts';
import { useAction } from '../../../loading.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { TextField } from '../../../parts/field.tsx';
import { Form } from '../../../parts/form.tsx';
import { Section } from '../../../parts/page.tsx';
import { useToast } from '../../../parts/toasts.tsx';
import { useSite } from '../../../site.tsx';

export function DeleteSection() {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Section title="Delete the site">
      <div class="danger-zone">
        <p>
          Its posts, audio, keys, figures and settings go with it, and nothing brings them back.
        </p>
        <div class="actions">
          <Button kind="danger" onClick={() => setIsAsking(true)}>
            Delete site…
          </Button>
        </div>
      </div>
      {isAsking && <DeleteDialog onClose={() => setIsAsking(false)} />}
    </Section>
  );
}

function DeleteDialog({ onClose }: { readonly onClose: () => void }) {
  const { site } = useSite();
  const [, navigate] = useLocation();
  const tell = useToast();
  const [typed, setTyped] = useState('');
  const remove = useAction(async () => {
    await ask(api.sites({ site: part(site.slug) }).delete());
    tell(`${site.name} deleted`);
    navigate('~/sites');
  });
  return (
    <Dialog title={`Delete ${site.name}?`} onClose={onClose}>
      <Form
        action={remove}
        submit="Delete site"
        kind="danger"
        canSubmit={typed.trim() === site.name}
        onCancel={onClose}
      >
        <ul class="plain-list">
          <li>
            Every MP3 address answers 410 at once, and every player on {site.domains[0]} is empty.
          </li>
          <li>Its API keys get 401, and what waits in the queue is dropped.</li>
          <li>A backup made before is the only way back.</li>
        </ul>
        <TextField
          label={`Type the site's name to confirm: ${site.name}`}
          autocomplete="off"
          value={typed}
          onValue={setTyped}
        />
      </Form>
    </Dialog>
  );
}
