import type { Gender } from '../continental/written-numbers.ts';

/** End like feminine nouns and are none. */
const MASCULINE = new Set(
  (
    'día mapa problema programa sistema tema planeta idioma drama esquema diploma síntoma poema clima guardia policía atleta ' +
    'turista periodista artista futbolista economista taxista ciclista tenista deportista activista gramo para contra era ' +
    'a la las más'
  ).split(' '),
);
const FEMININE = new Set(
  'mujer mujeres vez veces calle calles noche noches tarde tardes clase clases nave naves llave llaves parte partes gente'.split(
    ' ',
  ),
);

/** The gender of a noun, as far as its ending shows it. */
export function genderOf(noun: string): Gender {
  if (MASCULINE.has(noun) || MASCULINE.has(noun.replace(/s$/, ''))) return 'masculine';
  const isFeminine =
    FEMININE.has(noun) || /(?:as?|ción|ciones|sión|siones|dad|dades|tud|tudes)$/u.test(noun);
  return isFeminine ? 'feminine' : 'masculine';
}
