import type { Audio, Site } from '../database/schema.ts';
import { addWarnings } from '../http/request-context.ts';
import { parsePrimaryLanguage } from '../http/validation.ts';
import { listInvalidSsml } from '../speech/extract/ssml.ts';
import { parseNarrationSettings } from '../speech/narration-settings.ts';

/** Of an article that is accepted as it is. */
const maxSsmlWarnings = 10;
const maxRootTagUnits = 2_000;
/** At the start of the content, after a document type and comments. */
const ROOT_TAG = /^\s*(?:<[!?][^<>]*>\s*)*<(?:html|body|article|main)(\s[^<>]*)>/i;
const LANG = /\slang\s*=\s*["']?([\w-]{2,35})/i;

interface ContentRequest {
  readonly content: string;
  readonly contentType?: Audio['content_type'] | 'text/html' | undefined;
  readonly language?: string | null | undefined;
  readonly voiceId?: number | null | undefined;
}

/** Lists in the response what an author would not expect: SSML without effect, a language other than that of the content. */
export function warnOfContent(
  request: Request,
  site: Pick<Site, 'reading'>,
  { content, contentType, language, voiceId }: ContentRequest,
  voice: { readonly language: string },
): void {
  if (contentType === 'text/plain') return;
  const { ssml } = parseNarrationSettings(site.reading);
  if (ssml) {
    const invalid = listInvalidSsml(content, maxSsmlWarnings);
    addWarnings(
      request,
      invalid.map((value) => `SSML value ignored: ${value}`),
    );
  }
  if (language != null || voiceId != null) return;
  const named = findRootLanguage(content);
  if (named === undefined || named === voice.language) return;
  addWarnings(request, [
    `The content says lang="${named}", but ${voice.language} is spoken. Send language to choose another one`,
  ]);
}

/** @returns the language of a root element, as BCP 47 primary code */
function findRootLanguage(content: string): string | undefined {
  const [, attributes = ''] = ROOT_TAG.exec(content.slice(0, maxRootTagUnits)) ?? [];
  return parsePrimaryLanguage(LANG.exec(attributes)?.[1] ?? '');
}
