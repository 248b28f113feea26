import { Page } from '../../parts/page.tsx';

export function SitesPage() {
  return <Page title="Sites">{null}</Page>;
}
