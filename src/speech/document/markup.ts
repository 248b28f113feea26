import { findShortcodes } from './shortcodes.ts';

const TAG =
  /<\/?(?:a|abbr|amp-[a-z-]+|article|aside|audio|b|blockquote|body|br|button|caption|center|cite|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|label|li|link|main|mark|math|meta|nav|o:p|ol|p|picture|pre|q|ruby|s|script|section|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|th|thead|time|title|tr|tt|u|ul|video|wbr)(?=[\s/>])|<!--|<!doctype|<!\[CDATA\[/i;
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/i;

/** Whether the text is HTML: it has a tag that articles use, a comment, an entity, or a content system's shortcode. "a < b" is plain text. */
export function isMarkup(text: string): boolean {
  return TAG.test(text) || ENTITY.test(text) || findShortcodes(text).length > 0;
}
