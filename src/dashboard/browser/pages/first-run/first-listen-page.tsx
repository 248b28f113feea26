import { useState } from 'preact/hooks';
import { ask, encodeSegment } from '../../api.ts';
import { AudioPlayer, LiveAudioPlayer } from '../../components/audio-player.tsx';
import { Button, LinkButton } from '../../components/button.tsx';
import { EmbedLine } from '../../components/embed-line.tsx';
import { Choice, TextArea, TextField } from '../../components/field.tsx';
import { Form, useForm } from '../../components/form.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Paper, paperArticle, toParagraphs } from '../../components/paper.tsx';
import { Split, Steps } from '../../components/split.tsx';
import { Status } from '../../components/status.tsx';
import { links } from '../../links.ts';
import { useLive } from '../../live.ts';
import { useAction, useBundled, useQuery } from '../../query.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';
import { idFromTitle } from '../posts/text-draft.ts';
import { sample } from './sample.ts';

const pollMs = 1_500;
const shownParagraphs = 3;

type Posts = SiteRoutes['posts'];
type FirstPost = NonNullable<Awaited<ReturnType<typeof fetchFirstPost>>>;

/** The first article of a site: submit it, play it, embed it. */
export function FirstListenPage() {
  const { site, routes } = useSite();
  const post = useQuery(
    () => fetchFirstPost(routes.posts),
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

/** The newest post with its text; undefined: none yet. */
async function fetchFirstPost(posts: Posts) {
  const [newest] = (await ask(() => posts.get({ query: { limit: 1 } }))).items;
  if (newest === undefined) return undefined;
  const { audio } = await ask(() => posts({ post_id: encodeSegment(newest.post_id) }).get());
  const main = audio.find((one) => one.main);
  return {
    id: newest.post_id,
    title: newest.title ?? newest.post_id,
    /** A page with this canonical address needs no ID in its embed code. */
    hasUrl: newest.url !== null,
    status: main?.status ?? ('pending' as const),
    progress: main?.progress_percent ?? 0,
    error: main?.error ?? null,
    language: main?.language ?? 'en',
    audioUrl: main?.audio_url ?? undefined,
    segmentsUrl: main?.segments_url ?? undefined,
    paragraphs: toParagraphs(main?.content ?? '', shownParagraphs),
  };
}

interface ChooseProps {
  /** A first article without audio. */
  readonly failed: FirstPost | undefined;
  readonly onSent: () => void;
}

function Choose({ failed, onSent }: ChooseProps) {
  const { site } = useSite();
  const [way, setWay] = useState('paste');
  return (
    <>
      <h1>What shall be heard first?</h1>
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
          options={[
            { value: 'paste', label: 'Paste an article' },
            { value: 'feed', label: 'Feed address' },
          ]}
        />
        {way === 'paste' ? <PasteForm onSent={onSent} /> : <FeedForm onSent={onSent} />}
        <SampleButton onSent={onSent} />
      </div>
      <p class="hint">
        <a class="link" href={`#${links.site(site.slug)}`}>
          Go to the dashboard
        </a>{' '}
        without it.
      </p>
    </>
  );
}

interface WayProps {
  readonly onSent: () => void;
}

function PasteForm({ onSent }: WayProps) {
  const { routes } = useSite();
  const form = useForm({ post_title: '', content: '' }, async ({ post_title, content }) => {
    await sendArticle(routes.posts, post_title, content);
    onSent();
  });
  return (
    <Form action={form} submit="Generate audio" canSubmit={form.isFilled}>
      <TextField {...form.field('post_title')} label="Headline" autocomplete="off" />
      <TextArea {...form.field('content')} label="Text" rows={5} hint="Plain text or HTML, from 50 characters." />
    </Form>
  );
}

function FeedForm({ onSent }: WayProps) {
  const { site, routes } = useSite();
  const form = useForm({ url: '' }, async ({ url }) => {
    await ask(() => routes.sources.post({ url, backfill: 1 }));
    onSent();
  });
  return (
    <Form action={form} submit="Read the newest" canSubmit={form.isFilled}>
      <TextField
        {...form.field('url')}
        label="Feed address"
        type="url"
        placeholder={`https://${site.domains[0] ?? 'www.example.org'}/feed`}
        autocomplete="off"
        spellcheck={false}
        hint="Its newest item is read now, and each new one from now on."
      />
      {form.problem === undefined && form.isRunning && <Status tone="info">Fetching</Status>}
    </Form>
  );
}

function SampleButton({ onSent }: WayProps) {
  const { routes } = useSite();
  const send = useAction(async () => {
    await sendArticle(routes.posts, sample.title, sample.paragraphs.map((text) => `<p>${text}</p>`).join('\n'));
    onSent();
  });
  return (
    <div class="stack tight">
      <ErrorNotice problem={send.problem} />
      <div class="actions">
        <Button icon="headphones" action={send}>
          Use the sample
        </Button>
      </div>
    </div>
  );
}

function sendArticle(posts: Posts, title: string, content: string) {
  return ask(() => posts.post({ post_id: idFromTitle(title) || 'first-post', post_title: title, content }));
}

function OnYourPage({ post }: { readonly post: FirstPost }) {
  const { site } = useSite();
  const isReady = post.status === 'ready';
  return (
    <>
      <h1>{isReady ? 'Put it on your page' : 'Generating your first article'}</h1>
      <p class="sub">
        {isReady ? 'Paste this where the player should be.' : `${post.progress} %. You can listen already.`}
      </p>
      <div class="form">
        {isReady ? (
          <EmbedLine postId={post.hasUrl ? undefined : post.id} />
        ) : (
          <p class="sub">Your embed code appears here when the audio is ready.</p>
        )}
        <div class="actions">
          <LinkButton kind="primary" href={`#${links.site(site.slug)}`}>
            Open the dashboard
          </LinkButton>
          <LinkButton href={`#${links.ofSite(site.slug, '/player')}`}>Change its look</LinkButton>
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
        paragraphs={paragraphs}
        player={
          audioUrl === undefined ? (
            <LiveAudioPlayer
              postId={id}
              domain={site.domains[0] ?? ''}
              language={language}
              title={title}
              onPlay={() => undefined}
            />
          ) : (
            <AudioPlayer audioUrl={audioUrl} segmentsUrl={segmentsUrl} title={title} article={paperArticle} />
          )
        }
      />
      <p class="small">What your readers get.</p>
    </>
  );
}
