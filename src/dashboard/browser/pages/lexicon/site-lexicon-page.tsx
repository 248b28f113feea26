import { Page } from '../../parts/page.tsx';
import { useSite } from '../../site.tsx';
import { LexiconView, useLexiconActions } from './lexicon-view.tsx';

/** The words that are said otherwise on one site. */
export function SiteLexiconPage() {
  const { site, canEdit } = useSite();
  const lexicon = useLexiconActions();
  return (
    <Page
      title="Lexicon"
      about={
        <>
          Words that are said otherwise than they are written, on this site. Those of the{' '}
          <a href="#/lexicon">installation</a> hold, too, where this site has no entry of its own.
        </>
      }
      actions={canEdit && lexicon.actions}
    >
      <LexiconView of={site.slug} canChange={canEdit} lexicon={lexicon} />
    </Page>
  );
}
