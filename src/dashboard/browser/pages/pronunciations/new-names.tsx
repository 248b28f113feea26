import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { Popover } from '../../components/popover.tsx';
import { ActionButton } from '../../components/row-actions.tsx';
import { WordCard } from '../../components/word-card.tsx';
import { formatCount, formatLanguage } from '../../format.ts';
import { links } from '../../location.ts';
import {
  acceptWord,
  createEntry,
  fetchEntrySpeech,
  fetchUnknownWords,
  type PreviewVoice,
  type UnknownWord,
} from './pronunciations-api.ts';

interface NewNamesProps {
  /** Slug of the site. */
  readonly of: string;
  readonly canEdit: boolean;
  readonly voices: readonly PreviewVoice[];
  readonly changes: number;
  readonly onChanged: () => void;
}

/** Names of the last days that no dictionary knows: right, or said differently. */
export function NewNames({ of, canEdit, voices, changes, onChanged }: NewNamesProps) {
  const hear = ({ word, language }: UnknownWord, alias = word) => {
    const voice = voices.find((voice) => voice.language === language) ?? voices[0];
    return voice && (() => fetchEntrySpeech(of, { word, alias }, voice.id));
  };
  return (
    <Collection
      title="New names"
      load={() => fetchUnknownWords(of)}
      dependencies={[of, changes]}
      keyOf={({ word, language }) => `${language} ${word}`}
      columns={[
        { title: 'Play', isNarrow: true, cell: (name) => <PlayButton label={name.word} source={hear(name)} /> },
        {
          title: 'Name',
          phone: 'main',
          cell: ({ word, language, count }) => (
            <>
              <b class="headline">{word}</b>
              <span class="line">
                {formatLanguage(language)}, said {formatCount(count, 'time')}
              </span>
            </>
          ),
        },
        {
          title: 'Posts',
          phone: 'hidden',
          cell: ({ posts, post_titles }) =>
            posts.slice(0, 2).map((post, index) => (
              <a key={post} class="headline small cut" style={{ display: 'block' }} href={`#${links.post(of, post)}`}>
                {post_titles[index] ?? post}
              </a>
            )),
        },
        {
          title: 'What to do',
          phone: 'line',
          align: 'end',
          cell: (name) =>
            canEdit && <Decision of={of} name={name} hear={(alias) => hear(name, alias)} onChanged={onChanged} />,
        },
      ]}
      empty={{
        title: 'No new names',
        children: 'Names in the posts of the last 7 days that no dictionary knows appear here.',
      }}
    />
  );
}

interface DecisionProps {
  readonly of: string;
  readonly name: UnknownWord;
  readonly hear: (alias: string | undefined) => (() => Promise<Response>) | undefined;
  readonly onChanged: () => void;
}

function Decision({ of, name, hear, onChanged }: DecisionProps) {
  const { word, language, posts } = name;
  const [anchor, setAnchor] = useState<HTMLElement>();
  const save = async (alias: string) => {
    const entry = { word, alias, language, match_case: false, regenerate_posts: posts };
    const { regenerated } = await createEntry(of, entry);
    return `${formatCount(regenerated?.posts ?? 0, 'post')} regenerated`;
  };
  const close = () => {
    setAnchor(undefined);
    onChanged();
  };
  return (
    <span class="actions" style={{ justifyContent: 'flex-end' }}>
      <ActionButton
        isCompact
        icon="check"
        label="It is right"
        run={() => acceptWord(of, word, true)}
        done={`“${word}” kept as it is`}
        undo={() => acceptWord(of, word, false)}
        onDone={onChanged}
      />
      <Button isCompact onClick={({ currentTarget }) => setAnchor(currentTarget)} label="Say it differently" />
      {anchor !== undefined && (
        <Popover anchor={anchor} label={`Pronunciation of ${word}`} onClose={close}>
          <WordCard word={word} hear={(alias) => hear(alias) ?? ''} save={save} />
        </Popover>
      )}
    </span>
  );
}
