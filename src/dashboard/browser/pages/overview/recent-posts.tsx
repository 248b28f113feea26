import { links } from '../../links.ts';
import { Moment } from '../../parts/moment.tsx';
import { Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { useSite } from '../../site.tsx';
import { durationText } from '../../words.ts';
import { AudioState } from '../posts/audio-state.tsx';
import type { Overview } from './reading.ts';

/** The newest posts, with how far they are. */
export function RecentPosts({ posts }: Pick<Overview, 'posts'>) {
  const { site } = useSite();
  return (
    <Section
      title="Recent posts"
      actions={<a href={`#${links.ofSite(site.slug, '/posts')}`}>All posts</a>}
    >
      <Table
        caption="Recent posts"
        rows={posts}
        keyOf={({ post_id }) => post_id}
        columns={[
          {
            title: 'Post',
            cell: ({ post_id, title }) => (
              <a href={`#${links.post(site.slug, post_id)}`}>{title ?? post_id}</a>
            ),
          },
          {
            title: 'State',
            cell: ({ audio }) => (
              <div class="states">
                {audio.map((one) => (
                  <span key={one.id}>
                    {audio.length > 1 && <span class="language">{one.language} </span>}
                    <AudioState audio={one} />
                  </span>
                ))}
              </div>
            ),
          },
          {
            title: 'Length',
            isNumber: true,
            cell: ({ audio: [first] }) =>
              first?.duration_seconds == null ? '–' : durationText(first.duration_seconds),
          },
          { title: 'Created', cell: ({ created_at }) => <Moment at={created_at} /> },
        ]}
      />
    </Section>
  );
}
