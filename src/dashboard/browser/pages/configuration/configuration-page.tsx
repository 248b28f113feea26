import type { ComponentChildren } from 'preact';
import { Page } from '../../components/page.tsx';
import { useSession } from '../../session.tsx';
import { GeneralSection } from './general/general-section.tsx';
import { KeysSection } from './keys/keys-section.tsx';
import { PlayerSection } from './player/player-section.tsx';
import { PodcastSection } from './podcast/podcast-section.tsx';
import { NarrationSection } from './reading/narration-section.tsx';
import { SourcesSection } from './sources/sources-section.tsx';
import { WebhooksSection } from './webhooks/webhooks-section.tsx';
import './configuration.css';

export function PlayerPage() {
  return (
    <Parts title="Player">
      <PlayerSection />
    </Parts>
  );
}

export function SourcesPage() {
  return (
    <Parts title="Sources and feed">
      <SourcesSection />
      <PodcastSection />
    </Parts>
  );
}

export function DevelopersPage() {
  const { isAdmin } = useSession();
  return (
    <Parts title="Developers">
      <KeysSection />
      {isAdmin && <WebhooksSection />}
    </Parts>
  );
}

export function SettingsPage() {
  return (
    <Parts title="Settings">
      <GeneralSection />
      <NarrationSection />
    </Parts>
  );
}

function Parts({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <Page title={title}>
      <div class="stack">{children}</div>
    </Page>
  );
}
