import { useState } from 'preact/hooks';
import { api, ask, part } from '../../api.ts';
import { inBackground } from '../../background.ts';
import { useAction } from '../../loading.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Notice, ProblemNotice } from '../../parts/notice.tsx';
import { useToast } from '../../parts/toasts.tsx';
import { planNames, planOf, planOptions } from '../../plans.ts';
import { useSession } from '../../session.tsx';
import { languageText } from '../../words.ts';
import { ModelCard } from './model-card.tsx';
import { SampleButton } from './sample-button.tsx';
import { SayText } from './say-text.tsx';
import {
  compilationText,
  lacksAcceptance,
  licenseText,
  speedText,
  type Voice,
  voiceText,
} from './voices.ts';

interface VoiceDialogProps {
  readonly voice: Voice;
  readonly onClose: () => void;
  readonly onChanged: (voice: Voice) => void;
  readonly onRemove: () => void;
}

/** All about a voice; admins change it here. */
export function VoiceDialog({ voice, onClose, onChanged, onRemove }: VoiceDialogProps) {
  const { isAdmin } = useSession();
  return (
    <Dialog title={voice.name} onClose={onClose} isWide>
      <div class="voice-detail">
        <Facts voice={voice} />
        <ModelCard voice={voice} />
        {isAdmin && lacksAcceptance(voice) && <AcceptLicense voice={voice} onChanged={onChanged} />}
        {isAdmin && (
          <section>
            <h3>Try it</h3>
            <SayText voice={voice} />
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
              <p class="about">A voice that is part of Lectern can only be disabled.</p>
            ) : (
              <>
                <p class="about">
                  Deletes its files. Only a voice that no site and no post uses can go.
                </p>
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
  const compiled = compilationText(voice);
  const { license_accepted: accepted } = voice;
  return (
    <div class="voice-facts">
      <SampleButton voice={voice} />
      <dl class="facts">
        <dt>Speaks</dt>
        <dd>
          {languageText(voice.locale)} (<code>{voice.locale}</code>)
        </dd>
        <dt>Sound</dt>
        <dd>{voiceText(voice)}</dd>
        {speed !== undefined && (
          <>
            <dt>Speed</dt>
            <dd>{speed} on this machine, when it was imported</dd>
          </>
        )}
        {compiled !== undefined && (
          <>
            <dt>Compiled</dt>
            <dd>{compiled}</dd>
          </>
        )}
        <dt>Licence</dt>
        <dd>
          {voice.license !== null && `${voice.license}. `}
          {licenseText(voice.license_status)}
          {accepted !== null && (
            <p class="hint">
              Accepted by {accepted.by}, <Moment at={accepted.at} />: {accepted.text}
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
        <dt>Number</dt>
        <dd>
          <code>voice_id</code> {voice.id}
        </dd>
        <dt>Installed</dt>
        <dd>
          <Moment at={voice.installed_at} />
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
    onChanged(await ask(api.voices({ id: part(voice.id) }).patch(changes)));
    tell('Saved');
  });
  const isChanged =
    name !== voice.name || plan !== voice.plan_required || isEnabled !== voice.enabled;
  return (
    <Form
      action={save}
      submit="Save"
      canSubmit={isChanged}
      fields={['name', 'plan_required', 'enabled']}
    >
      <TextField
        label="Name"
        name="name"
        hint="Listeners see it."
        value={name}
        onValue={setName}
        problem={save.problem}
        maxLength={100}
      />
      <SelectField
        label="Plan"
        name="plan_required"
        hint="Sites of this plan and above may use it."
        value={plan}
        onValue={(value) => setPlan(planOf(value))}
        options={planOptions}
        problem={save.problem}
      />
      <CheckField
        label="Enabled"
        hint="A disabled voice speaks nothing new: sites that have it as their voice get another one of its language, and posts that name it are refused. What was made with it stays."
        isChecked={isEnabled}
        onChecked={setIsEnabled}
      />
    </Form>
  );
}

function AcceptLicense({ voice, onChanged }: ChangeProps) {
  const tell = useToast();
  const accept = useAction(async () => {
    onChanged(await ask(api.voices({ id: part(voice.id) }).patch({ accept_license: true })));
    tell('Licence accepted');
  });
  return (
    <section>
      <Notice kind="warning">
        <p>
          Its files were put into the folder by hand, and nobody has accepted its licence:{' '}
          {licenseText(voice.license_status).toLowerCase()}. Whether you may use it is yours to see.
        </p>
        <p>
          <Button isBusy={accept.isRunning} onClick={() => inBackground(accept.run())}>
            Accept the licence
          </Button>
        </p>
      </Notice>
      <ProblemNotice problem={accept.problem} />
    </section>
  );
}
