import { api, ask, part } from '../../api.ts';
import { inBackground } from '../../background.ts';
import { links } from '../../links.ts';
import { useAction } from '../../loading.ts';
import { Button } from '../../parts/button.tsx';
import { Copy } from '../../parts/copy.tsx';
import { ProblemNotice } from '../../parts/notice.tsx';
import { planNames } from '../../plans.ts';
import { useSite } from '../../site.tsx';
import { counted } from '../../words.ts';
import type { Overview } from './reading.ts';

interface KeyStepProps {
  readonly keys: Overview['activeKeys'];
  /** Made just now; it is shown until the page is left. */
  readonly newKey: string | undefined;
  readonly onMade: (key: string) => void;
}

export function KeyStep({ keys, newKey, onMade }: KeyStepProps) {
  const { site, canEdit } = useSite();
  const create = useAction(async () => {
    const { key } = await ask(api.sites({ site: part(site.slug) }).keys.post({}));
    onMade(key);
  });
  if (newKey !== undefined) {
    return (
      <>
        <p>Copy it now, to where your CMS keeps its secrets: it is shown this once.</p>
        <Copy label="API key" text={newKey} />
      </>
    );
  }
  const toKeys = <a href={`#${links.ofSite(site.slug, '/configuration/keys')}`}>API keys</a>;
  if (keys.length > 0) {
    return (
      <p>
        The site has {counted(keys.length, 'key')}. {toKeys}
      </p>
    );
  }
  if (site.plan !== 'enterprise') {
    return (
      <p>
        API keys work on the Enterprise plan only; this site is on {planNames[site.plan]}. Posts by
        hand need none.
      </p>
    );
  }
  return (
    <>
      <p>Your CMS hands its articles in with it. To try things out by hand you need none.</p>
      {canEdit && (
        <p>
          <Button isBusy={create.isRunning} onClick={() => inBackground(create.run())}>
            Create API key
          </Button>
        </p>
      )}
      <ProblemNotice problem={create.problem} />
    </>
  );
}
