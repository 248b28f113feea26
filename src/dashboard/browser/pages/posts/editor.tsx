import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiError, api, request } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { LeaveGuard, toast } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { BackLink, ErrorNotice, Heading } from '../../components/page.tsx';
import type { Anchor } from '../../components/popover.tsx';
import { WrittenField } from '../../components/written-field.tsx';
import type { Draft } from '../../draft.ts';
import { formatLanguage, formatSince } from '../../format.ts';
import { useTypedQuery } from '../../query.ts';
import { readerOf, type SiteVoices, useSite } from '../../site.tsx';
import { readLeftOut } from './left-out.ts';
import type { Preview } from './posts-api.ts';
import { SoundPreview } from './sound-preview.tsx';
import { isHtml, type TextDraft } from './text-draft.ts';
import { findWords, WordPopover } from './word-popover.tsx';

interface EditorProps {
  /** For screen readers and the window; the headline is the post's. */
  readonly heading: string;
  readonly back: { readonly to: string; readonly title: string };
  readonly draft: Draft<TextDraft>;
  readonly voices: SiteVoices | undefined;
  /** Of the text; undefined: that of the voice. */
  readonly language?: string | undefined;
  readonly problem: ApiError | undefined;
  /** Fields with problems that are not in the editor, but shown below the preview. */
  readonly shownFields?: readonly string[];
  /** Below the preview: folded fields. */
  readonly children?: ComponentChildren;
  /** At the bottom of the page. */
  readonly note: ComponentChildren;
  /** Beside the note, for the latest preview. */
  readonly actions: (preview: Preview | undefined) => ComponentChildren;
}

/** Writing left, hearing right. */
export function Editor(props: EditorProps) {
  const { heading, back, draft, voices, language, problem, shownFields = [], children, note, actions } = props;
  const { site } = useSite();
  const { value } = draft;
  const change = (changes: Partial<TextDraft>) => draft.set({ ...value, ...changes });
  const preview = useTypedQuery(previewBody(value, language), (body) =>
    request(() => api.speech.preview.post(JSON.parse(body), { query: { site: site.slug } })),
  );
  const [open, setOpen] = useState<{ readonly word: string; readonly anchor: Anchor }>();
  const options = listVoices(voices, language, value.voice);
  const words = (preview.value?.unknown_words ?? []).map(({ word }) => word);
  const openWord = (word: string, anchor: Anchor) => setOpen({ word, anchor });
  const lang = language ?? preview.value?.language;
  const field = { problem, lang, onMark: ({ word }: { word: string }, anchor: Anchor) => openWord(word, anchor) };
  return (
    <div class="panes">
      <section class="writing" aria-label="Writing">
        <div class="row wide">
          <BackLink {...back} />
          <DraftState draft={draft} />
        </div>
        <Heading title={heading} look="unseen" />
        <WrittenField
          {...field}
          label="Title"
          name="post_title"
          look="headline"
          placeholder="Headline"
          maxLength={500}
          marks={findWords(value.title, words)}
          value={value.title}
          onValue={(title) => change({ title })}
        />
        <WrittenField
          {...field}
          label="Text"
          name="content"
          look={isHtml(value.content) ? 'source' : 'article'}
          placeholder="Write or paste the article: text with an empty line between paragraphs, or HTML"
          marks={findWords(value.content, words)}
          value={value.content}
          onValue={(content) => change({ content })}
        />
        <ErrorNotice problem={problem} shown={['post_title', 'content', ...shownFields]} />
      </section>
      <div class="hearing stack">
        <SoundPreview
          of={preview}
          voices={
            <Field
              label="Voice"
              isLabelHidden
              name="voice_id"
              problem={problem}
              value={options.some((option) => option.value === value.voice) ? value.voice : ''}
              options={options}
              onValue={(voice) => change({ voice })}
            />
          }
          onWord={openWord}
          readIt={(passage) => {
            const content = readLeftOut(value.content, passage);
            return content === undefined ? undefined : () => change({ content });
          }}
        />
        {children}
      </div>
      <footer class="bar">
        <span class="small sub wide-only cut">{note}</span>
        <div class="actions">{actions(preview.value)}</div>
      </footer>
      {open !== undefined && preview.value !== undefined && (
        <WordPopover
          key={open.word}
          word={open.word}
          language={preview.value.language}
          voiceId={preview.value.voice_id}
          anchor={open.anchor}
          isUnknown
          onSaved={() => {
            setOpen(undefined);
            toast(`${open.word}: kept for every post of this site`);
            preview.reload();
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      <LeaveGuard isChanged={!draft.isKept} />
    </div>
  );
}

/** @returns the body of the preview; undefined without a text */
function previewBody({ title, content, voice }: TextDraft, language: string | undefined): string | undefined {
  if (content.trim() === '') return undefined;
  return JSON.stringify({
    content,
    ...(title.trim() !== '' && { post_title: title }),
    ...(voice !== '' && { voice_id: Number(voice) }),
    ...(voice === '' && language !== undefined && { language }),
  });
}

/** Since when the text is kept, and how to be rid of an old draft. */
function DraftState({ draft: { value, set, savedAt, isRestored, discard } }: { readonly draft: Draft<TextDraft> }) {
  if (savedAt === undefined) return null;
  const onDiscard = () => {
    discard();
    toast('Draft discarded', { undo: async () => set(value) });
  };
  const time = formatSince(savedAt.toISOString());
  return (
    <span class="row small dim" role="status">
      {!isRestored && <Icon name="check" />}
      {isRestored ? `Draft from ${time} ·` : `Draft saved ${time}`}
      {isRestored && <Button kind="quiet" isCompact label="Discard" onClick={onDiscard} />}
    </span>
  );
}

/** @param language of the text; undefined: any @returns the voices to select from; empty: the usual one */
function listVoices(voices: SiteVoices | undefined, language: string | undefined, chosen: string) {
  const usual = language === undefined ? voices && readerOf(voices) : undefined;
  const toOption = ({ id, name, language: code }: SiteVoices['voices'][number]) => {
    return { value: String(id), label: `${name} · ${formatLanguage(code)}` };
  };
  const others = (voices?.voices ?? [])
    .filter((voice) => voice !== usual && (language === undefined || voice.language === language))
    .map(toOption);
  if (language !== undefined && others.some(({ value }) => value === chosen)) return others;
  return [{ value: '', label: usual === undefined ? 'Usual voice' : toOption(usual).label }, ...others];
}
