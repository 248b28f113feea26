import { useState } from 'preact/hooks';
import type { SupportedLanguage } from '../../../../texts.ts';
import { api, ask, encodeSegment } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { TextField, Toggle } from '../../components/field.tsx';
import { FileDrop, PageDrop } from '../../components/file-drop.tsx';
import { Notice } from '../../components/notice.tsx';
import { Card, Page } from '../../components/page.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { SaveBar } from '../../components/save-bar.tsx';
import { Chip, Status } from '../../components/status.tsx';
import { useToast } from '../../components/toasts.tsx';
import { formatLanguage } from '../../format.ts';
import { planNames } from '../../plans.ts';
import { useAction, useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { useSite } from '../../site.tsx';
import { fetchSiteVoices, type SiteVoices } from '../../site-voices.ts';
import { fetchSpeech } from '../posts/posts-api.ts';
import { ImportVoice } from './import-voice.tsx';
import { fetchSample, fetchVoices, lacksLicenseConsent, type Voice } from './voices.ts';

/** Every language that Lectern speaks. */
const languages = Object.keys({ en: 1, de: 1, fr: 1, es: 1, it: 1, nl: 1, pl: 1, pt: 1 } satisfies Record<
  SupportedLanguage,
  1
>);
const maxSentence = 300;

interface Shown {
  /** Every enabled voice, including those above the plan. */
  readonly voices: readonly Voice[];
  readonly chosen: SiteVoices;
  /** Headlines of the latest posts. */
  readonly headlines: readonly string[];
}

/** Who reads the site, and who else listeners may choose. */
export function SiteVoicesPage() {
  const { site } = useSite();
  const { isAdmin } = useSession();
  const [dropped, setDropped] = useState<readonly File[]>();
  const loaded = useQuery(async (): Promise<Shown> => {
    const [voices, chosen, posts] = await Promise.all([
      fetchVoices(),
      fetchSiteVoices(site.slug),
      ask(() => api.sites({ site: encodeSegment(site.slug) }).posts.get({ query: { limit: 20 } })),
    ]);
    const headlines = posts.items.map(({ title }) => title ?? '').filter((title) => title !== '');
    return { voices: voices.filter(({ enabled }) => enabled), chosen, headlines };
  }, [site.slug]);
  const add = isAdmin ? setDropped : undefined;
  return (
    <Page
      title="Voices"
      about={`Who reads ${site.name}, and who else listeners may choose.`}
      actions={
        add && (
          <Button icon="upload" onClick={() => add([])}>
            Add a voice
          </Button>
        )
      }
    >
      <PageDrop isDisabled={add === undefined || dropped !== undefined} onFiles={(files) => add?.(files)}>
        <QueryView of={loaded}>
          {(shown) => (
            <VoiceChoice
              key={JSON.stringify(shown.chosen)}
              shown={shown}
              onAdd={add}
              onSaved={(chosen) => loaded.set({ ...shown, chosen })}
            />
          )}
        </QueryView>
      </PageDrop>
      {dropped !== undefined && (
        <ImportVoice
          dropped={dropped}
          onClose={() => {
            setDropped(undefined);
            loaded.reload();
          }}
        />
      )}
    </Page>
  );
}

interface VoiceChoiceProps {
  readonly shown: Shown;
  /** Adds a voice from files; undefined for those who may not. */
  readonly onAdd: ((files: readonly File[]) => void) | undefined;
  readonly onSaved: (chosen: SiteVoices) => void;
}

function VoiceChoice({ shown: { voices, chosen, headlines }, onAdd, onSaved }: VoiceChoiceProps) {
  const { site, canEdit, reload } = useSite();
  const tell = useToast();
  const [text, setText] = useState(headlines[0] ?? `This is ${site.name}.`);
  const [mainId, setMainId] = useState(chosen.default_voice_id);
  const storedExtras = chosen.allow_switch ? chosen.extra_voices : [];
  const [extras, setExtras] = useState<readonly number[]>(storedExtras);
  const main = chosen.voices.find(({ id }) => id === mainId) ?? chosen.voices[0];
  const readerOf = (language: string) =>
    main?.language === language ? main : chosen.voices.find((one) => one.language === language);
  const toggled = voices.filter(({ id }) => extras.includes(id) !== storedExtras.includes(id));
  const changed = [
    ...(mainId === chosen.default_voice_id ? [] : ['Default voice']),
    ...toggled.map(({ name }) => name),
  ];
  const save = useAction(async () => {
    const changes = { default_voice_id: mainId, allow_switch: extras.length > 0, extra_voices: [...extras] };
    onSaved(await ask(() => api.sites({ site: encodeSegment(site.slug) }).voices.patch(changes)));
    reload();
    tell('Voices saved');
  });
  const another = () => setText(headlines[(headlines.indexOf(text) + 1) % headlines.length] ?? text);
  return (
    <div class="stack">
      <Card>
        <div class="row wrap" style={{ alignItems: 'end' }}>
          <div class="grow serif" style={{ minWidth: '14rem' }}>
            <TextField label="Hear this in every voice" value={text} onValue={setText} maxLength={maxSentence} />
          </div>
          {headlines.length > 1 && (
            <Button icon="newspaper" onClick={another}>
              Another headline
            </Button>
          )}
        </div>
      </Card>
      <div class="columns even">
        {voices.map((voice) => {
          const isIncluded = chosen.voices.some(({ id }) => id === voice.id);
          return (
            <VoiceCard
              key={voice.id}
              voice={voice}
              isReader={isIncluded && readerOf(voice.language)?.id === voice.id}
              main={main}
              isIncluded={isIncluded}
              isExtra={extras.includes(voice.id)}
              canEdit={canEdit}
              hear={() =>
                isIncluded && text.trim() !== ''
                  ? fetchSpeech(site.slug, { text, voice_id: voice.id })
                  : fetchSample(voice)
              }
              onMain={() => setMainId(voice.id)}
              onExtra={(isExtra) =>
                setExtras(isExtra ? [...extras, voice.id] : extras.filter((one) => one !== voice.id))
              }
            />
          );
        })}
        {onAdd !== undefined && (
          <FileDrop label="Choose files" accept=".onnx,.json,.md,.txt,MODEL_CARD" isDisabled={false} onFiles={onAdd}>
            <b>Drop a Piper voice here</b>
            <p class="small">The .onnx and its .json. It is checked and measured before anybody can choose it.</p>
          </FileDrop>
        )}
      </div>
      {toggled.some(({ id }) => extras.includes(id)) && (
        <p class="hint">
          Every post is also generated in a voice that listeners may choose. This takes time and space.
        </p>
      )}
      {toggled.some(({ id }) => !extras.includes(id)) && (
        <Notice kind="warning">Saving deletes the MP3s of voices that listeners may no longer choose.</Notice>
      )}
      <ByLanguage readerOf={readerOf} main={main} canAdd={onAdd !== undefined} />
      <SaveBar
        changed={changed}
        action={save}
        onDiscard={() => {
          setMainId(chosen.default_voice_id);
          setExtras(storedExtras);
        }}
      />
    </div>
  );
}

interface VoiceCardProps {
  readonly voice: Voice;
  /** It reads the posts of its language. */
  readonly isReader: boolean;
  /** The default voice. */
  readonly main: Pick<Voice, 'id' | 'language'> | undefined;
  /** The plan of the site includes it. */
  readonly isIncluded: boolean;
  readonly isExtra: boolean;
  readonly canEdit: boolean;
  readonly hear: () => Promise<Response>;
  readonly onMain: () => void;
  readonly onExtra: (isExtra: boolean) => void;
}

function VoiceCard({ voice, isReader, main, isIncluded, isExtra, canEdit, hear, onMain, onExtra }: VoiceCardProps) {
  const language = formatLanguage(voice.language);
  return (
    <Card
      title={voice.name}
      about={voice.gender === 'neutral' ? undefined : voice.gender === 'female' ? 'Female' : 'Male'}
      actions={
        isReader ? (
          <Chip tone="accent">Reads in {language}</Chip>
        ) : isIncluded && canEdit ? (
          <Toggle label={<span class="small">Listeners may choose</span>} isChecked={isExtra} onChecked={onExtra} />
        ) : isExtra ? (
          <Chip>Listeners may choose</Chip>
        ) : undefined
      }
    >
      <div class="row wide">
        <span class="row">
          <PlayButton label={voice.name} id={`voice ${voice.id}`} source={hear} isBig />
          <span class="dim small">
            {formatLanguage(voice.locale)}, <code>voice_id</code> {voice.id}
          </span>
        </span>
        {lacksLicenseConsent(voice) ? (
          <Status tone="warn">License not confirmed</Status>
        ) : !isIncluded ? (
          <Status>Requires the {planNames[voice.plan_required]} plan</Status>
        ) : (
          main?.id !== voice.id &&
          canEdit && (
            <button type="button" class="link small" onClick={onMain}>
              {/* A site has one default voice: in another language than now, it changes the language of the site. */}
              {main?.language === voice.language ? `Make it the ${language} voice` : 'Make it the default voice'}
            </button>
          )
        )}
      </div>
    </Card>
  );
}

interface ByLanguageProps {
  readonly readerOf: (language: string) => Pick<Voice, 'id' | 'name'> | undefined;
  readonly main: Pick<Voice, 'id'> | undefined;
  readonly canAdd: boolean;
}

function ByLanguage({ readerOf, main, canAdd }: ByLanguageProps) {
  return (
    <Card title="By language" isFlush>
      {languages.every((language) => readerOf(language) === undefined) && (
        <EmptyState title="No voice available">
          <p>An admin can enable or add a voice, or change the plan of the site.</p>
        </EmptyState>
      )}
      <ul class="rows tight" aria-label="Voices by language">
        {languages.map((language) => {
          const reader = readerOf(language);
          return (
            <li key={language}>
              <span class="grow">{formatLanguage(language)}</span>
              <span class="grow">
                {reader?.name ?? <Status tone="warn">No voice, so its posts are refused</Status>}
                {reader !== undefined && reader.id === main?.id && <span class="dim">, the default voice</span>}
              </span>
              {reader === undefined && canAdd && (
                <a class="link small" href="#/server/voices">
                  Add one
                </a>
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
