import { useState } from 'preact/hooks';
import { api, ask, part } from '../../../api.ts';
import { siteRenamed } from '../../../layout/site-switch.tsx';
import { useAction } from '../../../loading.ts';
import { TextField } from '../../../parts/field.tsx';
import { Form } from '../../../parts/form.tsx';
import { Section } from '../../../parts/page.tsx';
import { useToast } from '../../../parts/toasts.tsx';
import { useSite } from '../../../site.tsx';

export function NameSection() {
  const { site, canEdit, reload } = useSite();
  const tell = useToast();
  const [name, setName] = useState(site.name);
  const save = useAction(async () => {
    await ask(api.sites({ site: part(site.slug) }).patch({ name }));
    tell('Name saved');
    siteRenamed();
    reload();
  });
  return (
    <Section title="Name">
      <Form
        action={save}
        submit="Save name"
        fields={['name']}
        canSubmit={name !== site.name}
        isReadOnly={!canEdit}
      >
        <TextField
          label="Name that listeners see"
          name="name"
          autocomplete="off"
          hint={
            <>
              The artist of every audio that is made from now on. In addresses and commands the site
              stays <code>{site.slug}</code>, number {site.id}.
            </>
          }
          problem={save.problem}
          value={name}
          onValue={setName}
        />
      </Form>
    </Section>
  );
}
