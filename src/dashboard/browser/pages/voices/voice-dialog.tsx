import { useState } from 'preact/hooks';
import { api, ask, encodeSegment, fetchApi } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { Form, useForm } from '../../components/form.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatLanguage } from '../../format.ts';
import { parsePlan, planOptions } from '../../plans.ts';
import { useAction } from '../../query.ts';
import { ModelCard } from './model-card.tsx';
import { lacksLicenseConsent, licenseText, optimizationText, speedText, type Voice, voiceText } from './voices.ts';

interface VoiceDialogProps {
  readonly voice: Voice;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** Details of a voice, its settings, and a test with any text. */
export function VoiceDialog({ voice, onClose, onChanged }: VoiceDialogProps) {
  return (
    <Dialog title={voice.name} onClose={onClose} isWide>
      <div class="stack">
        <About voice={voice} />
        <ModelCard voice={voice} />
        {lacksLicenseConsent(voice) && <AcceptLicense voice={voice} onChanged={onChanged} />}
        <VoiceTest voice={voice} />
        <Settings voice={voice} onChanged={onChanged} />
      </div>
    </Dialog>
  );
}

const maxTestText = 1_000;

/** Speaks a text; nothing is stored. */
function VoiceTest({ voice: { id, name } }: Pick<VoiceDialogProps, 'voice'>) {
  const [text, setText] = useState('');
  const say = () =>
    fetchApi(`/voices/${id}/test`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    });
  return (
    <div class="row" style={{ alignItems: 'end' }}>
      <div class="grow">
        <TextField label="Hear a text" value={text} onValue={setText} maxLength={maxTestText} />
      </div>
      {text.trim() !== '' && <PlayButton label={`this text in ${name}`} source={say} />}
    </div>
  );
}

function About({ voice }: { readonly voice: Voice }) {
  const speed = speedText(voice);
  const optimized = optimizationText(voice);
  const { license_accepted: accepted } = voice;
  const license = (
    <>
      {voice.license !== null && `${voice.license}. `}
      {licenseText(voice.license_status)}
      {accepted !== null && (
        <p class="hint">
          Accepted by {accepted.by}, <RelativeTime at={accepted.at} />: {accepted.text}
        </p>
      )}
    </>
  );
  return (
    <Facts
      of={[
        ['Language', [formatLanguage(voice.locale), ' (', <code key="locale">{voice.locale}</code>, ')']],
        ['Audio', voiceText(voice)],
        speed !== undefined && ['Speed', `${speed}, measured on this machine during import`],
        optimized !== undefined && ['Optimization', optimized],
        ['License', license],
        voice.source !== null && ['Source', voice.source],
        ['ID', [<code key="name">voice_id</code>, ` ${voice.id}`]],
        ['Installed', <RelativeTime key="time" at={voice.installed_at} />],
      ]}
    />
  );
}

type ChangeProps = Pick<VoiceDialogProps, 'voice' | 'onChanged'>;

function Settings({ voice, onChanged }: ChangeProps) {
  const initial = { name: voice.name, plan_required: voice.plan_required as string };
  const [isEnabled, setIsEnabled] = useState(voice.enabled);
  const tell = useToast();
  const form = useForm(initial, async ({ name, plan_required }) => {
    const changes = { name, plan_required: parsePlan(plan_required), enabled: isEnabled };
    await ask(() => api.voices({ id: encodeSegment(voice.id) }).patch(changes));
    tell('Voice saved');
    onChanged();
  });
  const { name, plan_required: plan } = form.values;
  const isChanged = name !== voice.name || plan !== voice.plan_required || isEnabled !== voice.enabled;
  return (
    <Form action={form} submit="Save voice" canSubmit={isChanged} fields={[...form.fields, 'enabled']}>
      <TextField {...form.field('name')} label="Name" hint="Shown to listeners." maxLength={100} />
      <SelectField
        {...form.field('plan_required')}
        label="Plan"
        hint="Lowest plan that includes this voice."
        options={planOptions}
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
    await ask(() => api.voices({ id: encodeSegment(voice.id) }).patch({ accept_license: true }));
    tell('License accepted');
    onChanged();
  });
  return (
    <section>
      <Notice kind="warning">
        <p>
          The files were copied into the voices folder, and nobody has accepted the license:{' '}
          {licenseText(voice.license_status).toLowerCase()}. You are responsible for compliance with its terms.
        </p>
        <p>
          <Button action={accept}>Accept license</Button>
        </p>
      </Notice>
      <ErrorNotice problem={accept.problem} />
    </section>
  );
}
