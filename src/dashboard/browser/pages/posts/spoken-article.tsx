import { useId } from 'preact/hooks';
import type { Problem } from '../../api.ts';
import { useLoaded } from '../../loading.ts';
import { LoadedView } from '../../parts/list.tsx';
import { Listen } from '../../parts/listen.tsx';
import { Notice, ProblemNotice } from '../../parts/notice.tsx';
import { type Certificate, readTimings } from './posts-api.ts';
import { type SpokenBlock, spokenBlocks } from './spoken-blocks.ts';

interface SpokenArticleProps {
  readonly title: string;
  readonly language: string;
  readonly audioUrl: string;
  readonly segmentsUrl: string;
  /** False: it is heard by another player on the page. */
  readonly hasPlayer: boolean;
  /** Undefined: made before there were certificates. */
  readonly certificate: Certificate | undefined;
  /** Why it cannot be told whether there is one. */
  readonly problem: Problem | undefined;
}

/** The player that readers have, and beside it what it says. */
export function SpokenArticle(props: SpokenArticleProps) {
  const { title, language, audioUrl, segmentsUrl, hasPlayer, certificate, problem } = props;
  const id = useId();
  const timings = useLoaded(() => readTimings(segmentsUrl), [segmentsUrl]);
  return (
    <LoadedView of={timings}>
      {(segments) => {
        const blocks = certificate === undefined ? [] : spokenBlocks(segments, certificate);
        return (
          <div class="spoken">
            {hasPlayer && (
              <div class="spoken-player">
                <Listen
                  audioUrl={audioUrl}
                  segmentsUrl={segmentsUrl}
                  title={title}
                  article={`[id="${id}"]`}
                />
              </div>
            )}
            <article id={id} class="spoken-text" lang={language}>
              {blocks.length === 0 && (
                <NoText hasCertificate={certificate !== undefined} problem={problem} />
              )}
              {grouped(blocks)}
            </article>
          </div>
        );
      }}
    </LoadedView>
  );
}

interface NoTextProps {
  readonly hasCertificate: boolean;
  readonly problem: Problem | undefined;
}

function NoText({ hasCertificate, problem }: NoTextProps) {
  if (problem !== undefined) return <ProblemNotice problem={problem} />;
  return (
    <Notice>
      {hasCertificate
        ? 'Timings of this site are given out without the text, so it cannot be shown here.'
        : 'This audio was made by an older version. Make it again to see its text here.'}
    </Notice>
  );
}

/** Items that follow each other are one list. */
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
