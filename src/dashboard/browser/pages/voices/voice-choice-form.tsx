import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../api.ts';
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

/** Default voice and extra voices. */
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
    onChanged(await ask(() => api.sites({ site: encodeSegment(site.slug) }).voices.patch(changes)));
    reload();
    tell('Voices saved');
  });
  const isLost = usualId !== null && !voices.some(({ id }) => id === usualId);
  const isChanged =
    usualId !== chosen.default_voice_id ||
    allowsSwitch !== chosen.allow_switch ||
    extraIds.toSorted().join() !== chosen.extra_voices.toSorted().join();
  const [first] = voices;
  return (
    <Form action={save} submit="Save voices" canSubmit={canEdit && isChanged} fields={['default_voice_id']}>
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
        hint="Used for posts in its language that specify no voice. Posts in another language use the first voice of that language. A change applies to new posts; existing audio keeps its voice until you regenerate it."
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
            Every post is also generated in the extra voices of its language, including existing posts. This takes time
            and storage. Deselecting a voice deletes its MP3s.
          </p>
        </fieldset>
      )}
      {chosen.allow_switch && !allowsSwitch && chosen.extra_voices.length > 0 && (
        <Notice kind="warning">
          Saving deletes the MP3s of the extra voices. Players return to the default voice.
        </Notice>
      )}
    </Form>
  );
}
