import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { useAction, useQuery } from '../../../query.ts';
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
  const ofSite = api.sites({ site: encodeSegment(site.slug) });
  const voices = useQuery(() => ask(() => ofSite.voices.get()), [site.slug]);
  const save = useAction(async () => {
    await ask(() =>
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
    <Dialog title="Edit feed" onClose={onClose}>
      <Form action={save} submit="Save feed" fields={['url', 'voice_id', 'interval_minutes']} onCancel={onClose}>
        <TextField
          label="Feed URL"
          name="url"
          type="url"
          spellcheck={false}
          hint="With a new URL the feed starts over: its newest items become posts."
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
            { value: '', label: 'Default voice for the language of each item' },
            ...(voices.value?.voices ?? []).map(({ id, name, language }) => ({
              value: String(id),
              label: `${name} (${language})`,
            })),
          ]}
        />
        <CheckField label="Publish posts" hint="Applies to new items." isChecked={isPublic} onChecked={setIsPublic} />
        <CheckField label="Update posts when items change" isChecked={takesUpdates} onChecked={setTakesUpdates} />
        <TextField
          label="Fetch interval (minutes)"
          name="interval_minutes"
          type="number"
          min="5"
          max="1440"
          class="narrow"
          hint="5 to 1440; longer if the feed requests it. Empty: server default."
          problem={save.problem}
          value={minutes}
          onValue={setMinutes}
        />
      </Form>
    </Dialog>
  );
}
