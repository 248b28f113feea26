import { Page } from '../../parts/page.tsx';

export function SiteLexiconPage() {
  return <Page title="Lexicon">{null}</Page>;
}
