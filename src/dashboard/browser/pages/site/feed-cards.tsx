import type { FeedSettings } from '../../../../sites/settings.ts';
import { readPodcastCategories } from '../../../body-schemas.ts' with { type: 'macro' };
import { base, publicUrl, request } from '../../api.ts';
import { CopyLine } from '../../components/button.tsx';
import { SaveBar } from '../../components/dialog.tsx';
import { FieldGroup, type FieldSpecs, Fields } from '../../components/form.tsx';
import { Card, RelativeTime } from '../../components/page.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { useQuery } from '../../query.ts';
import { type SiteDetail, useSite } from '../../site.tsx';
import { isPublicNow } from '../posts/posts-api.ts';
import { useSiteDraft } from './site-draft.ts';

/** The podcast feed of a site: its settings, and how an app shows it. */
export function FeedCards() {
  const { site, canEdit } = useSite();
  const { usual, further } = listFields(site);
  const draft = useSiteDraft(site.feed, { ...usual, ...further }, (feed) => ({ feed }));
  return (
    <>
      <div class="columns">
        <Card title="Podcast feed" about="Each public post with audio is an episode.">
          <FieldGroup label="Podcast feed" isDisabled={!canEdit}>
            <Fields of={usual} {...draft} />
            <details>
              <summary>Author, e-mail address, website, copyright</summary>
              <div class="form">
                <Fields of={further} {...draft} />
              </div>
            </details>
          </FieldGroup>
        </Card>
        <AppPreview feed={draft.values} />
      </div>
      {site.feed.enabled && <Addresses />}
      <SaveBar {...draft.bar} />
    </>
  );
}

const categories = readPodcastCategories().map((value) => ({ value, label: value }));

function listFields({ name, domains }: SiteDetail) {
  const usual: FieldSpecs<FeedSettings> = {
    enabled: {
      label: 'Publish the feed',
      hint: 'Off: its address returns 404, and directories remove it after a while.',
    },
    title: { label: 'Title', placeholder: name },
    description: { label: 'Description', kind: 'area', placeholder: `Articles of ${name}, read aloud.` },
    image_url: {
      label: 'Cover image',
      kind: 'url',
      hint: 'A square JPEG or PNG, 1400 to 3000 pixels. Empty: the default picture.',
    },
    category: { label: 'Category', options: categories },
  };
  const further: FieldSpecs<FeedSettings> = {
    author: { label: 'Author', placeholder: name },
    email: {
      label: 'E-mail address',
      kind: 'email',
      hint: 'Directories send a code there. The feed makes it public; you can remove it afterwards.',
    },
    link: { label: 'Website', kind: 'url', placeholder: `https://${domains[0] ?? ''}/` },
    copyright: { label: 'Copyright' },
    explicit: { label: 'Explicit content' },
  };
  return { usual, further };
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
  const query = { state: 'ready', limit: shownEpisodes } as const;
  const episodes = useQuery(() => request(() => routes.posts.get({ query })), [site.slug]).value?.items;
  const playable = episodes?.filter(isPublicNow);
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
        <ul role="list" class="rows tight">
          {playable?.map(({ post_id, title, audio, created_at }) => (
            <li key={post_id}>
              <PlayButton
                label={title ?? post_id}
                source={audio.find((record) => record.audio_url !== null)?.audio_url}
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
        {playable?.length === 0 && <p class="hint">No episodes yet.</p>}
        {feed.image_url !== '' && <p class="hint">Apps show your own cover image.</p>}
      </div>
    </Card>
  );
}
