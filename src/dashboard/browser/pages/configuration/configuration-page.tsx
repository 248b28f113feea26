import { Page } from '../../parts/page.tsx';

export function ConfigurationPage() {
  return <Page title="Configuration">{null}</Page>;
}
