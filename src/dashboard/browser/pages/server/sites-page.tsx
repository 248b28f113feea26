import { api, ask } from '../../api.ts';
import { Collection } from '../../components/collection.tsx';
import { Dialog, DialogButton } from '../../components/dialog.tsx';
import { Page } from '../../components/page.tsx';
import { Status } from '../../components/status.tsx';
import { formatNumber } from '../../format.ts';
import { links } from '../../links.ts';
import { planNames } from '../../plans.ts';
import { useSession } from '../../session.tsx';
import { siteStatus } from '../../site-status.ts';
import { SiteForm } from './site-form.tsx';

const planColumn = {
  title: 'Plan',
  phone: 'hidden',
  cell: ({ plan }: { readonly plan: keyof typeof planNames }) => planNames[plan],
} as const;

const tones = { good: 'good', busy: 'plain', bad: 'bad' } as const;

/** The sites of the server. */
export function SitesPage() {
  const { showsPlans } = useSession();
  return (
    <Page
      title="Sites"
      actions={
        <DialogButton
          name="add"
          kind="primary"
          icon="plus"
          dialog={(onClose) => (
            <Dialog title="Add site" onClose={onClose}>
              <SiteForm onCancel={onClose} />
            </Dialog>
          )}
        >
          Add site
        </DialogButton>
      }
    >
      <Collection
        label="Sites"
        load={(query) => ask(() => api.sites.get({ query }))}
        limit={50}
        keyOf={({ id }) => id}
        href={({ slug }) => links.site(slug)}
        columns={[
          {
            title: 'Site',
            phone: 'main',
            cell: ({ slug, name, domains: [primary, ...others] }) => (
              <>
                <a class="title" href={`#${links.site(slug)}`}>
                  {name}
                </a>
                <span class="line">
                  {primary}
                  {others.length > 0 && ` and ${others.length} more`}
                </span>
              </>
            ),
          },
          {
            title: 'State',
            phone: 'line',
            cell: (site) => {
              const { kind, label } = siteStatus(site);
              // Silent when all is well.
              return kind === 'good' ? '' : <Status tone={tones[kind]}>{label}</Status>;
            },
          },
          ...(showsPlans ? [planColumn] : []),
          {
            title: 'English posts this month',
            align: 'end',
            phone: 'hidden',
            cell: ({ quota: { posts_used, posts_limit } }) =>
              `${formatNumber(posts_used)}${posts_limit === null ? '' : ` of ${formatNumber(posts_limit)} included`}`,
          },
        ]}
        empty={<FirstSite />}
      />
    </Page>
  );
}

function FirstSite() {
  return (
    <section class="body" aria-labelledby="first-site">
      <h2 id="first-site">Add your first site</h2>
      <p class="sub">A name and a domain. The next page leads to the first audio.</p>
      <div class="narrow">
        <SiteForm />
      </div>
    </section>
  );
}
