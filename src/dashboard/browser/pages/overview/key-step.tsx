import { api, ask, encodeSegment } from '../../api.ts';
import { runInBackground } from '../../background.ts';
import { Button } from '../../components/button.tsx';
import { CopyLine } from '../../components/copy.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { formatCount } from '../../format.ts';
import { links } from '../../links.ts';
import { planNames } from '../../plans.ts';
import { useAction } from '../../query.ts';
import { useSite } from '../../site.tsx';
import type { Overview } from './overview-api.ts';

interface KeyStepProps {
  readonly keys: Overview['activeKeys'];
  /** The new key; shown until the user leaves the page. */
  readonly newKey: string | undefined;
  readonly onMade: (key: string) => void;
}

export function KeyStep({ keys, newKey, onMade }: KeyStepProps) {
  const { site, canEdit } = useSite();
  const create = useAction(async () => {
    const { key } = await ask(() => api.sites({ site: encodeSegment(site.slug) }).keys.post({}));
    onMade(key);
  });
  if (newKey !== undefined) {
    return (
      <>
        <p>Copy the key now and store it in your CMS. It is shown only once.</p>
        <CopyLine label="API key" text={newKey} />
      </>
    );
  }
  const toKeys = <a href={`#${links.ofSite(site.slug, '/developers')}`}>API keys</a>;
  if (keys.length > 0) {
    return (
      <p>
        The site has {formatCount(keys.length, 'key')}. {toKeys}
      </p>
    );
  }
  if (site.plan !== 'enterprise') {
    return (
      <p>
        API keys require the Enterprise plan. This site is on {planNames[site.plan]}. Posts created in the dashboard
        need no key.
      </p>
    );
  }
  return (
    <>
      <p>Your CMS uses the key to submit articles. You do not need a key to submit articles in the dashboard.</p>
      {canEdit && (
        <p>
          <Button isBusy={create.isRunning} onClick={() => runInBackground(create.run())}>
            Create API key
          </Button>
        </p>
      )}
      <ErrorNotice problem={create.problem} />
    </>
  );
}
