import { encodeSegment, request } from '../../api.ts';
import { type Anchor, Popover } from '../../components/popover.tsx';
import { WordCard } from '../../components/word-card.tsx';
import { useQuery } from '../../query.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';
import { fetchSpeech } from './posts-api.ts';

interface WordPopoverProps {
  readonly word: string;
  readonly language: string;
  readonly voiceId: number;
  readonly anchor: Anchor;
  /** The post whose sentences with the word are spoken again; undefined: none yet. */
  readonly postId?: string;
  /** The word may be right as the rules of the language say it. */
  readonly isUnknown?: boolean;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** The card of a word, at the word: play it, change its pronunciation, save. */
export function WordPopover(props: WordPopoverProps) {
  const { word, language, voiceId, anchor, postId, isUnknown = false, onSaved, onClose } = props;
  const { site, routes } = useSite();
  const found = useQuery(() => findEntry(routes.pronunciations, word, language), [word, language]);
  if (found.isLoading && found.value === undefined) return null;
  const entry = found.value?.entry;
  const save = async (alias: string) => {
    const posts = postId === undefined ? {} : { regenerate_posts: [postId] };
    await request(() =>
      entry === undefined
        ? routes.pronunciations.post({ word, alias, language, match_case: false, ...posts })
        : routes.pronunciations({ pronunciation: encodeSegment(entry.id) }).patch({ alias, ...posts }),
    );
    return 'Saved';
  };
  return (
    <Popover anchor={anchor} label={`Say “${word}” differently`} onClose={onClose}>
      <WordCard
        word={word}
        alias={entry?.alias}
        hear={(alias) => () => fetchSpeech(site.slug, { text: word, voice_id: voiceId, alias })}
        save={save}
        accept={isUnknown ? () => request(() => routes['unknown-words'].accept.post({ word })) : undefined}
        onSaved={onSaved}
      />
    </Popover>
  );
}

/** @returns the entry of the site for a word, if it has one */
async function findEntry(pronunciations: SiteRoutes['pronunciations'], word: string, language: string) {
  const { items } = await request(() => pronunciations.get({ query: { q: word, language } }));
  return { entry: items.find((item) => item.word.toLowerCase() === word.toLowerCase()) };
}
