import { request } from '../../api.ts';
import { type Anchor, Popover } from '../../components/popover.tsx';
import { WordCard } from '../../components/word-card.tsx';
import type { TextMark } from '../../components/written-field.tsx';
import { formatCount } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { type SiteRoutes, useSite } from '../../site.tsx';
import { fetchSpeech } from './posts-api.ts';

interface WordPopoverProps {
  readonly word: string;
  readonly language: string;
  /** Undefined: the site has none of the language. */
  readonly voiceId: number | undefined;
  readonly anchor: Anchor;
  /** The posts whose sentences with the word are spoken again. */
  readonly postIds?: readonly string[];
  /** The word may be right as the rules of the language say it. */
  readonly isUnknown?: boolean;
  readonly onSaved?: () => void;
  readonly onClose: () => void;
}

/** The card of a word, at the word: play it, change its pronunciation, save. */
export function WordPopover(props: WordPopoverProps) {
  const { word, language, voiceId = null, anchor, postIds = [], isUnknown = false, onSaved, onClose } = props;
  const { site, routes } = useSite();
  const found = useQuery(() => findEntry(routes.pronunciations, word, language), [word, language]);
  if (found.isLoading && found.value === undefined) return null;
  const entry = found.value?.entry;
  const save = async (alias: string) => {
    const changes = { alias, ...(postIds.length > 0 && { regenerate_posts: [...postIds] }) };
    const { regenerated } = await request(() =>
      entry === undefined
        ? routes.pronunciations.post({ word, language, match_case: false, ...changes })
        : routes.pronunciations({ pronunciation: encodeURIComponent(entry.id) }).patch(changes),
    );
    return regenerated == null ? 'Saved' : `${formatCount(regenerated.posts, 'post')} regenerated`;
  };
  return (
    <Popover anchor={anchor} label={`Say “${word}” differently`} onClose={onClose}>
      <WordCard
        word={word}
        alias={entry?.alias}
        hear={(alias) => () => fetchSpeech(site.slug, { text: word, voice_id: voiceId, ...(alias && { alias }) })}
        save={save}
        accept={isUnknown ? () => request(() => routes['unknown-words'].accept.post({ word })) : undefined}
        {...(onSaved && { onSaved })}
      />
    </Popover>
  );
}

/** @returns the entry of the site for a word, if it has one */
async function findEntry(pronunciations: SiteRoutes['pronunciations'], word: string, language: string) {
  const { items } = await request(() => pronunciations.get({ query: { q: word, language } }));
  return { entry: items.find((item) => item.word.toLowerCase() === word.toLowerCase()) };
}

/** A word in a text. */
export interface PlacedWord extends TextMark {
  readonly word: string;
}

/** @returns the positions of words in a text, in order; without HTML tags */
export function findWords(text: string, words: readonly string[]): PlacedWord[] {
  if (words.length === 0) return [];
  // The longest first: one may begin with another.
  const any = words.toSorted((a, b) => b.length - a.length).map((word) => RegExp.escape(word));
  const pattern = new RegExp(`<[^>]*>|(?<![\\p{L}\\p{M}\\p{N}])(?:${any.join('|')})(?![\\p{L}\\p{M}\\p{N}])`, 'gu');
  return [...text.matchAll(pattern)]
    .filter(([found]) => !found.startsWith('<'))
    .map(({ 0: word, index: start }) => ({ word, start, end: start + word.length }));
}

/** @returns the range of text grown to whole words; undefined if it holds none, or more than a name */
export function selectedWord(selection: Selection | null, within: Node | null): Range | undefined {
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0).cloneRange();
  const { startContainer: first, endContainer: last } = range;
  if (within?.contains(first) !== true || !within.contains(last)) return undefined;
  if (first instanceof Text) {
    const [before] = /[\p{L}\p{M}\p{N}'’]*$/u.exec(first.data.slice(0, range.startOffset)) ?? [''];
    range.setStart(first, range.startOffset - before.length);
  }
  if (last instanceof Text && range.endOffset > 0) {
    const [after] = /^[\p{L}\p{M}\p{N}'’]*/u.exec(last.data.slice(range.endOffset)) ?? [''];
    // A double click also selects the space after the word.
    const isWhole = /[\p{L}\p{M}\p{N}]$/u.test(last.data.slice(0, range.endOffset));
    range.setEnd(last, range.endOffset + (isWhole ? after.length : 0));
  }
  const word = range.toString().trim();
  return /\p{L}/u.test(word) && word.length <= wordLengthMax && !/[\n.!?]\s/.test(word) ? range : undefined;
}

/** Of an entry. */
const wordLengthMax = 100;
