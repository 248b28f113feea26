import { useState } from 'preact/hooks';
import { ask } from '../../api.ts';
import { Dialog, DialogButton } from '../../components/dialog.tsx';
import { TextField, Toggle } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { Card } from '../../components/page.tsx';
import { useToast } from '../../components/toasts.tsx';
import { sitesChanged } from '../../frame/sites.ts';
import { navigate } from '../../location.ts';
import { useAction } from '../../query.ts';
import { useSite } from '../../site.tsx';
import type { SiteDraft } from './site-draft.ts';

/** What stops a site, or deletes it. */
export function DangerCard({ draft }: { readonly draft: Pick<SiteDraft<{ readonly active: boolean }>, 'toggle'> }) {
  return (
    <Card title="Danger">
      <div class="stack tight">
        <Toggle {...draft.toggle('active')} hint="Off: it serves no audio and takes no posts. Its data stays." />
        <div class="row wide wrap">
          <span>Delete the site with its posts, audio, keys, figures and settings.</span>
          <DialogButton kind="danger" icon="trash-2" dialog={(onClose) => <DeleteDialog onClose={onClose} />}>
            Delete site
          </DialogButton>
        </div>
      </div>
    </Card>
  );
}

function DeleteDialog({ onClose }: { readonly onClose: () => void }) {
  const { site, routes } = useSite();
  const tell = useToast();
  const [typed, setTyped] = useState('');
  const remove = useAction(async () => {
    await ask(() => routes.delete());
    tell(`${site.name} deleted`);
    sitesChanged();
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
        <p>
          Its MP3s answer 410 at once, and players on {site.domains[0]} show no audio. Its API keys get 401. Only an
          earlier backup brings it back.
        </p>
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
