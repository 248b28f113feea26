import { useState } from 'preact/hooks';
import { request, siteRoutes } from '../../api.ts';
import { ActionButton } from '../../components/actions.tsx';
import { Button } from '../../components/button.tsx';
import { Collection } from '../../components/collection.tsx';
import { PlayButton } from '../../components/play-button.tsx';
import { formatCount, formatLanguage } from '../../format.ts';
import { links } from '../../location.ts';
import { WordPopover } from '../posts/word-popover.tsx';
import { fetchEntrySpeech, type Pronunciations, speakerOf, type UnknownWord } from './pronunciations-api.ts';

type NamesOfSite = Pronunciations & { readonly site: string };

/** Names of the last days that no dictionary knows: right, or said differently. */
export function NewNames({ of }: { readonly of: NamesOfSite }) {
  const { site, canEdit, changes } = of;
  return (
    <Collection
      title="New names"
      load={() => request(() => siteRoutes(site)['unknown-words'].get({ query: {} }))}
      dependencies={[site, changes]}
      keyOf={({ word, language }) => `${language} ${word}`}
      columns={[
        { title: 'Play', isNarrow: true, cell: (name) => <PlayButton label={name.word} source={hear(of, name)} /> },
        {
          title: 'Name',
          phone: 'main',
          cell: ({ word }) => <b class="headline">{word}</b>,
          line: ({ language, count }) => `${formatLanguage(language)}, said ${formatCount(count, 'time')}`,
        },
        {
          title: 'Posts',
          phone: 'hidden',
          cell: ({ posts, post_titles }) =>
            posts.slice(0, 2).map((post, index) => (
              <a key={post} class="headline small cut" style={{ display: 'block' }} href={`#${links.post(site, post)}`}>
                {post_titles[index] ?? post}
              </a>
            )),
        },
        {
          title: 'What to do',
          phone: 'line',
          align: 'end',
          cell: (name) => canEdit && <Decision of={of} name={name} />,
        },
      ]}
      empty={{
        title: 'No new names',
        children: 'Names in the posts of the last 7 days that no dictionary knows appear here.',
      }}
    />
  );
}

function hear({ site, voices }: NamesOfSite, { word, language }: UnknownWord) {
  const voice = speakerOf(voices, language);
  return voice && (() => fetchEntrySpeech(site, word, word, voice.id));
}

function Decision({ of, name }: { readonly of: NamesOfSite; readonly name: UnknownWord }) {
  const { site, voices, onChanged } = of;
  const { word, language, posts } = name;
  const [anchor, setAnchor] = useState<HTMLElement>();
  const accept = (accepted: boolean) => () =>
    request(() => siteRoutes(site)['unknown-words'].accept.post({ word, accepted }));
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
        subject={word}
        run={accept(true)}
        done={`“${word}” kept as it is`}
        undo={accept(false)}
        onDone={onChanged}
      />
      <Button
        isCompact
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
        label="Say it differently"
        subject={word}
      />
      {anchor !== undefined && (
        <WordPopover
          {...{ word, language, anchor }}
          voiceId={speakerOf(voices, language)?.id}
          postIds={posts}
          onClose={close}
        />
      )}
    </span>
  );
}
