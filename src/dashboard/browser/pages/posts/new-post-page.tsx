import { Page } from '../../parts/page.tsx';

export function NewPostPage() {
  return <Page title="New post">{null}</Page>;
}
