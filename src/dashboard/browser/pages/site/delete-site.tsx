import { request } from '../../api.ts';
import { Dialog, DialogButton } from '../../components/dialog.tsx';
import { Form, useForm } from '../../components/form.tsx';
import { useToast } from '../../components/toasts.tsx';
import { sitesChanged } from '../../frame/sites.ts';
import { navigate } from '../../location.ts';
import { useSite } from '../../site.tsx';

/** Deletes the site, after its name has been typed. */
export function DeleteSite() {
  return (
    <div class="row wide wrap">
      <span>Delete the site with its posts, audio, keys, figures and settings.</span>
      <DialogButton
        kind="danger"
        icon="trash-2"
        label="Delete site"
        dialog={(opened) => <DeleteDialog {...opened} />}
      />
    </div>
  );
}

function DeleteDialog({ onClose }: { readonly onClose: () => void }) {
  const { site, routes } = useSite();
  const tell = useToast();
  const form = useForm({ typed: '' }, async () => {
    await request(() => routes.delete());
    tell(`${site.name} deleted`);
    sitesChanged();
    navigate('/server/sites');
  });
  return (
    <Dialog title={`Delete ${site.name}?`} onClose={onClose}>
      <p>
        Its MP3s answer 410 at once, and players on {site.domains[0]} show no audio. Its API keys get 401. Only an
        earlier backup brings it back.
      </p>
      <Form
        action={form}
        of={[{ name: 'typed', label: `Type the site's name to confirm: ${site.name}` }]}
        submit="Delete site"
        kind="danger"
        canSubmit={form.values.typed.trim() === site.name}
        onCancel={onClose}
      />
    </Dialog>
  );
}
