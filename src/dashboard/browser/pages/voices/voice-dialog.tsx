import { useState } from 'preact/hooks';
import { api, fetchVoiceTest, request } from '../../api.ts';
import { ActionButton } from '../../components/actions.tsx';
import { Dialog, type DialogHandlers } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Form, useForm } from '../../components/form.tsx';
import { Facts, Notice, RelativeTime } from '../../components/page.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { formatLanguage } from '../../format.ts';
import { planNames } from '../../plans.ts';
import { useQuery } from '../../query.ts';
import { lacksLicenseConsent, licenseTexts, optimizationText, speedText, type Voice, voiceText } from './voices.ts';

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
          <Notice
            kind="warning"
            action={
              <ActionButton
                label="Accept license"
                run={() => request(() => routeOf(voice).patch({ accept_license: true }))}
                done="License accepted"
                onDone={onDone}
              />
            }
          >
            The files were copied into the voices folder, and nobody has accepted the license:{' '}
            {licenseTexts[voice.license_status].toLowerCase()}. You are responsible for compliance with its terms.
          </Notice>
        )}
        <VoiceTest voice={voice} />
        <Settings voice={voice} onDone={onDone} />
      </div>
    </Dialog>
  );
}

function routeOf({ id }: Voice) {
  return api.voices({ id: encodeURIComponent(id) });
}

const maxTestText = 1_000;

/** Speaks a text; nothing is stored. */
function VoiceTest({ voice: { id, name } }: Pick<VoiceDialogProps, 'voice'>) {
  const [text, setText] = useState('');
  return (
    <div class="row" style={{ alignItems: 'end' }}>
      <div class="grow">
        <Field label="Hear a text" value={text} onValue={setText} maxLength={maxTestText} />
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
      {licenseTexts[voice.license_status]}
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
  const form = useForm({
    fields: {
      name: { label: 'Name', hint: 'Shown to listeners.', input: { maxLength: 100 } },
      plan_required: { label: 'Plan', hint: 'Lowest plan that includes this voice.', options: planNames },
      enabled: {
        label: 'Enabled',
        kind: 'check',
        hint: 'A disabled voice generates no new audio. Sites that use it get another voice of its language; posts that specify it are rejected. Existing audio is kept.',
      },
    },
    initial,
    send: (changes) => request(() => routeOf(voice).patch(changes)),
    done: 'Voice saved',
    onDone,
  });
  const isChanged = JSON.stringify(form.values) !== JSON.stringify(initial);
  return <Form of={form} submit="Save voice" canSubmit={() => isChanged} />;
}

/** The model card of a voice; empty if it has none. */
function ModelCard({ voice }: { readonly voice: Voice }) {
  const text = useQuery(() => request(() => routeOf(voice).license.get()), [voice.id]).value?.text;
  if (text === undefined || text === null) return null;
  return (
    <details>
      <summary>Model card</summary>
      <CardText text={text} />
    </details>
  );
}

/** The text of a model card, unformatted and scrollable. */
export function CardText({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="code" style={{ maxHeight: '16rem', overflow: 'auto' }} tabIndex={0} aria-label="Model card">
      <pre>{text}</pre>
    </section>
  );
}
