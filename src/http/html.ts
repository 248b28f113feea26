/** Signs that HTML has no place for. */
const controls = /[\p{Cc}--[\t\n\r]]/gv;

/** @returns text as it stands in HTML, in the value of an attribute too */
export function htmlText(text: string): string {
  return Bun.escapeHTML(text.toWellFormed().replace(controls, ''));
}

/** A page of ours. */
interface HtmlPage {
  /** BCP 47 code. */
  readonly language: string;
  /** Plain text. */
  readonly title: string;
  /** Of the whole page. */
  readonly className?: string | undefined;
  /** Elements as they are written. */
  readonly head: readonly string[];
  /** What stands in the body, as it is written. */
  readonly body: string;
}

/** @returns a whole document */
export function htmlDocument({ language, title, className, head, body }: HtmlPage): string {
  return `<!doctype html>
<html lang="${htmlText(language)}"${className === undefined ? '' : ` class="${htmlText(className)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${htmlText(title)}</title>
${head.join('\n')}
</head>
<body>
${body}
</body>
</html>
`;
}

/** Browsers ask for an icon by themselves, unless a page names one. */
export const noIcon = '<link rel="icon" href="data:,">';
