import { Badge } from './parts/badge.tsx';
import { Progress } from './parts/progress.tsx';

interface PostStateProps {
  readonly audio: {
    readonly status: 'pending' | 'generating' | 'ready' | 'failed';
    readonly progress_percent: number;
    readonly language: string;
  };
}

/** How far one audio of a post is. */
export function PostState({ audio: { status, progress_percent, language } }: PostStateProps) {
  if (status === 'ready') return <Badge kind="good">Ready</Badge>;
  if (status === 'failed') return <Badge kind="bad">Failed</Badge>;
  if (status === 'pending') return <Badge>Waiting</Badge>;
  return <Progress label={`Progress (${language})`} percent={progress_percent} />;
}
