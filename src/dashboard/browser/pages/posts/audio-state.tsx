import { Badge } from '../../parts/badge.tsx';
import { Progress } from '../../parts/progress.tsx';
import type { PostAudio } from './posts-api.ts';

/** What an audio is at, with how far it is while it is made. */
export function AudioState({ audio }: { readonly audio: PostAudio }) {
  const { status, progress_percent: percent } = audio;
  switch (status) {
    case 'pending':
      return <Badge>Waiting</Badge>;
    case 'generating':
      return (
        <span class="making">
          <Badge kind="busy">Being made</Badge>
          <Progress label="Made so far" percent={percent} />
        </span>
      );
    case 'ready':
      return <Badge kind="good">Ready</Badge>;
    case 'failed':
      return <Badge kind="bad">Failed</Badge>;
  }
}
