import { useState } from 'preact/hooks';
import type { SupportedLanguage } from '../../../../texts.ts';
import { request } from '../../api.ts';
import { useActions } from '../../components/actions.tsx';
import { Button, PageLink } from '../../components/button.tsx';
import { SaveBar, toast } from '../../components/dialog.tsx';
import { CheckField, Field } from '../../components/field.tsx';
import { PageDrop } from '../../components/file-drop.tsx';
import { Card, Chip, EmptyState, Notice, Page, QueryView, Status } from '../../components/page.tsx';
import { measurePeaks, PlayButton, Waveform } from '../../components/play-button.tsx';
import { formatLanguage } from '../../format.ts';
import { planNames } from '../../plans.ts';
import { runInBackground, useAction, useQuery } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { fetchSiteVoices, readerOf, type SiteVoices, useSite } from '../../site.tsx';
import { fetchSpeech } from '../posts/posts-api.ts';
import { importAction, VoiceDrop } from './import-voice.tsx';
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
  const { site, routes } = useSite();
  const { isAdmin } = useSession();
  const start = useActions();
  const loaded = useQuery(async (): Promise<Shown> => {
    const [voices, chosen, posts] = await Promise.all([
      fetchVoices(),
      fetchSiteVoices(site.slug),
      request(() => routes.posts.get({ query: { limit: 20 } })),
    ]);
    const headlines = posts.items.map(({ title }) => title ?? '').filter((title) => title !== '');
    return { voices: voices.filter(({ enabled }) => enabled), chosen, headlines };
  }, [site.slug]);
  const add = isAdmin ? (files: readonly File[]) => start(importAction(files), loaded.reload) : undefined;
  return (
    <Page
      title="Voices"
      about={`Who reads ${site.name}, and who else listeners may choose.`}
      actions={add && <Button icon="upload" onClick={() => add([])} label="Add a voice" />}
    >
      <PageDrop isDisabled={add === undefined} onFiles={(files) => add?.(files)}>
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
    </Page>
  );
}

interface VoiceChoiceProps {
  readonly shown: Shown;
  /** Adds a voice from files; undefined for those who may not. */
  readonly onAdd: ((files: readonly File[]) => unknown) | undefined;
  readonly onSaved: (chosen: SiteVoices) => void;
}

function VoiceChoice({ shown: { voices, chosen, headlines }, onAdd, onSaved }: VoiceChoiceProps) {
  const { site, routes, canEdit, reload } = useSite();
  const [text, setText] = useState(headlines[0] ?? `This is ${site.name}.`);
  const stored = { ...chosen, extra_voices: chosen.allow_switch ? chosen.extra_voices : [] };
  const [draft, setDraft] = useState(stored);
  const isExtra = ({ id }: Voice) => draft.extra_voices.includes(id);
  const toggled = voices.filter((voice) => isExtra(voice) !== stored.extra_voices.includes(voice.id));
  const changed = [
    ...(readerOf(draft)?.language === readerOf(chosen)?.language ? [] : ['Default language']),
    ...languages
      .filter((language) => readerOf(draft, language)?.id !== readerOf(chosen, language)?.id)
      .map((language) => `${formatLanguage(language)} voice`),
    ...toggled.map(({ name }) => name),
  ];
  const save = useAction(async () => {
    const { default_voice_id, default_voices, extra_voices } = draft;
    const changes = { default_voice_id, default_voices, extra_voices, allow_switch: extra_voices.length > 0 };
    onSaved(await request(() => routes.voices.patch(changes)));
    reload();
    toast('Voices saved');
  });
  const another = () => setText(headlines[(headlines.indexOf(text) + 1) % headlines.length] ?? text);
  return (
    <div class="stack">
      <Card>
        <div class="row wrap" style={{ alignItems: 'end' }}>
          <div class="grow serif" style={{ minWidth: '14rem' }}>
            <Field label="Hear this in every voice" value={text} onValue={setText} maxLength={maxSentence} />
          </div>
          {headlines.length > 1 && <Button icon="newspaper" onClick={another} label="Another headline" />}
        </div>
      </Card>
      <div class="columns even">
        {voices.map((voice) => {
          const isIncluded = chosen.voices.some(({ id }) => id === voice.id);
          return (
            <VoiceCard
              key={voice.id}
              voice={voice}
              isReader={isIncluded && readerOf(draft, voice.language)?.id === voice.id}
              isIncluded={isIncluded}
              isExtra={isExtra(voice)}
              canEdit={canEdit}
              hear={() =>
                isIncluded && text.trim() !== ''
                  ? fetchSpeech(site.slug, { text, voice_id: voice.id })
                  : fetchSample(voice)
              }
              onReader={() => setDraft(withReader(draft, voice))}
              onExtra={() => setDraft(withToggled(draft, voice))}
            />
          );
        })}
        {onAdd !== undefined && (
          <VoiceDrop onFiles={onAdd}>
            <b>Drop a Piper voice here</b>
            <p class="small">The .onnx and its .json. It is checked and measured before anybody can choose it.</p>
          </VoiceDrop>
        )}
      </div>
      {toggled.some(isExtra) && (
        <p class="hint">
          Every post is also generated in a voice that listeners may choose. This takes time and space.
        </p>
      )}
      {!toggled.every(isExtra) && (
        <Notice kind="warning">Saving deletes the MP3s of voices that listeners may no longer choose.</Notice>
      )}
      <ByLanguage
        readers={draft}
        canAdd={onAdd !== undefined}
        onDefault={canEdit ? (language) => setDraft(withDefault(draft, language)) : undefined}
      />
      <SaveBar changed={changed} action={save} onDiscard={() => setDraft(stored)} />
    </div>
  );
}

/** The voice reads its language. */
function withReader(readers: SiteVoices, { id, language }: Pick<Voice, 'id' | 'language'>): SiteVoices {
  if (readerOf(readers)?.language === language) return { ...readers, default_voice_id: id };
  return { ...readers, default_voices: [...withoutLanguage(readers, language), id] };
}

/** Listeners may choose the voice, or no longer. */
function withToggled(draft: SiteVoices, { id }: Pick<Voice, 'id'>): SiteVoices {
  return { ...draft, extra_voices: [...new Set(draft.extra_voices).symmetricDifference(new Set([id]))] };
}

function withoutLanguage({ voices, default_voices }: SiteVoices, language: string): number[] {
  return default_voices.filter((id) => voices.find((voice) => voice.id === id)?.language !== language);
}

/** Posts without a language are in this one; each language keeps its voice. */
function withDefault(readers: SiteVoices, language: string): SiteVoices {
  const others = withoutLanguage(readers, language);
  const before = readerOf(readers);
  return {
    ...readers,
    default_voice_id: readerOf(readers, language)?.id ?? null,
    default_voices: before === undefined ? others : [...new Set([...others, before.id])],
  };
}

interface VoiceCardProps {
  readonly voice: Voice;
  /** It reads the posts of its language. */
  readonly isReader: boolean;
  /** The plan of the site includes it. */
  readonly isIncluded: boolean;
  readonly isExtra: boolean;
  readonly canEdit: boolean;
  readonly hear: () => Promise<Response>;
  readonly onReader: () => void;
  readonly onExtra: () => void;
}

function VoiceCard({ voice, isReader, isIncluded, isExtra, canEdit, hear, onReader, onExtra }: VoiceCardProps) {
  const language = formatLanguage(voice.language);
  const id = `voice ${voice.id}`;
  const [peaks, setPeaks] = useState<readonly number[]>();
  const play = async () => {
    const answer = await hear();
    // Playing reports a sound that cannot be decoded.
    runInBackground(
      answer
        .clone()
        .arrayBuffer()
        .then(measurePeaks)
        .then(setPeaks, () => undefined),
    );
    return answer;
  };
  return (
    <Card
      title={voice.name}
      about={voice.gender === 'neutral' ? undefined : voice.gender === 'female' ? 'Female' : 'Male'}
      actions={
        isReader ? (
          <Chip tone="accent">Reads in {language}</Chip>
        ) : isIncluded && canEdit ? (
          <CheckField
            look="toggle"
            label={
              <>
                <span class="small">Listeners may choose</span>
                <span class="unseen"> {voice.name}</span>
              </>
            }
            value={isExtra}
            onValue={onExtra}
          />
        ) : isExtra ? (
          <Chip>Listeners may choose</Chip>
        ) : undefined
      }
    >
      <div class="stack tight">
        <span class="row">
          <PlayButton label={voice.name} id={id} source={play} isBig />
          <Waveform id={id} peaks={peaks} />
        </span>
        <div class="row wide">
          <span class="dim small">
            {formatLanguage(voice.locale)}, <code>voice_id</code> {voice.id}
          </span>
          {lacksLicenseConsent(voice) ? (
            <Status tone="warn">License not confirmed</Status>
          ) : !isIncluded ? (
            <Status>Requires the {planNames[voice.plan_required]} plan</Status>
          ) : (
            !isReader &&
            canEdit && (
              <Button kind="link" isCompact onClick={onReader} label={`Make ${voice.name} the ${language} voice`} />
            )
          )}
        </div>
      </div>
    </Card>
  );
}

interface ByLanguageProps {
  readonly readers: SiteVoices;
  readonly canAdd: boolean;
  /** Makes a language that of posts that name none; undefined for those who may not. */
  readonly onDefault: ((language: string) => void) | undefined;
}

function ByLanguage({ readers, canAdd, onDefault }: ByLanguageProps) {
  const mainLanguage = readerOf(readers)?.language;
  return (
    <Card title="By language" about="Posts without a language are in the default one." isFlush>
      {readers.voices.length === 0 && (
        <EmptyState title="No voice available">
          <p>An admin can enable or add a voice, or change the plan of the site.</p>
        </EmptyState>
      )}
      <ul role="list" class="rows tight" aria-label="Voices by language">
        {languages.map((language) => {
          const reader = readerOf(readers, language);
          return (
            <li key={language}>
              <span class="grow">{formatLanguage(language)}</span>
              <span class="grow">
                {reader?.name ?? <Status tone="warn">No voice, so its posts are refused</Status>}
              </span>
              <span style={{ flex: '0 0 6rem', textAlign: 'end' }}>
                {reader !== undefined && language === mainLanguage && <Chip tone="accent">Default</Chip>}
                {reader !== undefined && language !== mainLanguage && onDefault !== undefined && (
                  <Button
                    kind="link"
                    isCompact
                    onClick={() => onDefault(language)}
                    label="Make default"
                    subject={formatLanguage(language)}
                  />
                )}
                {reader === undefined && canAdd && (
                  <PageLink look="link small" to="/server/voices" text="Add one" subject={formatLanguage(language)} />
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
