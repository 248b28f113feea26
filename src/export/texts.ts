/** What exported pages say beside the posts. */
export interface Texts {
  readonly article: string;
  readonly audio: string;
  readonly transcript: string;
  readonly podcast: string;
  readonly newer: string;
  readonly older: string;
  readonly pages: string;
  readonly nothing: string;
}

const english: Texts = {
  article: 'The article',
  audio: 'MP3',
  transcript: 'Transcript',
  podcast: 'Podcast feed',
  newer: 'Newer',
  older: 'Older',
  pages: 'Further posts',
  nothing: 'There is no post to listen to yet.',
};

const others: Readonly<Record<string, Texts>> = {
  de: {
    article: 'Zum Artikel',
    audio: 'MP3',
    transcript: 'Text mit Zeiten',
    podcast: 'Podcast-Feed',
    newer: 'Neuere',
    older: 'Ältere',
    pages: 'Weitere Beiträge',
    nothing: 'Noch gibt es keinen Beitrag zum Anhören.',
  },
  fr: {
    article: 'Lire l’article',
    audio: 'MP3',
    transcript: 'Transcription',
    podcast: 'Flux du podcast',
    newer: 'Plus récents',
    older: 'Plus anciens',
    pages: 'Autres articles',
    nothing: 'Il n’y a pas encore d’article à écouter.',
  },
  es: {
    article: 'Leer el artículo',
    audio: 'MP3',
    transcript: 'Transcripción',
    podcast: 'Canal del pódcast',
    newer: 'Más recientes',
    older: 'Más antiguos',
    pages: 'Más artículos',
    nothing: 'Aún no hay ningún artículo que escuchar.',
  },
};

/** @returns the words of a language, English ones where we have none */
export function textsIn(language: string): Texts {
  return others[language] ?? english;
}
