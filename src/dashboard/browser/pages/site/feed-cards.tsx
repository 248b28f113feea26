import { useState } from 'preact/hooks';
import type { FeedSettings } from '../../../../sites/settings.ts';
import { ask, base, publicUrl } from '../../api.ts';
import { CopyLine } from '../../components/copy.tsx';
import { SelectField, TextArea, TextField, Toggle } from '../../components/field.tsx';
import { Card } from '../../components/page.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SaveBar } from '../../components/save-bar.tsx';
import { useQuery } from '../../query.ts';
import { readBodySchema } from '../../schemas.ts';
import { useSite } from '../../site.tsx';
import { isScheduled } from '../posts/post-cells.tsx';
import { type SiteDraft, useSiteDraft } from './site-draft.ts';

const labels: Readonly<Record<keyof FeedSettings, string>> = {
  enabled: 'Publish the feed',
  title: 'Title',
  description: 'Description',
  author: 'Author',
  email: 'E-mail address',
  category: 'Category',
  image_url: 'Cover image',
  link: 'Website',
  copyright: 'Copyright',
  explicit: 'Explicit content',
};

/** The podcast feed of a site: its settings, and how an app shows it. */
export function FeedCards() {
  const { site, canEdit } = useSite();
  const draft = useSiteDraft(
    ({ feed }) => feed,
    labels,
    (feed) => ({ feed }),
  );
  return (
    <>
      <div class="columns">
        <Card title="Podcast feed" about="Each public post with audio is an episode.">
          <fieldset class="form" disabled={!canEdit}>
            <FeedFields {...draft} />
          </fieldset>
        </Card>
        <AppPreview feed={draft.values} />
      </div>
      {site.feed.enabled && <Addresses />}
      <SaveBar {...draft.bar} />
    </>
  );
}

function FeedFields({ values, field, toggle }: SiteDraft<FeedSettings>) {
  const { site } = useSite();
  const [isOpen, setIsOpen] = useState(false);
  const categories = useQuery(readCategories, []);
  return (
    <>
      <Toggle {...toggle('enabled')} hint="Off: its address answers 404, and directories drop it after a while." />
      <TextField {...field('title')} placeholder={site.name} />
      <TextArea {...field('description')} rows={3} placeholder={`Articles of ${site.name}, read aloud.`} />
      <TextField
        {...field('image_url')}
        type="url"
        placeholder="https://"
        hint="A square JPEG or PNG, 1400 to 3000 pixels. Empty: ours."
      />
      <SelectField
        {...field('category')}
        options={(categories.value ?? [values.category]).map((value) => ({ value, label: value }))}
      />
      <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>Author, e-mail address, website, copyright</summary>
        <div class="form">
          <TextField {...field('author')} placeholder={site.name} />
          <TextField
            {...field('email')}
            type="email"
            hint="Directories send a code there. The feed makes it public; you can remove it afterwards."
          />
          <TextField {...field('link')} type="url" placeholder={`https://${site.domains[0] ?? ''}/`} />
          <TextField {...field('copyright')} />
          <Toggle {...toggle('explicit')} />
        </div>
      </details>
    </>
  );
}

function Addresses() {
  const { site } = useSite();
  const address = `${publicUrl}/v1/public/feed.xml?domain=${encodeURIComponent(site.domains[0] ?? '')}`;
  const [title, href] = [site.name.replaceAll('"', '&quot;'), address.replaceAll('&', '&amp;')];
  return (
    <Card title="Address" about="Submit it to podcast directories, and link it from your pages.">
      <div class="stack tight">
        <CopyLine label="Feed URL" text={address} />
        <p class="hint">
          For another language, add <code>&amp;lang=de</code>. For the head of your pages:
        </p>
        <CopyLine
          label="HTML for the head of your pages"
          text={`<link rel="alternate" type="application/rss+xml" title="${title}" href="${href}">`}
        />
      </div>
    </Card>
  );
}

const shownEpisodes = 4;

/** As a podcast app shows the feed. */
function AppPreview({ feed }: { readonly feed: FeedSettings }) {
  const { site, routes } = useSite();
  const episodes = useQuery(
    () => ask(() => routes.posts.get({ query: { state: 'ready', limit: shownEpisodes } })),
    [site.slug],
  );
  const playable =
    episodes.value?.items.filter(({ visibility, publish_at }) => visibility === 'public' && !isScheduled(publish_at)) ??
    [];
  return (
    <Card title="In a podcast app">
      <div class="stack tight">
        <div class="row">
          <img class="cover" src={`${base}/v1/public/cover.png`} alt="" />
          <div class="grow">
            <p class="headline">{feed.title || site.name}</p>
            <p class="small sub">{feed.author || site.name}</p>
            <p class="tiny dim">{feed.category}</p>
          </div>
        </div>
        <ul class="rows tight">
          {playable.map(({ post_id, title, audio, created_at }) => (
            <li key={post_id}>
              <PlayButton
                label={title ?? post_id}
                source={audio.find(({ audio_url }) => audio_url !== null)?.audio_url ?? undefined}
              />
              <span class="grow">
                <span class="headline">{title ?? post_id}</span>
                <span class="line">
                  <RelativeTime at={created_at} />
                </span>
              </span>
            </li>
          ))}
        </ul>
        {episodes.value !== undefined && playable.length === 0 && <p class="hint">No episodes yet.</p>}
        {feed.image_url !== '' && <p class="hint">Apps show your own cover image.</p>}
      </div>
    </Card>
  );
}

async function readCategories(): Promise<readonly FeedSettings['category'][]> {
  const schema = await readBodySchema('PATCH /v1/sites/{site}');
  return (schema.properties?.['feed']?.properties?.['category']?.enum ?? []) as FeedSettings['category'][];
}
