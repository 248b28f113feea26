import { useId } from 'preact/hooks';
import type { ApiError } from '../../api.ts';
import { AudioPlayer } from '../../components/audio-player.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { useQuery } from '../../query.ts';
import { type Certificate, fetchTimings } from './posts-api.ts';
import { type SpokenBlock, spokenBlocks } from './spoken-blocks.ts';

interface SpokenArticleProps {
  readonly title: string;
  readonly language: string;
  readonly audioUrl: string;
  readonly segmentsUrl: string;
  /** False: another player on the page plays the audio. */
  readonly hasPlayer: boolean;
  /** Undefined: the audio has no certificate. */
  readonly certificate: Certificate | undefined;
  /** Why the certificate could not be loaded. */
  readonly problem: ApiError | undefined;
}

/** The public player with the spoken text. */
export function SpokenArticle(props: SpokenArticleProps) {
  const { title, language, audioUrl, segmentsUrl, hasPlayer, certificate, problem } = props;
  const id = useId();
  const timings = useQuery(() => fetchTimings(segmentsUrl), [segmentsUrl]);
  return (
    <QueryView of={timings}>
      {(segments) => {
        const blocks = certificate === undefined ? [] : spokenBlocks(segments, certificate);
        return (
          <div class="spoken">
            {hasPlayer && (
              <div class="spoken-player">
                <AudioPlayer audioUrl={audioUrl} segmentsUrl={segmentsUrl} title={title} article={`[id="${id}"]`} />
              </div>
            )}
            <article id={id} class="spoken-text" lang={language}>
              {blocks.length === 0 && <NoText hasCertificate={certificate !== undefined} problem={problem} />}
              {grouped(blocks)}
            </article>
          </div>
        );
      }}
    </QueryView>
  );
}

interface NoTextProps {
  readonly hasCertificate: boolean;
  readonly problem: ApiError | undefined;
}

function NoText({ hasCertificate, problem }: NoTextProps) {
  if (problem !== undefined) return <ErrorNotice problem={problem} />;
  return (
    <Notice>
      {hasCertificate
        ? 'The timings of this site do not contain the text, so it cannot be shown here.'
        : 'This audio has no certificate. Regenerate it to see its text.'}
    </Notice>
  );
}

/** Consecutive list items form one list. */
function grouped(blocks: readonly SpokenBlock[]) {
  const groups: SpokenBlock[][] = [];
  for (const block of blocks) {
    const last = groups.at(-1);
    if (block.kind === 'list' && last?.[0]?.kind === 'list') last.push(block);
    else groups.push([block]);
  }
  return groups.map((group, index) => <Group key={index} group={group} />);
}

function Group({ group }: { readonly group: readonly SpokenBlock[] }) {
  const [first] = group;
  if (first === undefined) return null;
  const text = first.sentences.join(' ');
  switch (first.kind) {
    case 'title':
      return <h2 class="spoken-title">{text}</h2>;
    case 'heading':
      return <h3>{text}</h3>;
    case 'quote':
      return <blockquote>{text}</blockquote>;
    case 'list':
      return (
        <ul>
          {group.map(({ sentences }, index) => (
            <li key={index}>{sentences.join(' ')}</li>
          ))}
        </ul>
      );
    default:
      return <p>{text}</p>;
  }
}
