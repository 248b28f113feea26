import { Page } from '../../parts/page.tsx';

export function LexiconPage() {
  return <Page title="Lexicon">{null}</Page>;
}
