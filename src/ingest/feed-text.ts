import { Parser } from 'htmlparser2';

const usualEncoding = 'utf-8';
/** The declaration of an XML document is near its beginning, and of ASCII in every encoding that needs one. */
const declarationByteCount = 200;
const silentElements = new Set(['script', 'style', 'template']);

/**
 * Reads bytes in the encoding they are in: by byte order mark, else as the Content-Type says, else as the XML declaration does,
 * else UTF-8. What is not valid in it becomes replacement characters.
 */
export function decodeFeed(bytes: Uint8Array, contentType: string | null): string {
  const encoding = encodingOfMark(bytes) ?? named(contentType) ?? declared(bytes) ?? usualEncoding;
  return new TextDecoder(encoding).decode(bytes);
}

/** @returns the text of a piece of HTML, its white space made one */
export function textOf(html: string): string {
  let text = '';
  let silent = 0;
  const parser = new Parser({
    onopentagname: (name) => {
      if (silentElements.has(name)) silent += 1;
      text += ' ';
    },
    onclosetag: (name) => {
      if (silentElements.has(name)) silent -= 1;
    },
    ontext: (part) => {
      if (silent === 0) text += part;
    },
  });
  parser.end(html);
  return text.replace(/\s+/g, ' ').trim();
}

function encodingOfMark([first, second, third]: Uint8Array): Encoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return known('utf-16be');
  return undefined;
}

function named(contentType: string | null): Encoding | undefined {
  return known(/;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? '')?.[1]);
}

function declared(bytes: Uint8Array): Encoding | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, declarationByteCount));
  return known(/^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)/.exec(start)?.[1]);
}

type Encoding = NonNullable<ConstructorParameters<typeof TextDecoder>[0]>;

/** @returns undefined for an encoding that nobody knows: then it is looked for elsewhere */
function known(label: string | undefined): Encoding | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label as Encoding).encoding as Encoding;
  } catch {
    return undefined;
  }
}
