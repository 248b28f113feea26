import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { TextField } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { Card } from '../../../components/page.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { sitesChanged } from '../../../frame/sites.ts';
import { useAction } from '../../../query.ts';
import { useSite } from '../../../site.tsx';

export function NameSection() {
  const { site, canEdit, reload } = useSite();
  const tell = useToast();
  const [name, setName] = useState(site.name);
  const save = useAction(async () => {
    await ask(() => api.sites({ site: encodeSegment(site.slug) }).patch({ name }));
    tell('Name saved');
    sitesChanged();
    reload();
  });
  return (
    <Card title="Name">
      <Form action={save} submit="Save name" fields={['name']} canSubmit={name !== site.name} isReadOnly={!canEdit}>
        <TextField
          label="Site name"
          name="name"
          autocomplete="off"
          hint={
            <>
              The artist of audio generated from now on. The slug <code>{site.slug}</code> and the ID {site.id} do not
              change.
            </>
          }
          problem={save.problem}
          value={name}
          onValue={setName}
        />
      </Form>
    </Card>
  );
}
