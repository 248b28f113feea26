import { Page } from '../../components/page.tsx';
import { useSession } from '../../session.tsx';
import { PronunciationsView, usePronunciationActions } from './pronunciations-view.tsx';

/** Pronunciations of the installation. */
export function PronunciationsPage() {
  const { isAdmin } = useSession();
  const lexicon = usePronunciationActions();
  return (
    <Page
      title="Pronunciations"
      about="Custom pronunciations for every site. Pronunciations of a site take precedence."
      actions={isAdmin && lexicon.actions}
    >
      <PronunciationsView of={undefined} canChange={isAdmin} lexicon={lexicon} />
    </Page>
  );
}
