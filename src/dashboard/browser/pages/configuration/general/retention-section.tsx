import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { TextField } from '../../../components/field.tsx';
import { Form } from '../../../components/form.tsx';
import { Card } from '../../../components/page.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { useAction } from '../../../query.ts';
import { useSite } from '../../../site.tsx';

/** How long the MP3s of a site are kept. For admins. */
export function RetentionSection() {
  const { site, reload } = useSite();
  const tell = useToast();
  const [days, setDays] = useState(toText(site.audio_retention_days));
  const [megabytes, setMegabytes] = useState(toText(site.audio_retention_mb));
  const changes = { audio_retention_days: Number(days), audio_retention_mb: Number(megabytes) };
  const isLimited = changes.audio_retention_days > 0 || changes.audio_retention_mb > 0;
  const save = useAction(async () => {
    await ask(() => api.sites({ site: encodeSegment(site.slug) }).patch(changes));
    tell('Audio retention saved');
    reload();
  });
  return (
    <Card
      title="Audio retention"
      about="Removes the oldest MP3s to save disk space. Text and analytics are kept, and removed audio can be generated again."
    >
      <Form
        action={save}
        submit="Save audio retention"
        fields={['audio_retention_days', 'audio_retention_mb']}
        kind={isLimited ? 'danger' : 'primary'}
      >
        <TextField
          label="Keep audio for (days)"
          name="audio_retention_days"
          type="number"
          min={0}
          hint="Counted from the generation of the audio. Empty: no limit."
          problem={save.problem}
          value={days}
          onValue={setDays}
        />
        <TextField
          label="Keep at most (MB)"
          name="audio_retention_mb"
          type="number"
          min={0}
          hint="The newest audio of this site is kept, about 0.5 MB per minute. Empty: no limit."
          problem={save.problem}
          value={megabytes}
          onValue={setMegabytes}
        />
        {isLimited && (
          <p class="wrong">
            Audio beyond these limits is removed within seconds, then every hour. Its URLs return 410.
          </p>
        )}
      </Form>
    </Card>
  );
}

function toText(limit: number): string {
  return limit === 0 ? '' : String(limit);
}
