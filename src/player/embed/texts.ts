/** What the page says beside the post's own words. */
export interface Texts {
  readonly article: string;
  readonly download: string;
  readonly listen: string;
  /** The audio is being made; a percentage may follow. */
  readonly making: string;
  readonly nothing: string;
  readonly unavailable: string;
}

const english: Texts = {
  article: 'Read the article',
  download: 'Download',
  listen: 'Listen to the article',
  making: 'The audio is being made',
  nothing: 'There is no audio here.',
  unavailable: 'The audio is not available at the moment.',
};

const texts: Readonly<Record<string, Texts>> = {
  en: english,
  de: {
    article: 'Zum Artikel',
    download: 'Herunterladen',
    listen: 'Artikel anhören',
    making: 'Der Ton wird gerade erstellt',
    nothing: 'Hier gibt es nichts zu hören.',
    unavailable: 'Der Ton ist zurzeit nicht verfügbar.',
  },
  fr: {
    article: 'Lire l’article',
    download: 'Télécharger',
    listen: 'Écouter l’article',
    making: 'L’audio est en cours de création',
    nothing: 'Il n’y a rien à écouter ici.',
    unavailable: 'L’audio n’est pas disponible pour le moment.',
  },
  es: {
    article: 'Leer el artículo',
    download: 'Descargar',
    listen: 'Escuchar el artículo',
    making: 'El audio se está creando',
    nothing: 'Aquí no hay nada que escuchar.',
    unavailable: 'El audio no está disponible en este momento.',
  },
};

/** @returns the texts in a language, English where they are not there in it, and which language that is */
export function textsIn(language: string | undefined): { texts: Texts; language: string } {
  const own = language === undefined ? undefined : texts[language];
  return own === undefined || language === undefined
    ? { texts: english, language: 'en' }
    : { texts: own, language };
}
