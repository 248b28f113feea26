import { useSession } from '../../../session.tsx';
import { DeleteSection } from './delete-section.tsx';
import { DomainsSection } from './domains-section.tsx';
import { NameSection } from './name-section.tsx';
import { PlanSection } from './plan-section.tsx';
import { RetentionSection } from './retention-section.tsx';

export function GeneralSection() {
  const { isAdmin } = useSession();
  return (
    <>
      <NameSection />
      <DomainsSection />
      <PlanSection />
      {isAdmin && <RetentionSection />}
      {isAdmin && <DeleteSection />}
    </>
  );
}
