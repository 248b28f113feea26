import {
  type Block,
  createLeftOut,
  type DraftBlock,
  type FilteredBlocks,
  type LeftOut,
  type LeftOutReason,
} from './block.ts';
import {
  AGENCY,
  endsSentence,
  findStandingLine,
  isEditorsNote,
  scoreHouseProse,
  startsWithCall,
} from './standing-lines.ts';

export const MAX_POINTER_UNITS = 300;
const MAX_POINTER_WORDS = 20;
/** First words of lines that only lead to another article. */
const POINTER_START = new RegExp(
  `^[^\\p{L}]{0,5}(?:${[
    "read (?:more|also|next|on|the full (?:story|article|report))|also read|see also|see more|also see|don[’']t miss|must read",
    '(?:previous|next|prev|older|newer) (?:article|post|story|entry|topic|chapter|lesson|section|page|episode|issue)|(?:vorheriger|voriger|nächster) (?:artikel|beitrag)|article (?:précédent|suivant)|(?:artículo|entrada|noticia) (?:anterior|siguiente)',
    'related (?:story|stories|article|articles|coverage|content|reading|video)|related(?=\\s?[:–—|])|recommended(?=\\s?[:–—|])',
    'more on this|more from|more:|more coverage|continue reading|in case you missed it|watch(?: (?:more|now|next|also))?:|listen:|(?:opinion|explainer|analysis|fact[ -]check|quiz|poll|interview|profile|timeline|exclusive):|click here|you (?:may|might) (?:also )?like|(?:next|previous|up next|vid[eé]os?|(?:im|en) vid[eé]o|en images|gallery|podcast|in pictures)(?=\\s?[:|])',
    'lesen sie (?:auch|mehr|hier|dazu)|(?:mehr|weiteres|weitere artikel) zum thema|mehr dazu|siehe auch|weiterlesen|auch interessant|das könnte sie auch interessieren|zum thema(?=\\s?[:–—|])',
    'lire (?:aussi|également|la suite|plus)|[àa] (?:lire|voir|écouter) (?:aussi|également|sur)|[àa] lire(?=\\s?[:–—|])|voir aussi|voir également|sur le même (?:sujet|thème)|pour aller plus loin|notre (?:dossier|décryptage)(?=\\s?[:–—|])',
    '(?:lee|lea|leer|ver|vea|mira|te puede interesar|le puede interesar|puede leer)(?: también|:| más| además)|(?:también )?(?:te|le) puede interesar|lee también|leer más|más información|sigue leyendo|seguir leyendo|noticias? relacionadas?|en video(?=\\s?[:–—|])',
    'leggi (?:anche|tutto)|vedi anche|(?:lees|bekijk) (?:ook|meer|verder)|(?:czytaj|zobacz|przeczytaj) (?:też|także|również|więcej|dalej)|(?:leia|veja|ver|ler) (?:também|mais)|saiba mais',
  ].join('|')})(?![\\p{L}\\p{N}])[\\s:–—|>»›-]{0,5}`,
  'iu',
);
/** URLs that a content system would have replaced by a player or a post. */
const PLAYER_ADDRESS =
  /^https?:\/\/(?:www\.|m\.|open\.)?(?:youtube\.com|youtu\.be|vimeo\.com|dailymotion\.com|soundcloud\.com|spotify\.com|twitter\.com|x\.com|instagram\.com|facebook\.com|tiktok\.com|bsky\.app)\/\S{1,500}$/i;
/** Headings of boxes with links, share buttons or newsletters. */
export const BOX_HEADING = new RegExp(
  `^[^\\p{L}]{0,5}(?:${[
    "more(?=:|$)|(?:skip|jump) to(?=:|$)|on this page|what[’']s in (?:this|the) (?:article|guide|post)|suggested|archives|categories|(?:previous|next) (?:topic|chapter|lesson|page)|about this (?:story|article|project|series)|must[ -]reads?|what to (?:watch|read)(?: next)?|(?:latest|recent|other|similar|top) (?:\\S+ )?(?:stories|news|articles|posts|headlines|videos|comments)|featured|keep reading|newsflash|(?:table of )?contents|in this (?:article|story)|related|recommended|what to read next|up next|top stories|editor(?:s|[’']s|s[’'])? picks|don[’']t miss|also in|more (?:\\S+ ){0,2}(?:stories|news|articles|coverage|reporting|headlines|from|on|in|like)|read (?:more|next|also)|see also|you (?:may|might) (?:also|like)|most (?:read|popular|viewed|shared)|(?:places|organi[sz]ations|people|companies)(?: mentioned)? in th(?:e|is) (?:story|article)|popular|trending|topics?|tags|share|comments?|newsletter|sign up",
    'inhalt(?:sverzeichnis|sübersicht)?(?=:|$)|auf dieser seite|in diesem (?:artikel|beitrag)|mehr (?:zum|aus|von|zu)|passend dazu|unsere empfehlungen|empfehlungen|(?:neueste|aktuelle|ähnliche|verwandte|beliebte) (?:artikel|beiträge|nachrichten|meldungen|themen|videos)|lesen sie auch|das könnte sie|auch interessant|meistgelesen|weitere (?:artikel|meldungen|nachrichten|themen)|zum thema|kommentare|teilen',
    '(?:au )?sommaire(?=[ :]|$)|dans cet article|[àa] (?:lire|voir)|sélectionnés? pour vous|(?:à )?ne (?:pas )?manque[rz]|recommandés?|thèmes?|sujets?|tags|lire aussi|sur le même|dans la même|les plus (?:lus|vus|populaires)|(?:dernier|dernière|autre)s (?:articles|actualités|infos|vidéos|nouvelles)|articles? (?:liés?|similaires?|récents?)|voir aussi|commentaires|partager',
    '(?:lee|lea|leé|mira|mirá|ve|vea) (?:también|además)|en este artículo|índice(?=:|$)|(?:también )?te (?:puede interesar|recomendamos)|temas|etiquetas|no te (?:lo )?pierdas|recomendad[oa]s|más (?:información|noticias|sobre)|(?:últimas|otras) (?:noticias|notas|entradas)|(?:artículos|entradas|noticias) recientes|lo más (?:leído|visto|popular)|(?:noticias |artículos )?relacionad[ao]s|comentarios|boletín|compart(?:ir|e)',
    'leggi anche|(?:ti )?potrebbe(?:ro)? interessar(?:ti|e)|altr[ei] (?:notizie|articoli)|per approfondire|da leggere|consigliati|i più letti|ultim[ei] (?:notizie|articoli)|(?:articoli )?(?:correlati|recenti)|lees (?:ook|meer|verder)|meer (?:over|nieuws|lezen)|aanbevolen|populair|laatste nieuws|(?:gerelateerde|recente|andere) (?:artikelen|berichten)|meest gelezen|(?:czytaj|zobacz|przeczytaj|sprawdź) (?:też|także|również|więcej)|warto przeczytać|może cię zainteresować|popularne|polecane|najczęściej czytane|(?:najnowsze|ostatnie|powiązane|podobne) (?:artykuły|wpisy|wiadomości)|(?:leia|veja) (?:também|mais)|mais (?:lidas|em|sobre)|você (?:pode|também pode) gostar|destaques|recomendad[ao]s|últimas notícias|(?:matérias|posts|artigos) recentes|relacionad[ao]s',
  ].join('|')})(?!\\p{L})`,
  'iu',
);
const MAX_BOX_HEADING_UNITS = 60;
/** Systems that write the heading of a box as a paragraph. */
const MAX_BOX_LABEL_WORDS = 6;
/** "Read more" */
export const MAX_BUTTON_WORDS = 4;
/** Share of linked characters from which a line is a link. */
const MIN_LINK_SHARE = 0.8;
const MAX_LABEL_UNITS = 40;
/** " at " between two links, and a full stop. */
const MAX_UNLINKED_UNITS = 5;
/** "$299 at Amazon" */
const PRICE =
  /^(?:(?:from|ab|dès|desde|a partir de|da|od|vanaf) )?(?:(?:US|C|A)?[$£€¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|euros?|zł))(?: (?:at|on|from|bei|chez|en|sur|su|em|bij|w) .{2,40})?$/i;
/** Link text that only points. */
const HERE =
  /^(?:(?:(?:click|see|read|go|watch|listen)(?: (?:it|this|more))? )?here|(?:klicken sie |klick )?hier|(?:cliquez )?ici|(?:(?:haz )?clic )?aquí|qui|tutaj|aqui)[.!]?$/i;
/** Units that a block of the article has at least: date and byline stand before the first and after the last one. */
const MIN_SENTENCE_UNITS = 40;

export function isSentence({ kind, text }: Block): boolean {
  return kind !== 'heading' && text.length >= MIN_SENTENCE_UNITS && endsSentence(text);
}

/** "Read also", as the heading of a box or a label. */
export function isBoxHeading({ block: { kind, text } }: DraftBlock): boolean {
  if (text.length > MAX_BOX_HEADING_UNITS || !BOX_HEADING.test(text)) return false;
  if (kind === 'heading') return true;
  return (
    kind === 'paragraph' && !endsSentence(text.replace(/(?:\.{3}|…)$/, '')) && countWords(text) <= MAX_BOX_LABEL_WORDS
  );
}

/** "They want:", "Among them,": a list that follows belongs to the text. */
export function announcesList(draft: DraftBlock): boolean {
  const { text } = draft.block;
  return /[:,]$/.test(text) && !POINTER_START.test(text) && !isBoxHeading(draft);
}

export function countWords(text: string): number {
  return text.split(' ').length;
}

/** @param minPoints from which a line is that of a publisher */
export function findLineReason(draft: DraftBlock, isApart: boolean, minPoints: number): LeftOutReason | undefined {
  const { block } = draft;
  if (block.kind !== 'heading' && block.text.length <= MAX_POINTER_UNITS) {
    if (isPointer(draft) || isLabelledLink(draft)) return 'related articles';
    if (PLAYER_ADDRESS.test(block.text)) return 'embedded media';
    if (block.kind === 'paragraph' && CAPTION.test(block.text)) return 'caption';
    if (block.kind === 'paragraph' && !endsSentence(block.text) && isContactLine(block.text)) return 'page furniture';
    if (block.kind === 'paragraph' && (INITIALS.test(block.text) || SIGNED.test(block.text))) return 'page furniture';
    if (isBreadcrumb(draft) || isRowOfLabels(draft)) return 'navigation';
  }
  const reason = findStandingLine(block);
  if (reason !== undefined || isLinkLine(draft)) return reason;
  return scoreLine(draft, isApart) >= minPoints ? 'sign-up box' : undefined;
}

const NAME = '\\p{Lu}[\\p{L}.’-]*';
const NAMES = `${NAME}(?: ${NAME}){0,3}`;
const LONG_NAME = `${NAME}(?: ${NAME}){1,3}`;
/** "PHOTO: The pier.", "The pier on Monday. Jo Roe / NBC News", "The pier on Monday [Jo Roe/Al Jazeera]" */
const CAPTION = new RegExp(
  `^(?:PHOTO|IMAGE|FOTO|BILD): |(?:[.!?…]["”’»)]? ?| \\[)(?:${LONG_NAME} ?/ ?${NAMES}|${NAMES} ?/ ?${LONG_NAME})\\]?$`,
  'u',
);

/** "rc/kl": who wrote and edited an item of an agency. */
const INITIALS = /^[a-zäöü]{2,3}(?:\/[a-zäöü]{2,4}){1,4}$/;
/** "Staff Writer", "Ledger Staff Writer" below a name; "Copy editing by Sam Tully"; "SOURCE Arden Docks" below a press release; "A message from Arden Bank". */
const SIGNED =
  /^(?:(?:\p{Lu}[\p{L}'’-]* ){0,3}(?:(?:Staff|STAFF) (?:Writer|WRITER|Reporter|REPORTER|Photographer)|Contributing Writer|Special Correspondent)|SOURCE:? \p{Lu}[^.!?:]{2,80}|(?:(?:Copy |Photo |Story )?[Ee]diting|Fact-checking|Art direction|A (?:message|word) from)(?: by)?(?: \p{Lu}[\p{L}.'’-]*){1,4})$/u;

/** "Press desk: desk@agency.example, +1 202 555 0100": an e-mail address or two numbers, and a few words. */
export function isContactLine(text: string): boolean {
  const mails = text.match(MAIL) ?? [];
  const rest = text.replace(MAIL, ' ').replace(WEB, ' ');
  const phones = rest.match(PHONE) ?? [];
  const words = rest.replace(PHONE, ' ').match(/\p{L}{2,}/gu) ?? [];
  return (mails.length > 0 || phones.length > 1) && words.length <= MAX_CONTACT_WORDS;
}

/** "Home > News > Harbor" */
function isBreadcrumb({ block: { kind, text }, linkedUnits }: DraftBlock): boolean {
  const parts = text.split(/ [>»›] /);
  return (
    kind === 'paragraph' && linkedUnits > 0 && parts.length > 2 && parts.every((part) => part.length <= MAX_LABEL_UNITS)
  );
}

/** "CommentsGift articleShare": labels of a tool bar, whose elements have no space between them. */
function isRowOfLabels({ block: { kind, text }, linkedUnits, section }: DraftBlock): boolean {
  if (
    kind !== 'paragraph' ||
    !TOOL_BARS.has(section?.name ?? '') ||
    text.length > MAX_TOOL_BAR_UNITS ||
    /[.!?:]$/.test(text)
  )
    return false;
  return (text.match(GLUED) ?? []).length >= (linkedUnits > 0 ? 1 : 2);
}

const TOOL_BARS = new Set(['div', 'section', 'aside', 'header']);
const MAX_TOOL_BAR_UNITS = 120;
const GLUED = /(?<!\b(?:Mc|Mac))(?<=[\p{Ll}\d]{3})\p{Lu}(?=\p{Ll}{2})/gu;

/** "12 Elm St, Port City", "Hafenstr. 12, 20457 Hamburg", "12 rue du Pont, 75001 Paris" */
export const POSTAL_ADDRESS =
  /^(?=.{8,100}$)(?:\d{1,5}[a-z]? (?:\p{L}[\p{L}.'’]*,? ){1,4}(?:st|street|ave|avenue|rd|road|blvd|boulevard|dr|drive|lane|ln|way|plaza|square|broadway|floor|suite)\b.*|[\p{L} .-]{2,30}(?:str\.|straße|strasse|platz|weg|allee|gasse|laan|straat) ?\d{1,4}[a-z]?,? \d{4,5} ?\p{L}.*|\d{1,4},? (?:bis )?(?:rue|avenue|boulevard|place|quai) .{3,50}|(?:calle|avenida|paseo|plaza|via|piazza|rua|ul\.) [\p{L} .]{2,40},? \d{1,4}.*)[^.!?]$/iu;

const MAIL = /[\w.+-]{1,60}@[\w-]{1,60}\.[\w.-]{1,60}/g;
const WEB = /(?:https?:\/\/|www\.)\S{1,200}/g;
const PHONE = /\(?\+?\d[\d() ./-]{6,20}\d/g;
const MAX_CONTACT_WORDS = 8;

/** How much a line sounds like a publisher that speaks of itself. */
export function scoreLine({ block, linkedUnits, isItalic }: DraftBlock, isApart: boolean): number {
  return scoreHouseProse(block, linkedUnits > 0, { isItalic, isApart });
}

/** Everything after the first words is a link, unlike in "Related work is hard". Without a link, a colon shows it. */
function isPointer({ block: { text }, linkedUnits, linkStart }: DraftBlock): boolean {
  // Elements may part the words from the link without a space.
  const words = POINTER_START.exec(linkedUnits > 0 && linkStart > 0 ? `${text.slice(0, linkStart)} ` : text)?.[0];
  if (words === undefined) return false;
  if (linkedUnits > 0) return linkedUnits >= text.replace(BRACKETS, '').length - words.length - MAX_UNLINKED_UNITS;
  return /[:|]/.test(words) && !endsSentence(text) && countWords(text) <= MAX_POINTER_WORDS;
}

/** "Go deeper: Rents rise again", or "Read the whole report here." with a link on the last word only. */
function isLabelledLink({ block: { kind, text }, linkedUnits, linkStart }: DraftBlock): boolean {
  if (kind !== 'paragraph' || linkedUnits === 0 || linkStart === 0) return false;
  const link = text.slice(linkStart).trim();
  const isAllLink = linkedUnits >= link.length - 1;
  if (isAllLink && PRICE.test(link)) return linkStart <= MAX_LABEL_UNITS;
  // "$240 Buy now"
  if (isAllLink && PRICE.test(text.slice(0, linkStart).trim())) return countWords(link) <= MAX_BUTTON_WORDS;
  if (isAllLink && (HERE.test(link) || isAnswerTo(text.slice(0, linkStart), link)))
    return countWords(text) <= MAX_POINTER_WORDS;
  return (
    isAllLink &&
    linkStart <= MAX_LABEL_UNITS &&
    !/[.!?]["”’»)]? \S/.test(text.slice(0, linkStart)) &&
    (/:\s*$/.test(text.slice(0, linkStart)) || /^\p{Lu}{2,8}(?: \p{Lu}{2,8})?\.\s*$/u.test(text.slice(0, linkStart))) &&
    !endsSentence(text)
  );
}

/** "Should the pier be rebuilt? Vote now" */
function isAnswerTo(question: string, link: string): boolean {
  return /\?\s*$/.test(question) && startsWithCall(link) && !endsSentence(link);
}

/** "[VIDEO]" after a link. */
const BRACKETS = /\s?\[[^[\]]{1,20}\]\|?/g;

export function isLinkLine(draft: DraftBlock): boolean {
  return isLinked(draft) && !endsSentence(draft.block.text);
}

export function isLinked({ block: { kind, text }, linkedUnits, section }: DraftBlock): boolean {
  if (kind === 'quote' || kind === 'title' || section?.isKept) return false;
  return (
    linkedUnits > 0 && linkedUnits >= MIN_LINK_SHARE * text.replace(COUNT_AFTER, '').replace(SEPARATORS, '').length
  );
}

/** "About | Contact" */
const SEPARATORS = / [|/·•>»›→] /g;
/** "Courts (12)", "Report 412 KB", "Oak desk $240" */
const COUNT_AFTER =
  /\s?(?:[([](?:video|photos?|audio|podcast|pdf|gallery|map|slideshow|paywall|subscription required|opens in (?:a )?new (?:window|tab)|external link)[)\]]|\(\d{1,6}\)|\(?[\d.,]{1,8} ?[KMG]B\)?|(?:[$£€]\s?\d[\d.,]*|\d[\d.,]*\s?€)(?: ?(?:(?:at|on|bei|chez|en|sur) .{2,30}|sold out|in stock|ausverkauft|épuisé|agotado))?)$/i;

export function isLabel({ block: { kind, text }, section }: DraftBlock): boolean {
  if (kind === 'list' || kind === 'quote' || section?.isKept || section?.name === 'h1') return false;
  return text.length <= MAX_BOX_HEADING_UNITS && (kind === 'heading' || !endsSentence(text));
}

/** "The line opens on Monday. (dpa/abc)", "It opens in June. (With files from The Canadian Press)" */
const BRACKETED_END = /(?<=[.!?…]["'”’»“]?) ?[([]([^()[\]]{2,200})[)\]]$/u;
/** "It opens in June (dpa).", not behind the full name of the agency */
const AGENCY_BEFORE_STOP =
  /(?<!(?:press|presse|agentur|agence|agency|agencia|agenzia|prensa)) ?\((?:dpa|sda|afp|efe|rtr|ansa|anp|pap|kna|epd|dpa-afx)(?:[/,] ?\p{L}{2,7}){0,3}\)(?=\.$)/iu;
/** "It opens in June. – Reuters" */
const DASHED_END = /(?<=[.!?…]) [–—-]{1,2} ?(\p{L}[^"“”„«»]{1,60})$/u;
const AGENCIES = `${AGENCY}(?:(?:/|, ?| and | und | et | y | e | i | en )${AGENCY})*`;
const ONLY_AGENCIES = new RegExp(`^${AGENCIES}$`, 'iu');
/** "(dpa) – The line opens." */
const AGENCY_START = new RegExp(`^[([]${AGENCIES}[)\\]](?: ?[–—:-]{1,2})? (?=\\S)`, 'iu');
/** "(abc/def)", "(SZ/dpa/jr)"; one pair of initials may be a word: "(sic)". */
const DESKS =
  /^(?=.*\/)(?=(?:.*\/)?(?:[a-zäöü]{2,4}|AFP|AP|EFE|KNA|Reuters|ANSA|PAP|ANP|Lusa)(?:\/|$))[\p{L}.]{2,8}(?:\/[\p{L}.]{2,8}){1,4}$/u;

/** "The line opens on Monday. Read more: ", before a link */
const POINTER_BEFORE_LINK = /(?<=[.!?…]["'”’»“]?) ([^.!?…]{3,40}:)\s*$/u;

/** Leaves out agencies and initials before and behind the text of a paragraph, and a pointer to another article behind it. */
export function cutSignOffs(blocks: readonly DraftBlock[]): FilteredBlocks {
  const leftOut: LeftOut[] = [];
  const cut = blocks.map((draft) => {
    const { block, section, isBelowImage, imageSection } = draft;
    // Behind a caption it tells that it is one.
    if (block.kind !== 'paragraph' || section?.isKept || isBelowImage || imageSection) return draft;
    const start = AGENCY_START.exec(block.text)?.[0].length ?? 0;
    const units = block.text.length;
    const { start: end, end: stop } = findPointer(draft) ?? findSignOff(block.text) ?? { start: units, end: units };
    if (start === 0 && end === units) return draft;
    if (start > 0) leftOut.push(createPart(block, 0, start));
    if (end < units) leftOut.push(createPart(block, end, stop));
    return { ...draft, block: sliceBlock(block, start, end, stop), linkStart: Math.max(0, draft.linkStart - start) };
  });
  return { blocks: cut, leftOut };
}

/** @returns the range of "Read more: Why rents rose" behind a text, all of it a link after the colon */
function findPointer({ block: { text }, linkedUnits, linkStart }: DraftBlock): SourceRange | undefined {
  const before = POINTER_BEFORE_LINK.exec(text.slice(0, linkStart));
  const isAllLink = linkedUnits >= text.length - linkStart - 1 && !endsSentence(text);
  return before && isAllLink && isPointing(before[1] ?? '') ? { start: before.index, end: text.length } : undefined;
}

function isPointing(words: string): boolean {
  return POINTER_START.exec(words)?.[0].includes(':') === true && !endsSentence(words.replace(/:$/, ''));
}

/** @returns the agency or initials behind a text; the full stop behind "(dpa)." is not part of them */
function findSignOff(text: string): SourceRange | undefined {
  const toRange = ({ index, 0: { length } }: RegExpExecArray) => ({ start: index, end: index + length });
  const beforeStop = AGENCY_BEFORE_STOP.exec(text);
  if (beforeStop) return toRange(beforeStop);
  const bracketed = BRACKETED_END.exec(text);
  if (bracketed) return isSignOff(bracketed[1] ?? '') ? toRange(bracketed) : undefined;
  const dashed = DASHED_END.exec(text);
  return dashed && findStandingLine({ kind: 'paragraph', text: dashed[1] ?? '' }) ? toRange(dashed) : undefined;
}

function isSignOff(words: string): boolean {
  if (ONLY_AGENCIES.test(words) || DESKS.test(words) || isPointing(words)) return true;
  return /\s/.test(words) && findStandingLine({ kind: 'paragraph', text: `(${words})` }) === 'page furniture';
}

function createPart(block: Block, start: number, end: number): LeftOut {
  return createLeftOut(block.text.slice(start, end), 'page furniture', {
    field: block.field,
    start: block.sources[start] ?? 0,
    end: block.sources[end] ?? 0,
  });
}

/** @param stop of the rest of the text, without runs */
function sliceBlock(block: Block, start: number, end: number, stop: number): Block {
  const rest = block.sources.subarray(stop);
  const move = <Run extends { readonly start: number; readonly end: number }>(run: Run): Run => ({
    ...run,
    start: Math.max(0, run.start - start),
    end: Math.min(end, run.end) - start,
  });
  return {
    ...block,
    text: block.text.slice(start, end) + block.text.slice(stop),
    sources:
      rest.length > 1
        ? Uint32Array.of(...block.sources.subarray(start, end), ...rest)
        : block.sources.slice(start, end + 1),
    languages: block.languages.map(move).filter((run) => run.start < run.end),
    ...(block.marks && {
      marks: block.marks.map((mark) =>
        'end' in mark ? move(mark) : { ...mark, start: Math.min(Math.max(0, mark.start - start), end - start) },
      ),
    }),
  };
}

interface SourceRange {
  readonly start: number;
  readonly end: number;
}

const MAX_SIGNATURE_LINES = 6;
const MAX_SIGNATURE_UNITS = 80;
const MIN_SIGNATURE_WORDS = 5;

/** @returns where the signature of a mail begins: lines behind "--" at the end */
export function findSignature(blocks: readonly DraftBlock[]): number | undefined {
  const firstLine = Math.max(1, blocks.length - MAX_SIGNATURE_LINES - 1);
  const start = blocks.findIndex(({ block }, index) => index >= firstLine && /^--(?: |$)/.test(block.text));
  if (start < 0) return undefined;
  const lines = blocks.slice(start).map(({ block }) => block.text);
  // "-- Mark Twain" is the source of a quotation.
  const isOneLine = lines.length === 1 && (lines[0] ?? '').split(' ').length <= MIN_SIGNATURE_WORDS;
  const isShort = lines.every((line) => line.length <= MAX_SIGNATURE_UNITS && !/[.!?…:]$/.test(line));
  return isShort && !isOneLine && (lines.length > 1 || lines[0] !== '--') ? start : undefined;
}

const STARRED = /^(\*{1,3}|[†‡])(?!\*) ?(?=\S)/u;
const MAX_STARRED_NOTES = 5;
/** Of a note whose mark is not in the text; longer ones may be an item of a list. */
const MAX_STARRED_WORDS = 10;

/** @returns the last paragraphs that begin with a mark such as "*": with the mark in the text, or a single one */
export function findStarredNotes(blocks: readonly DraftBlock[], isLeftOut: (index: number) => boolean): number[] {
  const notes: number[] = [];
  let index = blocks.length - 1;
  for (; index > 0 && notes.length <= MAX_STARRED_NOTES; index -= 1) {
    if (isLeftOut(index)) continue;
    const { block, section } = blocks[index] as DraftBlock;
    if (block.kind !== 'paragraph' || section?.isKept || !STARRED.test(block.text)) break;
    notes.push(index);
  }
  const isMarked = (note: number) => {
    const mark = STARRED.exec(blocks[note]?.block.text ?? '')?.[1] ?? '';
    return blocks.slice(0, index + 1).some(({ block }) => hasMark(block.text, mark));
  };
  return notes.filter((note) => {
    const text = blocks[note]?.block.text ?? '';
    // "*quiet*" is emphasis.
    const isAlone =
      notes.length === 1 && !text.endsWith('*') && (text[1] !== ' ' || countWords(text) <= MAX_STARRED_WORDS);
    return !isEditorsNote(text) && (isAlone || isMarked(note));
  });
}

/** A mark behind a word, not emphasis: "Flights* to Lisle". */
function hasMark(text: string, mark: string): boolean {
  const at = text.indexOf(mark, 1);
  return at > 0 && /\S/.test(text.charAt(at - 1)) && !/[\p{L}\d*]/u.test(text.charAt(at + mark.length));
}
