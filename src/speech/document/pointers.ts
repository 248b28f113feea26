import type { LeftOut, LeftOutReason } from './block.ts';
import type { DraftBlock } from './draft.ts';
import { leaveOutBlock } from './left-out.ts';

const UNITS_MAX = 300;
/** How lines begin, in the languages of our articles, that only point to another article. */
const POINTING =
  /^[^\p{L}]{0,5}(?:read (?:more|also|next|on)|also read|see also|related (?:story|stories|article|articles)|related(?=\s?[:–—|])|more on this|continue reading|lesen sie (?:auch|mehr)|(?:mehr|weiteres) zum thema|siehe auch|weiterlesen|lire (?:aussi|également|la suite)|[àa] lire (?:aussi|également)|lee también|leer más|lea también|leggi anche|lees ook)(?![\p{L}\p{N}])[\s:–—|-]{0,5}/iu;
/** Pages of players and posts that a content system would have shown in place of their address. */
const PLAYER_ADDRESS =
  /^https?:\/\/(?:www\.|m\.|open\.)?(?:youtube\.com|youtu\.be|vimeo\.com|dailymotion\.com|soundcloud\.com|spotify\.com|twitter\.com|x\.com|instagram\.com|facebook\.com|tiktok\.com|bsky\.app)\/\S{1,500}$/i;

/** Headings that belong to a box of links, of sharing or of letters, and mean nothing without it. */
const BOX_HEADING =
  /^[^\p{L}]{0,5}(?:related|recommended|more (?:stories|news|articles|from|on|like)|read (?:more|next|also)|see also|you (?:may|might) also|most (?:read|popular)|trending|share|comments?|newsletter|sign up|mehr zum|lesen sie auch|das könnte sie|kommentare|teilen|[àa] lire|lire aussi|sur le même|partager|lee también|te puede interesar|compartir)(?!\p{L})/iu;
const BOX_HEADING_UNITS_MAX = 60;

const BOXES: ReadonlySet<LeftOutReason> = new Set<LeftOutReason>([
  'related articles',
  'share bar',
  'sign-up box',
  'reader comments',
]);

/**
 * Leaves out lines of the text that only lead away from it: "Read more: …" with a link, the bare address of a video, the heading of
 * a box that was left out.
 * @param beforeLeftOut blocks right before something left out, with its reason
 */
export function withoutPointers(
  blocks: DraftBlock[],
  beforeLeftOut: ReadonlyMap<DraftBlock, LeftOutReason>,
): { kept: DraftBlock[]; leftOut: LeftOut[] } {
  const leftOut: LeftOut[] = [];
  const kept = blocks.filter((draft) => {
    const { block } = draft;
    const boxReason = beforeLeftOut.get(draft);
    if (boxReason && BOXES.has(boxReason) && isBoxHeading(draft)) {
      leftOut.push(leaveOutBlock(block, boxReason));
      return false;
    }
    if (block.text.length > UNITS_MAX || block.kind === 'heading') return true;
    if (isPointer(draft)) leftOut.push(leaveOutBlock(block, 'related articles'));
    else if (PLAYER_ADDRESS.test(block.text)) leftOut.push(leaveOutBlock(block, 'embedded media'));
    else return true;
    return false;
  });
  return { kept, leftOut };
}

function isBoxHeading({ block: { kind, text } }: DraftBlock): boolean {
  return kind === 'heading' && text.length <= BOX_HEADING_UNITS_MAX && BOX_HEADING.test(text);
}

/** All of it behind the first words is a link. "Related work is hard" is not one, nor is "Read more in our report of today". */
function isPointer({ block, linked }: DraftBlock): boolean {
  const words = POINTING.exec(block.text);
  if (!words || linked === 0) return false;
  return linked >= block.text.length - words[0].length - 1;
}
