import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../api.ts';
import { runInBackground } from '../../background.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatLanguage } from '../../format.ts';
import { parsePlan, planNames, planOptions } from '../../plans.ts';
import { useAction } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { ModelCard } from './model-card.tsx';
import { SampleButton } from './sample-button.tsx';
import { VoiceTest } from './voice-test.tsx';
import { lacksLicenseConsent, licenseText, optimizationText, speedText, type Voice, voiceText } from './voices.ts';

interface VoiceDialogProps {
  readonly voice: Voice;
  readonly onClose: () => void;
  readonly onChanged: (voice: Voice) => void;
  readonly onRemove: () => void;
}

/** Details of a voice; admins edit its settings here. */
export function VoiceDialog({ voice, onClose, onChanged, onRemove }: VoiceDialogProps) {
  const { isAdmin } = useSession();
  return (
    <Dialog title={voice.name} onClose={onClose} isWide>
      <div class="voice-detail">
        <Facts voice={voice} />
        <ModelCard voice={voice} />
        {isAdmin && lacksLicenseConsent(voice) && <AcceptLicense voice={voice} onChanged={onChanged} />}
        {isAdmin && (
          <section>
            <h3>Test</h3>
            <VoiceTest voice={voice} />
          </section>
        )}
        {isAdmin && (
          <section>
            <h3>Settings</h3>
            <Settings voice={voice} onChanged={onChanged} />
          </section>
        )}
        {isAdmin && (
          <section class="remove">
            <h3>Remove</h3>
            {voice.builtin ? (
              <p class="about">Built-in voices can be disabled but not removed.</p>
            ) : (
              <>
                <p class="about">Deletes the files of the voice. A voice that a site or post uses cannot be removed.</p>
                <Button kind="danger" onClick={onRemove}>
                  Remove voice…
                </Button>
              </>
            )}
          </section>
        )}
      </div>
    </Dialog>
  );
}

function Facts({ voice }: { readonly voice: Voice }) {
  const { isAdmin } = useSession();
  const speed = speedText(voice);
  const optimized = optimizationText(voice);
  const { license_accepted: accepted } = voice;
  return (
    <div class="voice-facts">
      <SampleButton voice={voice} />
      <dl class="facts">
        <dt>Language</dt>
        <dd>
          {formatLanguage(voice.locale)} (<code>{voice.locale}</code>)
        </dd>
        <dt>Audio</dt>
        <dd>{voiceText(voice)}</dd>
        {speed !== undefined && (
          <>
            <dt>Speed</dt>
            <dd>{speed}, measured on this machine during import</dd>
          </>
        )}
        {optimized !== undefined && (
          <>
            <dt>Optimization</dt>
            <dd>{optimized}</dd>
          </>
        )}
        <dt>License</dt>
        <dd>
          {voice.license !== null && `${voice.license}. `}
          {licenseText(voice.license_status)}
          {accepted !== null && (
            <p class="hint">
              Accepted by {accepted.by}, <RelativeTime at={accepted.at} />: {accepted.text}
            </p>
          )}
        </dd>
        {voice.source !== null && (
          <>
            <dt>Source</dt>
            <dd>{voice.source}</dd>
          </>
        )}
        {!isAdmin && (
          <>
            <dt>Plan</dt>
            <dd>{planNames[voice.plan_required]} and above</dd>
          </>
        )}
        <dt>ID</dt>
        <dd>
          <code>voice_id</code> {voice.id}
        </dd>
        <dt>Installed</dt>
        <dd>
          <RelativeTime at={voice.installed_at} />
        </dd>
      </dl>
    </div>
  );
}

type ChangeProps = Pick<VoiceDialogProps, 'voice' | 'onChanged'>;

function Settings({ voice, onChanged }: ChangeProps) {
  const [name, setName] = useState(voice.name);
  const [plan, setPlan] = useState(voice.plan_required);
  const [isEnabled, setIsEnabled] = useState(voice.enabled);
  const tell = useToast();
  const save = useAction(async () => {
    const changes = { name, plan_required: plan, enabled: isEnabled };
    onChanged(await ask(() => api.voices({ id: encodeSegment(voice.id) }).patch(changes)));
    tell('Voice saved');
  });
  const isChanged = name !== voice.name || plan !== voice.plan_required || isEnabled !== voice.enabled;
  return (
    <Form action={save} submit="Save voice" canSubmit={isChanged} fields={['name', 'plan_required', 'enabled']}>
      <TextField
        label="Name"
        name="name"
        hint="Shown to listeners."
        value={name}
        onValue={setName}
        problem={save.problem}
        maxLength={100}
      />
      <SelectField
        label="Plan"
        name="plan_required"
        hint="Lowest plan that includes this voice."
        value={plan}
        onValue={(value) => setPlan(parsePlan(value))}
        options={planOptions}
        problem={save.problem}
      />
      <CheckField
        label="Enabled"
        hint="A disabled voice generates no new audio. Sites that use it get another voice of its language; posts that specify it are rejected. Existing audio is kept."
        isChecked={isEnabled}
        onChecked={setIsEnabled}
      />
    </Form>
  );
}

function AcceptLicense({ voice, onChanged }: ChangeProps) {
  const tell = useToast();
  const accept = useAction(async () => {
    onChanged(await ask(() => api.voices({ id: encodeSegment(voice.id) }).patch({ accept_license: true })));
    tell('License accepted');
  });
  return (
    <section>
      <Notice kind="warning">
        <p>
          The files were copied into the voices folder, and nobody has accepted the license:{' '}
          {licenseText(voice.license_status).toLowerCase()}. You are responsible for compliance with its terms.
        </p>
        <p>
          <Button isBusy={accept.isRunning} onClick={() => runInBackground(accept.run())}>
            Accept license
          </Button>
        </p>
      </Notice>
      <ErrorNotice problem={accept.problem} />
    </section>
  );
}
