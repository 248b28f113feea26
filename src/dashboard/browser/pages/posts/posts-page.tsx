import { Page } from '../../parts/page.tsx';

export function PostsPage() {
  return <Page title="Posts">{null}</Page>;
}
