import type { Checkpoint, DocumentBuilder, DraftBlock, LeftOutReason } from './block.ts';
import type { StartTag } from './elements.ts';
import { isBoxHeading, isLabel } from './line-kinds.ts';
import { findStandingLine, MIN_WEAK_POINTS, scoreHouseProse } from './standing-lines.ts';

/** A suggestion by a class or id. The content of the element, known at its end, confirms it. */
export interface ClassNameHint {
  readonly reason: LeftOutReason;
  /** Elements with more text are kept. */
  readonly maxLetters: number;
  /** Minimum share of linked letters; no minimum below 60 letters. */
  readonly minLinkShare: number;
  /** Minimum length of the text before it, relative to its own length. */
  readonly minTextBefore: number;
  /** It contains only URLs. */
  readonly isAddress: boolean;
  /** It contains links and labels, or is a card: a linked title before a text. */
  readonly isOnlyLabels: boolean;
  /** It is a block-level element: on a link or a word, the name says what happens on a click. */
  readonly isBlock: boolean;
  /** Its lines are labels, or one of them calls to a reader: names of walls are also those of the text behind them. */
  readonly isWall: boolean;
}

const MAX_NAME_COUNT = 20;
const MAX_NAME_LENGTH = 100;
const advertisement = createHint('advertisement', 400);
const shareBar = createHint('share bar', 250);
const related = createHint('related articles', 2_000, { minLinkShare: 0.4 });
const signUp = createHint('sign-up box', 600);
const navigation = createHint('navigation', 3_000, { minLinkShare: 0.5 });
const editLink = createHint('navigation', 100);
const tags = createHint('page furniture', 400, { minLinkShare: 0.5 });
const wall = createHint('sign-up box', 600, { isBlock: true, isWall: true });
const box = createHint('page furniture', 600, { isBlock: true });
/** Vendors of consent banners. Their text is long, and its names are not those of an article. */
const consent = createHint('page furniture', 5_000, { isBlock: true });
const notice = createHint('page furniture', 800);
const besideArticle = createHint('page furniture', 600, { isOnlyLabels: true });
const poll = createHint('form', 400);
const metadata = createHint('page furniture', 300);
/** Fields of Drupal whose label is shown. */
const field = createHint('page furniture', 300, { isOnlyLabels: true, isBlock: true });
const counter = createHint('page furniture', 60);
/** Stars that readers gave. */
const votes = createHint('page furniture', 100, { isBlock: true });
/** What a printed page lacks. */
const besidePrint = createHint('page furniture', 600, { isOnlyLabels: true, isBlock: true });
/** The International Phonetic Alphabet. */
const phonetic = createHint('foreign script', 100);
/** Numbers of cells in a notebook. */
const prompt = createHint('code', 60);
const hidden = createHint('hidden', 300);
const notShown = createHint('hidden', 2_000, { minTextBefore: 0.2 });
const caption = createHint('caption', 800);
const credit = createHint('caption', 120);
/** Behind the text; above it is the byline. */
const authors = createHint('page furniture', 800, { minTextBefore: 0.5, isBlock: true });
const footnotes = createHint('footnote', 100_000, { minTextBefore: 0.5 });
const comments = createHint('reader comments', 500_000, { minTextBefore: 0.05 });
const player = createHint('embedded media', 400);
const wordComment = createHint('footnote', 2_000);
const address = createHint('embedded media', 400, { isAddress: true });
const post = createHint('embedded post', 2_000);

function createHint(reason: LeftOutReason, maxLetters: number, conditions: Partial<ClassNameHint> = {}): ClassNameHint {
  return {
    ...{
      reason,
      maxLetters,
      minLinkShare: 0,
      minTextBefore: 0,
      isAddress: false,
      isOnlyLabels: false,
      isBlock: false,
      isWall: false,
    },
    ...conditions,
  };
}

/** Whole class names and ids of well-known systems. */
const WHOLE_NAMES = new Map<string, ClassNameHint>([
  ...mapNames(notShown, 'hidden'),
  ...mapNames(
    hidden,
    'sr-only print-only printonly visible-print visible-print-block d-print-block screen-reader screen-reader-text screen-reader-only visually-hidden visuallyhidden w-condition-invisible',
  ),
  ...mapNames(
    caption,
    'wp-caption-text wp-element-caption image-credit photo-credit image-metadata imagecaption figure-credit media-credit ' +
      'bildunterschrift',
  ),
  ...mapNames(footnotes, 'footnote footnotes footnote-list footnotes-list wp-block-footnotes easy-footnotes-wrapper'),
  ...mapNames(footnotes, 'endnotes reflist references footnote-definition modern-footnotes-list'),
  ...mapNames(footnotes, 'bibliography ltx_bibliography csl-bib-body'),
  ...mapNames(phonetic, 'ipa'),
  ...mapNames(prompt, 'input_prompt output_prompt jp-inputprompt jp-outputprompt'),
  ...mapNames(wordComment, 'sidenote side-note marginnote margin-note'),
  ...mapNames(wordComment, 'spip_note_ref msocomanchor msocomtxt msocommentreference msocommenttext'),
  ...mapNames(comments, 'comments comments-area comment-list commentlist comment-respond respond'),
  ...mapNames(comments, 'wp-block-comments wp-block-post-comments wp-block-post-comments-form comments-wrapper'),
  ...mapNames(comments, 'disqus_thread comments-section comment-section fb-comments'),
  ...mapNames(player, 'kg-video-card kg-audio-card videoenhancement'),
  ...mapNames(address, 'wp-block-embed__wrapper'),
  ...mapNames(post, 'instagram-media tiktok-embed reddit-embed-bq reddit-card text-post-media'),
  ...mapNames(
    post,
    'imgur-embed-pub wp-embedded-content embedly-card kg-bookmark-card digest-post-embed graf--mixtapeembed',
  ),
  ...mapNames(signUp, 'kg-signup-card newspack-popup-container subscription-widget-wrap-editor captioned-button-wrap'),
  ...mapNames(signUp, 'install-substack-app-embed'),
  ...mapNames(
    metadata,
    'article-info property-row hatnote dablink shortdescription mw-jump-link msofooter msoheader printfooter ambox mbox tmbox ombox sistersitebox side-box labels-section like-section w-dyn-empty',
  ),
  ...mapNames(besideArticle, 'post-footer entry-footer article-footer page-footer site-footer footer'),
  ...mapNames(tags, 'post-labels'),
  ...mapNames(advertisement, 'kg-cta-card'),
  ...mapNames(box, 'signature gmail_signature moz-signature ms-outlook-mobile-signature'),
  ...mapNames(
    consent,
    'onetrust-consent-sdk onetrust-banner-sdk onetrust-pc-sdk cky-consent-container cky-consent-bar cky-modal cmplz-cookiebanner ' +
      'cmplz-cookiebanner-container cookie-law-info-bar cybotcookiebotdialog didomi-host didomi-popup usercentrics-root qc-cmp2-container ' +
      'truste_overlay osano-cm-window borlabscookiebox borlabscookie iubenda-cs-banner moove_gdpr_cookie_info_bar klaro fc-consent-root ' +
      'tarteaucitronroot axeptio_overlay cc-window cc-banner wpcc-container termly-consent-banner',
  ),
  ...mapNames(related, 'pagelistenhancementgeneric wp-block-query'),
  ...mapNames(editLink, 'mw-editsection mw-editsection-like editsection'),
]);

/** Words in class names that identify a topic. */
const TOPIC_BY_PHRASE = new Map<string, ClassNameHint>([
  ...mapNames(
    advertisement,
    'ad house-ad native-ad partner-content sponsor-message ads advert adverts advertisement advertisements advertising adslot adunit adbox adwrapper adcontainer adsbygoogle ' +
      'adsense dfp sponsor sponsored taboola outbrain teads mgid revcontent anzeige anzeigen werbung publicite publicidad',
  ),
  ...mapNames(
    shareBar,
    'share shares sharing sharedaddy sharethis addtoany addthis shariff social-links social-icons social-media ' +
      'social-buttons social-bar fb-like reactions a2a social-list social-menu social-networks follow-us likes teilen compartir partager partage',
  ),
  ...mapNames(
    related,
    'related relatedposts recommended recommendations recirc recirculation yarpp readmore read-more more-link read-next ' +
      'up-next also-read read-also see-also more-stories more-articles more-news more-on most-read most-popular trending ' +
      'latest-posts recent-posts latest-news promo further-reading weiterlesen mehr-zum-thema lesen-sie-auch lire-aussi a-lire-aussi lee-tambien',
  ),
  ...mapNames(
    signUp,
    'newsletter sign-up signup subscribe subscription mailchimp mc4wp optin opt-in donate donation support-us contribution-banner event-promo podcast-promo book-promo',
  ),
  ...mapNames(
    wall,
    'paywall regwall premium-gate content-gate metered-gate piano login sign-in membership upsell call-to-action',
  ),
  ...mapNames(
    navigation,
    'breadcrumb breadcrumbs next-prev prev-next nextprev prevnext post-nav postnav toc lwptoc table-of-contents pagination nav-links skip-link skip-links post-navigation ' +
      'page-links page-numbers jump-links in-this-article back-to-top',
  ),
  ...mapNames(
    caption,
    'legende leyenda didascalia pie-de-foto bildtext bildlegende onderschrift caption image-caption photo-caption gallery-caption figure-caption media-caption picture-caption cutline',
  ),
  ...mapNames(credit, 'credit credits photographer chart-source image-source photo-source'),
  ...mapNames(field, 'label-inline label-above'),
  ...mapNames(
    authors,
    'author authors autor autorin auteur autore autorenbox autorbox autoreninfo autorenprofil saboxplugin',
  ),
  ...mapNames(
    counter,
    'loader loading spinner preloader post-views view-count views-count comment-count comments-count read-time reading-time time-to-read',
  ),
  ...mapNames(
    comments,
    'comments user-comments reader-comments disqus-comments comment-box comment-thread wpdiscuz wpdcom commento hyvor',
  ),
  ...mapNames(votes, 'ratings star-rating rating-stars user-rating kk-star-ratings rmp-widgets-container'),
  ...mapNames(
    poll,
    'feedback-form page-feedback article-feedback helpful-widget poll polls survey quiz opinary polldaddy crowdsignal',
  ),
  ...mapNames(player, 'audio-player video-player podcast-player audio-module audio-controls listen text-to-speech tts'),
  ...mapNames(tags, 'tags tag-list tagcloud cat-links'),
  ...mapNames(
    box,
    'cookie cookies affiliate-disclosure affiliate-notice affiliate-disclaimer app-banner app-promo app-download smart-banner consent gdpr disclaimer copyright modal popup pop-up lightbox tooltip ' +
      'chat-widget chatbot livechat live-chat',
  ),
  ...mapNames(besidePrint, 'hide-for-print hide-on-print print-hide no-print noprint print-none'),
  ...mapNames(besideArticle, 'story-card article-card news-card post-card link-card card-link'),
  ...mapNames(hidden, 'tooltiptext tooltip-text tooltip-content'),
  ...mapNames(
    notice,
    'bio author-box author-bio author-card author-profile author-description about-author about-the-author authorbox authorbio ' +
      'post-author entry-author article-author author-info writer-bio contributor-bio byline-bio reporter-bio reporter-contact',
  ),
]);
const MAX_PHRASE_WORDS = 3;
/** `no-tts` */
const NEGATIONS = new Set(['no', 'non', 'not', 'without']);

/** Words without a topic. A name with any other word beside a topic is not matched: `share-price`. */
const NEUTRAL_WORDS = new Set(
  (
    'article post entry story content page site news blog block widget box container wrapper wrap inner outer section ' +
    'module component bar row col column grid list item items group area region zone slot unit holder placeholder frame ' +
    'panel card cards top bottom left right center middle sticky fixed floating float inline align aligncenter wide full ' +
    'small large mobile desktop tablet only js is has no style type default light dark theme main sub first last new root ' +
    'base layout td body text label title header heading footer link links icon icons button buttons btn btns menu tools ' +
    'tool toolbar and the for in on of with by after before below above end follow print email save via media network ' +
    'networks video this count counts counter native vertical horizontal field name form posts articles stories amp elementor ' +
    'vc et jp td tdb wpb wpds mce mso vue react social single index home cta subscribe us flex embed custom global viewed ' +
    'banner notice description desc heading subheading subtitle headline copy slide slideshow gallery lightbox img image photo ' +
    'picture figure infogram chart plugin appeal campaign blocks entity asset element object paragraph node bundle multiple boxes sqs wprm coblocks kadence uagb stackable genesis ultp w divi fusion awb imageframe newspack lead hero featured carousel primary message prompt'
  ).split(' '),
);

/** Words in names of boxes beside an article, and never of the article itself. Only boxes without a sentence are left out for them. */
const BESIDE_ARTICLE = new Set(
  (
    'interaction nav navbar navigation social follow tag tags recommendation recommendations reco sidebar rail tools ' +
    'toolbar banner promo promotion teaser teasers cta btn bio overlay player audio badge translate accessibility pager menu logo avatar rating ratings votes popular count counter ' +
    'topics badges bookmark ticker scoreboard weather carousel feedback login account meta metadata summary-item'
  ).split(' '),
);
const BOXES = new Set('div section ul ol dl figure center'.split(' '));

/** `social-article` is an article. */
const ARTICLE_WORDS = new Set('article post entry story content body text page main'.split(' '));
const HEADED_BY_TOPIC = new Set<LeftOutReason>(['advertisement', 'share bar', 'sign-up box']);

/** `lg:block` */
const SHOWN_SOMETIMES = /^[\w-]{1,30}:!?(?:block|flex|grid|inline|table|contents)/;
const NEVER_LEFT_OUT = new Set('html body article main h1 h2 h3 h4 h5 h6'.split(' '));
/** Other ids are often made from a heading. */
const ELEMENTS_JUDGED_BY_ID = new Set('div ul ol aside ins section'.split(' '));

/** Names where the class is a hash. */
const NAMING_ATTRIBUTES = ['data-testid', 'data-component', 'data-qa', 'data-hook'];

export function findHint(element: StartTag): ClassNameHint | undefined {
  const { name, attributes, classes, role } = element;
  if (NEVER_LEFT_OUT.has(name)) return undefined;
  if (role === 'doc-endnotes' || role === 'doc-footnote' || attributes.has('data-footnotes')) {
    return footnotes;
  }
  if (isWordNotes(attributes.get('style'))) return footnotes;
  const id = ELEMENTS_JUDGED_BY_ID.has(name) ? attributes.get('id') : undefined;
  const names = NAMING_ATTRIBUTES.flatMap((attribute) => attributes.get(attribute) ?? []);
  let isBeside = false;
  for (const className of [...[...classes].slice(0, MAX_NAME_COUNT), ...(id ? [id] : []), ...names]) {
    if (className.length > MAX_NAME_LENGTH) continue;
    // Utility classes hide it on small screens only.
    if (className === 'hidden' && [...classes].some((other) => SHOWN_SOMETIMES.test(other))) continue;
    const words = splitWords(className);
    const hint =
      WHOLE_NAMES.get(className.toLowerCase()) ?? findHintByWords(words) ?? findHintByWords(listWordsOfPlugin(words));
    if (hint) return hint;
    isBeside ||= words.some((word) => BESIDE_ARTICLE.has(word) || TOPIC_BY_PHRASE.has(word));
  }
  return isBeside && BOXES.has(name) ? besideArticle : undefined;
}

const MAX_TEASER_LETTERS = 400;
/** Even a box of links has a heading. */
const MIN_LETTERS_FOR_LINK_SHARE = 60;

/** Whether the content of an element, since the checkpoint, is what its name says. */
export function isConfirmed(hint: ClassNameHint, document: DocumentBuilder, checkpoint: Checkpoint): boolean {
  const { letters, linked } = document.countSince(checkpoint);
  if (letters > hint.maxLetters || checkpoint.letters < letters * hint.minTextBefore) return false;
  const linkedMin = letters < MIN_LETTERS_FOR_LINK_SHARE ? 0 : letters * hint.minLinkShare;
  const first = document.blocks[checkpoint.blockCount];
  const isTeaser = letters <= MAX_TEASER_LETTERS && document.isTeaserSince(checkpoint);
  if (linked < linkedMin && !isTeaser && !(first && isBoxHeading(first))) return false;
  if (hint.isAddress && !document.isAddressSince(checkpoint)) return false;
  if (hint.isWall && !isWall(document.blocks.slice(checkpoint.blockCount))) return false;
  return !hint.isOnlyLabels || document.isOnlyLabelsSince(checkpoint) || document.isTeaserSince(checkpoint);
}

function isWall(blocks: readonly DraftBlock[]): boolean {
  const isCall = ({ block, linkedUnits }: DraftBlock) =>
    findStandingLine(block) === 'sign-up box' || scoreHouseProse(block, linkedUnits > 0) >= MIN_WEAK_POINTS;
  return blocks.every(isLabel) || blocks.some(isCall);
}

/** Whether the element may be inline: it has a few words only. */
export function isInlineSized({ maxLetters, minTextBefore, isBlock }: ClassNameHint): boolean {
  return maxLetters <= related.maxLetters && minTextBefore === 0 && !isBlock;
}

function isWordNotes(style: string | undefined): boolean {
  return style !== undefined && /mso-element\s*:\s*(?:foot|end)note/i.test(style);
}

/** `ShareBar_root__x7f2`, `share-bar` → share, bar */
function splitWords(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && (!/\d/.test(word) || word === 'a2a' || word === 'mc4wp'));
}

/** `wp-block-mailpoet-subscription` → subscription */
function listWordsOfPlugin(words: readonly string[]): readonly string[] {
  return words[0] === 'wp' && words[1] === 'block' ? words.slice(3) : [];
}

function findHintByWords(words: readonly string[]): ClassNameHint | undefined {
  for (let start = 0; start < words.length; start += 1) {
    for (let length = MAX_PHRASE_WORDS; length > 0; length -= 1) {
      const hint = TOPIC_BY_PHRASE.get(words.slice(start, start + length).join('-'));
      if (hint === undefined) continue;
      if (NEGATIONS.has(words[start - 1] ?? '')) continue;
      const others = [...words.slice(0, start), ...words.slice(start + length)];
      const isOnlyThat = others.every(
        (word) => word.length <= 2 || NEUTRAL_WORDS.has(word) || TOPIC_BY_PHRASE.has(word),
      );
      const isArticle = HEADED_BY_TOPIC.has(hint.reason) && ARTICLE_WORDS.has(words.at(-1) ?? '');
      if (isOnlyThat && !isArticle) return hint;
    }
  }
  return undefined;
}

function mapNames(hint: ClassNameHint, names: string): [string, ClassNameHint][] {
  return names.split(' ').map((name) => [name, hint]);
}
