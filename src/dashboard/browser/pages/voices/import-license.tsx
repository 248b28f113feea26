import { useEffect, useState } from 'preact/hooks';
import { runInBackground } from '../../background.ts';
import { Button } from '../../components/button.tsx';
import { CheckField } from '../../components/field.tsx';
import { Notice } from '../../components/notice.tsx';
import { useSession } from '../../session.tsx';
import { CardText } from './model-card.tsx';

interface LicenseGateProps {
  /** What the server says of the licence. */
  readonly said: string;
  readonly card: File | undefined;
  readonly onBack: () => void;
  readonly onAccept: () => void;
}

/** A licence that is not known to be free waits for somebody who accepts it. */
export function LicenseGate({ said, card, onBack, onAccept }: LicenseGateProps) {
  const { user } = useSession();
  const [hasRead, setHasRead] = useState(false);
  const [text, setText] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (card !== undefined) runInBackground(card.text().then(setText));
  }, [card]);
  return (
    <div class="license-gate">
      <Notice kind="warning">
        <p>
          <strong>License review required.</strong> {reasonText(said)}
        </p>
      </Notice>
      {text === undefined ? (
        <p>
          No model card came with it. Look at the place where you got the voice: what may be done with it stands there.
        </p>
      ) : (
        <div>
          <h3>Model card</h3>
          <CardText text={text} />
        </div>
      )}
      <p>
        An admin has to accept it for this installation. Lectern knows the name of a licence only; whether you keep to
        its terms is yours to see. That you accepted, when, and which words, is kept in the audit log and shown with the
        voice. The files are sent once more.
      </p>
      <CheckField
        label={`I, ${user.email}, have read the licence and may use this voice here`}
        isChecked={hasRead}
        onChecked={setHasRead}
      />
      <div class="actions">
        <Button kind="quiet" onClick={onBack}>
          Back
        </Button>
        <Button kind="primary" disabled={!hasRead} onClick={onAccept}>
          Accept and import
        </Button>
      </div>
    </div>
  );
}

/** @param said like `en_US-x: no licence is named; an admin must accept it` */
function reasonText(said: string): string {
  const reason = said.replace(/; an admin must accept it$/, '').replace(/^[^\s:]+: /, '');
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
