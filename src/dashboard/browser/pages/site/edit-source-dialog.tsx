import type { Source } from '../../../../sources/schema.ts';
import { ask } from '../../api.ts';
import { SelectField, Toggle } from '../../components/field.tsx';
import { FormDialog } from '../../components/schema-form.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useQuery } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { fetchSiteVoices } from '../../site-voices.ts';

interface EditSourceProps {
  readonly source: Source;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

type Changes = Pick<Source, 'url' | 'voice_id' | 'visibility' | 'updates' | 'interval_minutes'>;

export function EditSourceDialog({ source, onClose, onDone }: EditSourceProps) {
  const { site, routes } = useSite();
  const tell = useToast();
  const voices = useQuery(() => fetchSiteVoices(site.slug), [site.slug]);
  const route = routes.sources({ source: source.id });
  const { url, voice_id, visibility, updates, interval_minutes } = source;
  return (
    <FormDialog<Changes>
      title="Edit feed"
      body="PATCH /v1/sites/{site}/sources/{source}"
      initial={{ url, voice_id, visibility, updates, interval_minutes }}
      fields={[
        {
          name: 'url',
          label: 'Feed address',
          kind: 'url',
          hint: 'With a new address the feed starts over: its newest items become posts.',
        },
        {
          name: 'voice_id',
          label: 'Voice',
          render: ({ value, onValue, problem }) => (
            <SelectField
              label="Voice"
              name="voice_id"
              problem={problem}
              value={typeof value === 'number' ? String(value) : ''}
              onValue={(chosen) => onValue(chosen === '' ? null : Number(chosen))}
              options={[
                { value: '', label: 'The voice for the language of each item' },
                ...(voices.value?.voices ?? []).map(({ id, name, language }) => ({
                  value: String(id),
                  label: `${name} (${language})`,
                })),
              ]}
            />
          ),
        },
        {
          name: 'visibility',
          label: 'Publish new posts',
          render: ({ value, onValue }) => (
            <Toggle
              label="Publish new posts"
              isChecked={value === 'public'}
              onChecked={(isPublic) => onValue(isPublic ? 'public' : 'private')}
            />
          ),
        },
        { name: 'updates', label: 'Update posts when items change' },
        {
          name: 'interval_minutes',
          label: 'Fetch every (minutes)',
          hint: '5 to 1440; longer if the feed asks for it. Empty: as the server is set.',
        },
      ]}
      submit="Save feed"
      // The same address is no new one.
      send={({ url: given, interval_minutes: minutes = null, ...rest }) =>
        ask(() => route.patch({ ...rest, interval_minutes: minutes, ...(given === url ? {} : { url: given }) }))
      }
      onDone={() => {
        tell('Feed saved');
        onDone();
      }}
      onClose={onClose}
    />
  );
}
