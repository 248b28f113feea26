import { useState } from 'preact/hooks';
import { api, ask, part } from '../../../api.ts';
import { useAction, useLoaded } from '../../../loading.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../../parts/field.tsx';
import { Form } from '../../../parts/form.tsx';
import { useToast } from '../../../parts/toasts.tsx';
import { useSite } from '../../../site.tsx';
import type { Source } from './source.ts';

interface EditSourceProps {
  readonly source: Source;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function EditSourceDialog({ source, onChanged, onClose }: EditSourceProps) {
  const { site } = useSite();
  const tell = useToast();
  const [url, setUrl] = useState(source.url);
  const [voiceId, setVoiceId] = useState(source.voice_id === null ? '' : String(source.voice_id));
  const [isPublic, setIsPublic] = useState(source.visibility === 'public');
  const [takesUpdates, setTakesUpdates] = useState(source.updates);
  const [minutes, setMinutes] = useState(String(source.interval_minutes ?? ''));
  const ofSite = api.sites({ site: part(site.slug) });
  const voices = useLoaded(() => ask(ofSite.voices.get()), [site.slug]);
  const save = useAction(async () => {
    await ask(
      ofSite.sources({ source: source.id }).patch({
        ...(url === source.url ? {} : { url }),
        voice_id: voiceId === '' ? null : Number(voiceId),
        visibility: isPublic ? 'public' : 'private',
        updates: takesUpdates,
        interval_minutes: minutes.trim() === '' ? null : Number(minutes),
      }),
    );
    tell('Feed saved');
    onChanged();
  });
  return (
    <Dialog title="Change the feed" onClose={onClose}>
      <Form
        action={save}
        submit="Save feed"
        fields={['url', 'voice_id', 'interval_minutes']}
        onCancel={onClose}
      >
        <TextField
          label="Address of the feed"
          name="url"
          type="url"
          spellcheck={false}
          hint="Another address begins anew: its newest items become posts."
          problem={save.problem}
          value={url}
          onValue={setUrl}
        />
        <SelectField
          label="Voice"
          name="voice_id"
          problem={save.problem}
          value={voiceId}
          onValue={setVoiceId}
          options={[
            { value: '', label: 'By the language of each item' },
            ...(voices.value?.voices ?? []).map(({ id, name, language }) => ({
              value: String(id),
              label: `${name} (${language})`,
            })),
          ]}
        />
        <CheckField
          label="Its posts are public"
          hint="Of what comes from now on."
          isChecked={isPublic}
          onChecked={setIsPublic}
        />
        <CheckField
          label="Corrections in the feed correct the post"
          isChecked={takesUpdates}
          onChecked={setTakesUpdates}
        />
        <TextField
          label="Minutes between two fetches"
          name="interval_minutes"
          type="number"
          min="5"
          max="1440"
          class="narrow"
          hint="5 to 1440; longer where the feed asks for it. Empty: as the server has it."
          problem={save.problem}
          value={minutes}
          onValue={setMinutes}
        />
      </Form>
    </Dialog>
  );
}
