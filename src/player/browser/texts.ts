import type { PlayerTexts } from '../../texts.ts';

/** Set by the build: the script has only the English texts. */
declare const englishTexts: PlayerTexts;
declare const supportedLanguages: readonly string[];

/** The texts in one language. */
export interface Texts {
  readonly language: string;
  /** @param values for the placeholders */
  format(name: keyof PlayerTexts, ...values: readonly (string | number)[]): string;
}

export const defaultTexts = createTexts('en');

/**
 * Loads the texts in the first supported language of player, page and browser. They are in the `texts` attribute, else on
 * the server; English without either.
 */
export async function loadTexts(player: Element, buildUrl: (language: string) => string): Promise<Texts> {
  const named = [player, document.documentElement].map((element) => element.getAttribute('lang'));
  const wanted = [...named, ...navigator.languages].map((code) => toPrimaryLanguage(code ?? ''));
  const language = wanted.find((code) => supportedLanguages.includes(code)) ?? 'en';
  if (language === 'en') return defaultTexts;
  const inline = player.getAttribute('texts');
  try {
    const response = inline === null ? await fetch(buildUrl(language), { credentials: 'omit' }) : new Response(inline);
    return createTexts(language, (await response.json()) as Partial<PlayerTexts>);
  } catch {
    return defaultTexts;
  }
}

function createTexts(language: string, translations: Partial<PlayerTexts> = {}): Texts {
  const texts = { ...englishTexts, ...translations };
  return {
    language,
    format: (name, ...values) =>
      values.reduce<string>((filled, value) => filled.replace('{}', `${value}`), texts[name]),
  };
}

/** @returns `de` of `de-AT` */
export function toPrimaryLanguage(code: string): string {
  return code.toLowerCase().replace(/-.*/, '');
}
