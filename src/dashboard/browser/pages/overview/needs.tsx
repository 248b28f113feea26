import type { Need } from '../../../../system/overview-schema.ts';
import { LinkButton } from '../../components/button.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Card } from '../../components/page.tsx';
import { capitalize, formatCount, formatSince } from '../../format.ts';
import { links } from '../../location.ts';
import { useSession } from '../../session.tsx';
import { useSite } from '../../site.tsx';

interface Line {
  readonly icon: IconName;
  readonly text: string;
  readonly about: string;
  /** Path behind the #. */
  readonly to: string;
  readonly action: string;
}

/** Everybody sees these, but only admins have the pages where they are solved. */
const adminKinds: readonly Need['kind'][] = ['webhook_failing', 'queue_paused'];

/** Problems that need attention, each with one button for those who can open it. Empty without problems. */
export function Needs({ of }: { readonly of: readonly Need[] }) {
  const { site } = useSite();
  const { isAdmin } = useSession();
  if (of.length === 0) return null;
  return (
    <Card title="Needs you" isFlush actions={<span class="sub">{formatCount(of.length, 'thing')}</span>}>
      <ul class="rows">
        {of.map((need) => {
          const { icon, text, about, to, action } = describe(need, site.slug);
          return (
            <li key={`${need.kind} ${need.id}`}>
              <span class={need.kind === 'new_names' ? 'status warn' : 'status bad'}>
                <Icon name={icon} />
              </span>
              <span class="grow">
                <b>{text}</b> <span class="sub">{about}</span>
              </span>
              {(isAdmin || !adminKinds.includes(need.kind)) && <LinkButton isCompact href={`#${to}`} label={action} />}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function describe(need: Need, slug: string): Line {
  const { count, name, since, details } = need;
  const reasons = details.filter((detail) => detail !== '').join(' · ');
  const from = since === null ? 'an unknown time' : formatSince(since);
  switch (need.kind) {
    case 'failed_posts':
      return {
        ...{ icon: 'circle-alert', text: `${formatCount(count, 'post')} ${count === 1 ? 'has' : 'have'} no audio.` },
        ...{ about: sentence(reasons), to: `${links.ofSite(slug, '/posts')}?state=failed`, action: 'Review' },
      };
    case 'webhook_failing':
      return {
        ...{ icon: 'webhook', text: `${name} has received no message since ${from}.` },
        about: `${formatCount(count, 'message')} ${count === 1 ? 'waits' : 'wait'}. ${sentence(reasons)}`,
        ...{ to: links.ofSite(slug, '/developers'), action: 'See deliveries' },
      };
    case 'source_failing':
      return {
        ...{ icon: 'rss', text: `The feed ${name} cannot be read.`, about: sentence(reasons) },
        ...{ to: links.ofSite(slug, '/sources'), action: 'See feed' },
      };
    case 'new_names':
      return {
        ...{ icon: 'spell-check', text: `${formatCount(count, 'name')} ${count === 1 ? 'is' : 'are'} new.` },
        about: `${details.join(', ')}${count > details.length ? ' …' : '.'} Listen before readers do.`,
        ...{ to: `${links.ofSite(slug, '/pronunciation')}?tab=new`, action: 'Listen' },
      };
    case 'queue_paused':
      return {
        ...{ icon: 'circle-pause', text: 'The queue is paused.', about: `${reasons}, since ${from}` },
        ...{ to: '/server/queue', action: 'Open queue' },
      };
    case 'domain_pending':
      return {
        ...{ icon: 'globe', text: `${formatCount(count, 'domain')} ${count === 1 ? 'waits' : 'wait'} for approval.` },
        ...{ about: details.join(', '), to: links.ofSite(slug, '/settings'), action: 'Review' },
      };
    case 'disk':
      return {
        ...{ icon: 'server', text: 'The disk is nearly full.', about: sentence(reasons) },
        ...{ to: '/server/system', action: 'Open system' },
      };
    case 'backup':
      return {
        ...{ icon: 'archive', text: 'Backups need attention.', about: sentence(reasons) },
        ...{ to: '/server/backups', action: 'Open backups' },
      };
  }
}

function sentence(text: string): string {
  return text === '' || /[.!?]$/.test(text) ? capitalize(text) : `${capitalize(text)}.`;
}
