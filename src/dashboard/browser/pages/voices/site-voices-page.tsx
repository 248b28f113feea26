import { Page } from '../../parts/page.tsx';

export function SiteVoicesPage() {
  return <Page title="Voices">{null}</Page>;
}
