import { useState } from 'preact/hooks';
import { api, encodeSegment, fetchVoiceTest, request } from '../../api.ts';
import { ActionButton } from '../../components/actions.tsx';
import { Dialog, type DialogHandlers } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Form, useForm } from '../../components/form.tsx';
import { Notice } from '../../components/page.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { Facts, RelativeTime } from '../../components/status.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatLanguage } from '../../format.ts';
import { planNames } from '../../plans.ts';
import { ModelCard } from './model-card.tsx';
import { lacksLicenseConsent, licenseText, optimizationText, speedText, type Voice, voiceText } from './voices.ts';

interface VoiceDialogProps extends DialogHandlers {
  readonly voice: Voice;
}

/** Details of a voice, its settings, and a test with any text. */
export function VoiceDialog({ voice, onClose, onDone }: VoiceDialogProps) {
  return (
    <Dialog title={voice.name} onClose={onClose} isWide>
      <div class="stack">
        <About voice={voice} />
        <ModelCard voice={voice} />
        {lacksLicenseConsent(voice) && (
          <Notice kind="warning">
            <p>
              The files were copied into the voices folder, and nobody has accepted the license:{' '}
              {licenseText(voice.license_status).toLowerCase()}. You are responsible for compliance with its terms.
            </p>
            <ActionButton
              label="Accept license"
              run={() => request(() => routeOf(voice).patch({ accept_license: true }))}
              done="License accepted"
              onDone={onDone}
            />
          </Notice>
        )}
        <VoiceTest voice={voice} />
        <Settings voice={voice} onDone={onDone} />
      </div>
    </Dialog>
  );
}

function routeOf({ id }: Voice) {
  return api.voices({ id: encodeSegment(id) });
}

const maxTestText = 1_000;

/** Speaks a text; nothing is stored. */
function VoiceTest({ voice: { id, name } }: Pick<VoiceDialogProps, 'voice'>) {
  const [text, setText] = useState('');
  return (
    <div class="row" style={{ alignItems: 'end' }}>
      <div class="grow">
        <TextField label="Hear a text" value={text} onValue={setText} maxLength={maxTestText} />
      </div>
      {text.trim() !== '' && <PlayButton label={`this text in ${name}`} source={() => fetchVoiceTest(id, { text })} />}
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

function Settings({ voice, onDone }: Omit<VoiceDialogProps, 'onClose'>) {
  const { name, plan_required, enabled } = voice;
  const initial = { name, plan_required, enabled };
  const tell = useToast();
  const form = useForm(initial, async (changes) => {
    await request(() => routeOf(voice).patch(changes));
    tell('Voice saved');
    onDone();
  });
  return (
    <Form
      action={form}
      submit="Save voice"
      canSubmit={JSON.stringify(form.values) !== JSON.stringify(initial)}
      of={[
        { name: 'name', label: 'Name', hint: 'Shown to listeners.', input: { maxLength: 100 } },
        {
          name: 'plan_required',
          label: 'Plan',
          hint: 'Lowest plan that includes this voice.',
          options: planNames,
        },
        {
          name: 'enabled',
          label: 'Enabled',
          kind: 'check',
          hint: 'A disabled voice generates no new audio. Sites that use it get another voice of its language; posts that specify it are rejected. Existing audio is kept.',
        },
      ]}
    />
  );
}
