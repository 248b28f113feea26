import { useState } from 'preact/hooks';
import { request } from '../../api.ts';
import { ActionButton } from '../../components/actions.tsx';
import { AudioPlayer } from '../../components/audio-player.tsx';
import { LinkButton, PageLink } from '../../components/button.tsx';
import { Choice } from '../../components/field.tsx';
import { Form, isFilled, useForm } from '../../components/form.tsx';
import { Heading, Notice, Status } from '../../components/page.tsx';
import { EmbedLine, fetchNewestPost, Paper, paperArticle, sample } from '../../components/paper.tsx';
import { Split, Steps } from '../../components/split.tsx';
import { useLive } from '../../live.ts';
import { links } from '../../location.ts';
import { useBundled, useQuery } from '../../query.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';
import { idFromTitle } from '../posts/text-draft.ts';

const pollMs = 1_500;
const shownParagraphs = 3;

type Posts = SiteRoutes['posts'];
type FirstPost = NonNullable<Awaited<ReturnType<typeof fetchNewestPost>>>;

/** The first article of a site: submit it, play it, embed it. */
export function FirstListenPage() {
  const { site, routes } = useSite();
  const post = useQuery(
    () => fetchNewestPost(routes.posts, shownParagraphs),
    [site.slug],
    (value) => (value?.status === 'ready' ? undefined : pollMs),
  );
  useLive(site.slug, useBundled(post.reload));
  const first = post.value;
  const isMade = first !== undefined && first.status !== 'failed';
  return (
    <Split name={isMade ? 'embed' : 'listen'} result={<Result post={first} />}>
      <Steps at={first?.status === 'ready' ? 3 : 2} />
      {isMade ? <OnYourPage post={first} /> : <Choose failed={first} onSent={post.reload} />}
    </Split>
  );
}

/** @param failed a first article without audio */
function Choose({ failed, onSent }: { readonly failed: FirstPost | undefined; readonly onSent: () => void }) {
  const { site, routes } = useSite();
  const [way, setWay] = useState('paste');
  return (
    <>
      <Heading title="What shall be heard first?" />
      <p class="sub">An article of yours, your feed, or a sample.</p>
      {failed !== undefined && (
        <Notice kind="problem">
          {failed.title}: {failed.error ?? 'no audio'}
        </Notice>
      )}
      <div class="form">
        <Choice
          label="Where the article comes from"
          value={way}
          onValue={setWay}
          options={{ paste: 'Paste an article', feed: 'Feed address' }}
        />
        {way === 'paste' ? <PasteForm onSent={onSent} /> : <FeedForm onSent={onSent} />}
        <div class="actions">
          <ActionButton
            icon="headphones"
            label="Use the sample"
            run={() => sendArticle(routes.posts, sample.title, sampleContent)}
            onDone={onSent}
          />
        </div>
      </div>
      <p class="hint">
        <PageLink to={links.site(site.slug)} text="Go to the dashboard" /> without it.
      </p>
    </>
  );
}

const sampleContent = sample.paragraphs.map((text) => `<p>${text}</p>`).join('\n');

interface WayProps {
  readonly onSent: () => void;
}

function PasteForm({ onSent }: WayProps) {
  const { routes } = useSite();
  const form = useForm({
    fields: {
      post_title: { label: 'Headline' },
      content: { label: 'Text', kind: 'area', hint: 'Plain text or HTML, from 50 characters.' },
    },
    initial: { post_title: '', content: '' },
    send: ({ post_title, content }) => sendArticle(routes.posts, post_title, content),
    onDone: onSent,
  });
  return <Form of={form} submit="Generate audio" canSubmit={isFilled} />;
}

function FeedForm({ onSent }: WayProps) {
  const { site, routes } = useSite();
  const placeholder = `https://${site.domains[0] ?? 'www.example.org'}/feed`;
  const hint = 'Its newest item is read now, and each new one from now on.';
  const form = useForm({
    fields: { url: { label: 'Feed address', kind: 'url', placeholder, hint } },
    initial: { url: '' },
    send: ({ url }) => request(() => routes.sources.post({ url, backfill: 1 })),
    onDone: onSent,
  });
  return (
    <Form of={form} submit="Read the newest" canSubmit={isFilled}>
      {form.isRunning && <Status tone="info">Fetching</Status>}
    </Form>
  );
}

function sendArticle(posts: Posts, title: string, content: string) {
  return request(() => posts.post({ post_id: idFromTitle(title) || 'first-post', post_title: title, content }));
}

function OnYourPage({ post }: { readonly post: FirstPost }) {
  const { site } = useSite();
  const isReady = post.status === 'ready';
  return (
    <>
      <Heading title={isReady ? 'Put it on your page' : 'Generating your first article'} />
      <p class="sub" role="status">
        {isReady ? 'Paste this where the player should be.' : `${post.progress} %. You can listen already.`}
      </p>
      <div class="form">
        {isReady ? (
          <EmbedLine postId={post.hasUrl ? undefined : post.id} />
        ) : (
          <p class="sub">Your embed code appears here when the audio is ready.</p>
        )}
        <div class="actions">
          <LinkButton kind="primary" to={links.site(site.slug)} label="Open the dashboard" />
          <LinkButton to={links.ofSite(site.slug, '/player')} label="Change its look" />
        </div>
      </div>
    </>
  );
}

/** The article with its player, as readers get it. */
function Result({ post }: { readonly post: FirstPost | undefined }) {
  const { site } = useSite();
  if (post === undefined || post.status === 'failed') {
    return <Paper name={site.name} headline={sample.title} paragraphs={sample.paragraphs} player={null} />;
  }
  const { id, title, language, audioUrl, segmentsUrl, paragraphs } = post;
  return (
    <>
      <Paper
        name={site.name}
        headline={title}
        lang={language}
        paragraphs={paragraphs}
        player={
          audioUrl === undefined ? (
            <AudioPlayer post-id={id} domain={site.domains[0]} language={language} />
          ) : (
            <AudioPlayer audioUrl={audioUrl} segmentsUrl={segmentsUrl} article={paperArticle} />
          )
        }
      />
      <p class="small">What your readers get.</p>
    </>
  );
}
