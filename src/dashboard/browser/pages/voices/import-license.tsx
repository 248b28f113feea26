import { useEffect, useState } from 'preact/hooks';
import { runInBackground } from '../../background.ts';
import { Button } from '../../components/button.tsx';
import { CheckField } from '../../components/field.tsx';
import { Notice } from '../../components/notice.tsx';
import { useSession } from '../../session.tsx';
import { CardText } from './model-card.tsx';

interface LicenseGateProps {
  /** Problem that the server reports for the license. */
  readonly said: string;
  readonly card: File | undefined;
  readonly onBack: () => void;
  readonly onAccept: () => void;
}

/** Asks an admin to accept a license that is not known to be free. */
export function LicenseGate({ said, card, onBack, onAccept }: LicenseGateProps) {
  const { user } = useSession();
  const [hasRead, setHasRead] = useState(false);
  const [text, setText] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (card !== undefined) runInBackground(card.text().then(setText));
  }, [card]);
  return (
    <div class="stack tight">
      <Notice kind="warning">
        <p>
          <strong>License review required.</strong> {reasonText(said)}
        </p>
      </Notice>
      {text === undefined ? (
        <p>The files include no model card. Check the license terms at the source of the voice.</p>
      ) : (
        <div>
          <h3>Model card</h3>
          <CardText text={text} />
        </div>
      )}
      <p>
        An admin must accept the license for this installation. Lectern checks only its name; you are responsible for
        compliance with its terms. The audit log and the voice details record who accepted which license, and when. The
        files are uploaded again.
      </p>
      <CheckField
        label={`I, ${user.email}, have read the license and may use this voice here`}
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

/** @param said like `en_US-x: no license specified. An admin must accept it.` */
function reasonText(said: string): string {
  const reason = said.replace(/\. An admin must accept it\.$/, '').replace(/^[^\s:]+: /, '');
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
