import { Card } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Table } from '../../components/table.tsx';
import { formatDuration } from '../../format.ts';
import { links } from '../../links.ts';
import { useSite } from '../../site.tsx';
import { AudioStatusBadge } from '../posts/audio-status-badge.tsx';
import type { Overview } from './overview-api.ts';

/** The newest posts with their status. */
export function RecentPosts({ posts }: Pick<Overview, 'posts'>) {
  const { site } = useSite();
  return (
    <Card title="Recent posts" actions={<a href={`#${links.ofSite(site.slug, '/posts')}`}>All posts</a>}>
      <Table
        caption="Recent posts"
        rows={posts}
        keyOf={({ post_id }) => post_id}
        columns={[
          {
            title: 'Post',
            cell: ({ post_id, title }) => <a href={`#${links.post(site.slug, post_id)}`}>{title ?? post_id}</a>,
          },
          {
            title: 'Status',
            cell: ({ audio }) => (
              <div class="states">
                {audio.map((one) => (
                  <span key={one.id}>
                    {audio.length > 1 && <span class="language">{one.language} </span>}
                    <AudioStatusBadge audio={one} />
                  </span>
                ))}
              </div>
            ),
          },
          {
            title: 'Duration',
            isNumber: true,
            cell: ({ audio: [first] }) =>
              first?.duration_seconds == null ? '–' : formatDuration(first.duration_seconds),
          },
          { title: 'Created', cell: ({ created_at }) => <RelativeTime at={created_at} /> },
        ]}
      />
    </Card>
  );
}
