import { useState } from 'preact/hooks';
import { api, encodeSegment, unwrap } from '../../api.ts';
import { CheckField, SelectField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatLanguage } from '../../format.ts';
import { useAction } from '../../query.ts';
import { useSite } from '../../site.tsx';
import type { SiteVoices } from '../../site-voices.ts';

interface VoiceChoiceProps {
  readonly chosen: SiteVoices;
  readonly canEdit: boolean;
  readonly onChanged: (chosen: SiteVoices) => void;
}

/** Default voice, and the voices that listeners may switch to. */
export function VoiceChoiceForm({ chosen, canEdit, onChanged }: VoiceChoiceProps) {
  const { site, reload } = useSite();
  const { voices } = chosen;
  const [usualId, setUsualId] = useState(chosen.default_voice_id);
  const [allowsSwitch, setAllowsSwitch] = useState(chosen.allow_switch);
  const [extraIds, setExtraIds] = useState<readonly number[]>(chosen.extra_voices);
  const tell = useToast();
  const save = useAction(async () => {
    const changes = {
      default_voice_id: usualId,
      allow_switch: allowsSwitch,
      extra_voices: [...extraIds],
    };
    onChanged(await unwrap(api.sites({ site: encodeSegment(site.slug) }).voices.patch(changes)));
    reload();
    tell('Saved');
  });
  const isLost = usualId !== null && !voices.some(({ id }) => id === usualId);
  const isChanged =
    usualId !== chosen.default_voice_id ||
    allowsSwitch !== chosen.allow_switch ||
    extraIds.toSorted().join() !== chosen.extra_voices.toSorted().join();
  const [first] = voices;
  return (
    <Form action={save} submit="Save" canSubmit={canEdit && isChanged} fields={['default_voice_id']}>
      <SelectField
        label="Default voice"
        name="default_voice_id"
        value={usualId === null ? '' : String(usualId)}
        onValue={(value) => setUsualId(value === '' ? null : Number(value))}
        disabled={!canEdit}
        problem={save.problem}
        options={[
          { value: '', label: `First available voice${first ? `: ${first.name}` : ''}` },
          ...voices.map(({ id, name, language }) => ({
            value: String(id),
            label: `${name} (${formatLanguage(language)})`,
          })),
          ...(isLost ? [{ value: String(usualId), label: `Voice ${usualId} (unavailable)` }] : []),
        ]}
        hint="Speaks every post that names no voice, in its own language. Other languages are spoken by the first voice of theirs. It holds for new posts: those that are made stay as they are until they are made again."
      />
      <CheckField
        label="Allow voice switching"
        hint="Listeners can choose between the default voice and the extra voices."
        isChecked={allowsSwitch}
        onChecked={setAllowsSwitch}
        disabled={!canEdit}
      />
      {allowsSwitch && (
        <fieldset class="further">
          <legend>Extra voices</legend>
          {voices.map(({ id, name, language }) => (
            <CheckField
              key={id}
              label={`${name} (${formatLanguage(language)})`}
              isChecked={extraIds.includes(id)}
              disabled={!canEdit}
              onChecked={(isChosen) =>
                setExtraIds(isChosen ? [...extraIds, id] : extraIds.filter((extra) => extra !== id))
              }
            />
          ))}
          <p class="hint">
            Every post of their language is made in them too, the ones that are there as well; each takes its time and
            room. The MP3s of a voice that you take away are deleted.
          </p>
        </fieldset>
      )}
      {chosen.allow_switch && !allowsSwitch && chosen.extra_voices.length > 0 && (
        <Notice kind="warning">
          The MP3s of the extra voices will be deleted, and players go back to the default voice.
        </Notice>
      )}
    </Form>
  );
}
