import { Badge } from '../../components/badge.tsx';
import { Progress } from '../../components/progress.tsx';
import type { PostAudio } from './posts-api.ts';

/** Status of an audio, with progress while it is generated. */
export function AudioStatusBadge({ audio }: { readonly audio: PostAudio }) {
  const { status, progress_percent: percent } = audio;
  switch (status) {
    case 'pending':
      return <Badge>Queued</Badge>;
    case 'generating':
      return (
        <span class="making">
          <Badge kind="busy">Generating</Badge>
          <Progress label="Generation progress" percent={percent} />
        </span>
      );
    case 'ready':
      return <Badge kind="good">Ready</Badge>;
    case 'failed':
      return audio.removed_at === undefined ? <Badge kind="bad">Failed</Badge> : <Badge>Removed</Badge>;
  }
}
