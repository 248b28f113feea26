import type { JSX } from 'preact';
import { useParams } from 'wouter-preact';
import { links } from '../../links.ts';
import { Page } from '../../parts/page.tsx';
import { useSession } from '../../session.tsx';
import { useSite } from '../../site.tsx';
import { GeneralChapter } from './general/general-chapter.tsx';
import { KeysChapter } from './keys/keys-chapter.tsx';
import { PlayerChapter } from './player/player-chapter.tsx';
import { PodcastChapter } from './podcast/podcast-chapter.tsx';
import { ReadingChapter } from './reading/reading-chapter.tsx';
import { SourcesChapter } from './sources/sources-chapter.tsx';
import { WebhooksChapter } from './webhooks/webhooks-chapter.tsx';
import './configuration.css';

interface Chapter {
  readonly name: string;
  readonly title: string;
  readonly chapter: () => JSX.Element;
  readonly isForAdmins?: boolean;
}

const general: Chapter = { name: 'general', title: 'General', chapter: GeneralChapter };
const chapters: readonly Chapter[] = [
  general,
  { name: 'keys', title: 'API keys', chapter: KeysChapter },
  { name: 'player', title: 'Player', chapter: PlayerChapter },
  { name: 'reading', title: 'Reading', chapter: ReadingChapter },
  { name: 'podcast', title: 'Podcast feed', chapter: PodcastChapter },
  { name: 'sources', title: 'Sources', chapter: SourcesChapter },
  { name: 'webhooks', title: 'Webhooks', chapter: WebhooksChapter, isForAdmins: true },
];

/** What is set about a site, in chapters. */
export function ConfigurationPage() {
  const { site } = useSite();
  const { isAdmin } = useSession();
  const { chapter: named } = useParams<{ chapter?: string }>();
  const open = chapters.filter(({ isForAdmins }) => isAdmin || isForAdmins !== true);
  const shown = open.find(({ name }) => name === named) ?? general;
  return (
    <Page title="Configuration" about={site.name}>
      <nav class="chapters" aria-label="Chapters of the configuration">
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
      <shown.chapter key={shown.name} />
    </Page>
  );
}
