import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { api, ask, encodeSegment } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { TextField } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { Card } from '../../../components/page.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { useAction } from '../../../query.ts';
import { useSite } from '../../../site.tsx';

export function DeleteSection() {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Card title="Delete site">
      <div class="danger-zone">
        <p>Deletes the site with its posts, audio, keys, analytics and settings. This cannot be undone.</p>
        <div class="actions">
          <Button kind="danger" onClick={() => setIsAsking(true)}>
            Delete site…
          </Button>
        </div>
      </div>
      {isAsking && <DeleteDialog onClose={() => setIsAsking(false)} />}
    </Card>
  );
}

function DeleteDialog({ onClose }: { readonly onClose: () => void }) {
  const { site } = useSite();
  const [, navigate] = useLocation();
  const tell = useToast();
  const [typed, setTyped] = useState('');
  const remove = useAction(async () => {
    await ask(() => api.sites({ site: encodeSegment(site.slug) }).delete());
    tell(`${site.name} deleted`);
    navigate('/server/sites');
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
          <li>MP3 URLs return 410 immediately, and players on {site.domains[0]} show no audio.</li>
          <li>API keys of the site get 401, and queued audio is canceled.</li>
          <li>The site can only be restored from an earlier backup.</li>
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
