import { Badge } from '../../components/badge.tsx';
import { LinkButton } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Card, Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatLanguage } from '../../format.ts';
import { links } from '../../links.ts';
import { planNames } from '../../plans.ts';
import { useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { useSite } from '../../site.tsx';
import { fetchSiteVoices, type SiteVoices } from '../../site-voices.ts';
import { SampleButton } from './sample-button.tsx';
import { VoiceChoiceForm } from './voice-choice-form.tsx';
import { fetchVoices, type Voice, voiceText } from './voices.ts';
import './voices.css';

/** The voices of a site. */
interface Shown {
  /** Every enabled voice, including those above the plan. */
  readonly voices: readonly Voice[];
  readonly chosen: SiteVoices;
}

/** Default voice and extra voices of a site. */
export function SiteVoicesPage() {
  const { site, canEdit } = useSite();
  const { isAdmin } = useSession();
  const loaded = useQuery(async (): Promise<Shown> => {
    const [voices, chosen] = await Promise.all([fetchVoices(), fetchSiteVoices(site.slug)]);
    return { voices: voices.filter(({ enabled }) => enabled), chosen };
  }, [site.slug]);
  return (
    <Page
      title="Voices"
      about="Default voice of this site, and extra voices for its listeners."
      actions={<LinkButton href="#/server/voices">All voices</LinkButton>}
    >
      <QueryView of={loaded}>
        {(shown) =>
          shown.chosen.voices.length === 0 ? (
            <EmptyState title="No voice available">
              <p>
                The {planNames[site.plan]} plan includes no enabled voice.{' '}
                {isAdmin ? 'Enable or import a voice.' : 'An admin can enable a voice or change the plan of the site.'}
              </p>
            </EmptyState>
          ) : (
            <>
              <VoiceChoiceForm
                chosen={shown.chosen}
                canEdit={canEdit}
                onChanged={(chosen) => loaded.set({ ...shown, chosen })}
              />
              <Card title="Available voices" about={`The plan of this site is ${planNames[site.plan]}.`}>
                <SiteVoiceTable {...shown} />
              </Card>
            </>
          )
        }
      </QueryView>
      {canEdit && (
        <p class="hint lower">
          A post can use another voice: set <code>voice_id</code> in the API, or select a voice for a{' '}
          <a href={`#${links.ofSite(site.slug, '/new')}`}>new post</a>.
        </p>
      )}
    </Page>
  );
}

function SiteVoiceTable({ voices, chosen }: Shown) {
  const usual = usualVoice(chosen);
  const columns: Column<Voice>[] = [
    {
      title: 'Voice',
      cell: (voice) => (
        <div class="voice-name">
          <strong>{voice.name}</strong>
          <span class="hint">{voiceText(voice)}</span>
        </div>
      ),
    },
    { title: 'Language', cell: ({ locale }) => formatLanguage(locale) },
    { title: 'Used for', cell: (voice) => <Part voice={voice} chosen={chosen} usual={usual} /> },
    { title: 'ID', cell: ({ id }) => <code>{id}</code> },
    {
      title: 'Actions',
      isActions: true,
      cell: (voice) => <SampleButton voice={voice} />,
    },
  ];
  return (
    <div class="voice-table">
      <Table caption="Voices of this site" rows={voices} keyOf={({ id }) => id} columns={columns} />
    </div>
  );
}

interface PartProps {
  readonly voice: Voice;
  readonly chosen: SiteVoices;
  readonly usual: SiteVoices['voices'][number] | undefined;
}

/** The posts that use a voice by default. */
function Part({ voice, chosen, usual }: PartProps) {
  const { id, language, plan_required } = voice;
  if (!chosen.voices.some((one) => one.id === id)) {
    return <Badge kind="warning">Requires the {planNames[plan_required]} plan</Badge>;
  }
  if (usual?.id === id) return <Badge kind="good">Default voice</Badge>;
  const firstOfLanguage = chosen.voices.find((one) => one.language === language);
  if (usual?.language !== language && firstOfLanguage?.id === id) {
    return <Badge kind="good">Posts in {formatLanguage(language)}</Badge>;
  }
  if (chosen.allow_switch && chosen.extra_voices.includes(id)) {
    return <Badge kind="busy">Extra voice</Badge>;
  }
  return <span class="hint">Posts with this voice_id</span>;
}

function usualVoice({ voices, default_voice_id }: SiteVoices) {
  return voices.find(({ id }) => id === default_voice_id) ?? voices[0];
}
