import sansLatinExt from '@fontsource-variable/instrument-sans/files/instrument-sans-latin-ext-wght-normal.woff2' with {
  type: 'file',
};
import sansLatin from '@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2' with {
  type: 'file',
};
import serifLatinExt from '@fontsource-variable/newsreader/files/newsreader-latin-ext-wght-normal.woff2' with {
  type: 'file',
};
import serifLatin from '@fontsource-variable/newsreader/files/newsreader-latin-wght-normal.woff2' with { type: 'file' };

/** Paths of the fonts by the names that tokens.css uses. */
export const fonts: Readonly<Record<string, string>> = {
  'sans-latin.woff2': sansLatin,
  'sans-latin-ext.woff2': sansLatinExt,
  'serif-latin.woff2': serifLatin,
  'serif-latin-ext.woff2': serifLatinExt,
};
