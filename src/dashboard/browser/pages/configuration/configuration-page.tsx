import type { JSX } from 'preact';
import { useParams } from 'wouter-preact';
import { Page } from '../../components/page.tsx';
import { links } from '../../links.ts';
import { useSession } from '../../session.tsx';
import { useSite } from '../../site.tsx';
import { GeneralSection } from './general/general-section.tsx';
import { KeysSection } from './keys/keys-section.tsx';
import { PlayerSection } from './player/player-section.tsx';
import { PodcastSection } from './podcast/podcast-section.tsx';
import { NarrationSection } from './reading/narration-section.tsx';
import { SourcesSection } from './sources/sources-section.tsx';
import { WebhooksSection } from './webhooks/webhooks-section.tsx';
import './configuration.css';

interface ConfigurationSection {
  readonly name: string;
  readonly title: string;
  readonly component: () => JSX.Element;
  readonly isForAdmins?: boolean;
}

const generalSection: ConfigurationSection = {
  name: 'general',
  title: 'General',
  component: GeneralSection,
};
const sections: readonly ConfigurationSection[] = [
  generalSection,
  { name: 'keys', title: 'API keys', component: KeysSection },
  { name: 'player', title: 'Player', component: PlayerSection },
  { name: 'reading', title: 'Narration', component: NarrationSection },
  { name: 'podcast', title: 'Podcast feed', component: PodcastSection },
  { name: 'sources', title: 'Sources', component: SourcesSection },
  { name: 'webhooks', title: 'Webhooks', component: WebhooksSection, isForAdmins: true },
];

/** The settings of a site, in sections. */
export function ConfigurationPage() {
  const { site } = useSite();
  const { isAdmin } = useSession();
  const { chapter: named } = useParams<{ chapter?: string }>();
  const open = sections.filter(({ isForAdmins }) => isAdmin || isForAdmins !== true);
  const shown = open.find(({ name }) => name === named) ?? generalSection;
  return (
    <Page title="Configuration" about={site.name}>
      <nav class="chapters" aria-label="Configuration sections">
        <ul>
          {open.map(({ name, title }) => (
            <li key={name}>
              <a
                href={`#${links.ofSite(site.slug, `/configuration/${name}`)}`}
                aria-current={name === shown.name ? 'page' : undefined}
              >
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <shown.component key={shown.name} />
    </Page>
  );
}
