import { Page } from '../../parts/page.tsx';

export function QueuePage() {
  return <Page title="Queue">{null}</Page>;
}
