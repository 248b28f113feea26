import { Page } from '../../components/page.tsx';
import { useSite } from '../../site.tsx';
import { PronunciationsView, usePronunciationActions } from './pronunciations-view.tsx';

/** Pronunciations of a site. */
export function SitePronunciationsPage() {
  const { site, canEdit } = useSite();
  const lexicon = usePronunciationActions();
  return (
    <Page
      title="Pronunciations"
      about={
        <>
          Custom pronunciations for this site. Pronunciations of the <a href="#/server/pronunciations">installation</a>{' '}
          apply where this site has none.
        </>
      }
      actions={canEdit && lexicon.actions}
    >
      <PronunciationsView of={site.slug} canChange={canEdit} lexicon={lexicon} />
    </Page>
  );
}
