import { Page } from '../../parts/page.tsx';
import { useSession } from '../../session.tsx';
import { LexiconView, useLexiconActions } from './lexicon-view.tsx';

/** The words that are said otherwise on every site. */
export function LexiconPage() {
  const { isAdmin } = useSession();
  const lexicon = useLexiconActions();
  return (
    <Page
      title="Lexicon of the installation"
      about="Words that are said otherwise than they are written, on every site. A site's own lexicon stands above this one."
      actions={isAdmin && lexicon.actions}
    >
      <LexiconView of={undefined} canChange={isAdmin} lexicon={lexicon} />
    </Page>
  );
}
