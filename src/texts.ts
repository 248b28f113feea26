/** Texts that listeners see or hear; `{}` is a placeholder. */
const english = {
  player: {
    listen: 'Listen to this article',
    play: 'Play',
    pause: 'Pause',
    back: 'Back 15 seconds',
    forward: 'Forward 15 seconds',
    position: 'Position',
    speed: 'Speed',
    voice: 'Voice',
    synthetic: 'synthetic voice',
    minutes: '{} min',
    download: 'Download',
    previous: 'Previous',
    next: 'Next',
    part: 'Article {}',
    of: '{} of {}',
    /** A percentage. */
    generating: 'Generating: {} %',
    empty: 'No audio',
    broken: 'Cannot be played',
    retry: 'Try again',
    close: 'Close',
    muted: 'Sound off',
  },
  /** The embed page and the exported pages. */
  page: {
    article: 'Read the article',
    generating: 'Generating audio',
    nothing: 'No audio found.',
    unavailable: 'Audio currently unavailable.',
    transcript: 'Transcript',
    podcast: 'Podcast feed',
    newer: 'Newer',
    older: 'Older',
    morePosts: 'More posts',
    noPosts: 'No posts yet.',
  },
  /** The name of a site. */
  podcastDescription: 'Articles by {}, read aloud.',
  sampleSentence: 'On Saturday morning the lighthouse of the harbor town opened its doors again.',
};
export type Texts = typeof english;
export type PlayerTexts = Texts['player'];

const german: Texts = {
  player: {
    listen: 'Diesen Artikel anhören',
    play: 'Abspielen',
    pause: 'Pause',
    back: '15 Sekunden zurück',
    forward: '15 Sekunden vor',
    position: 'Position',
    speed: 'Tempo',
    voice: 'Stimme',
    synthetic: 'synthetische Stimme',
    minutes: '{} Min.',
    download: 'Herunterladen',
    previous: 'Zurück',
    next: 'Weiter',
    part: 'Artikel {}',
    of: '{} von {}',
    generating: 'Wird erstellt: {} %',
    empty: 'Keine Aufnahme',
    broken: 'Nicht abspielbar',
    retry: 'Noch einmal',
    close: 'Schließen',
    muted: 'Ton aus',
  },
  page: {
    article: 'Zum Artikel',
    generating: 'Audio wird erstellt',
    nothing: 'Kein Audio gefunden.',
    unavailable: 'Audio zurzeit nicht verfügbar.',
    transcript: 'Text mit Zeiten',
    podcast: 'Podcast-Feed',
    newer: 'Neuere',
    older: 'Ältere',
    morePosts: 'Weitere Beiträge',
    noPosts: 'Noch gibt es keinen Beitrag zum Anhören.',
  },
  podcastDescription: 'Artikel von {}, vorgelesen.',
  sampleSentence: 'Am Samstagmorgen hat der Leuchtturm der Hafenstadt wieder geöffnet.',
};

const french: Texts = {
  player: {
    listen: 'Écouter cet article',
    play: 'Lire',
    pause: 'Pause',
    back: 'Reculer de 15 secondes',
    forward: 'Avancer de 15 secondes',
    position: 'Position',
    speed: 'Vitesse',
    voice: 'Voix',
    synthetic: 'voix de synthèse',
    minutes: '{} min',
    download: 'Télécharger',
    previous: 'Précédent',
    next: 'Suivant',
    part: 'Article {}',
    of: '{} sur {}',
    generating: 'En préparation : {} %',
    empty: 'Pas d’audio',
    broken: 'Lecture impossible',
    retry: 'Réessayer',
    close: 'Fermer',
    muted: 'Son coupé',
  },
  page: {
    article: 'Lire l’article',
    generating: 'L’audio est en cours de création',
    nothing: 'Il n’y a rien à écouter ici.',
    unavailable: 'L’audio n’est pas disponible pour le moment.',
    transcript: 'Transcription',
    podcast: 'Flux du podcast',
    newer: 'Plus récents',
    older: 'Plus anciens',
    morePosts: 'Autres articles',
    noPosts: 'Il n’y a pas encore d’article à écouter.',
  },
  podcastDescription: 'Les articles de {}, lus à voix haute.',
  sampleSentence: 'Samedi matin, le phare de la ville portuaire a rouvert ses portes.',
};

const spanish: Texts = {
  player: {
    listen: 'Escuchar este artículo',
    play: 'Reproducir',
    pause: 'Pausa',
    back: 'Retroceder 15 segundos',
    forward: 'Avanzar 15 segundos',
    position: 'Posición',
    speed: 'Velocidad',
    voice: 'Voz',
    synthetic: 'voz sintética',
    minutes: '{} min',
    download: 'Descargar',
    previous: 'Anterior',
    next: 'Siguiente',
    part: 'Artículo {}',
    of: '{} de {}',
    generating: 'En preparación: {} %',
    empty: 'No hay audio',
    broken: 'No se puede reproducir',
    retry: 'Reintentar',
    close: 'Cerrar',
    muted: 'Sin sonido',
  },
  page: {
    article: 'Leer el artículo',
    generating: 'El audio se está creando',
    nothing: 'Aquí no hay nada que escuchar.',
    unavailable: 'El audio no está disponible en este momento.',
    transcript: 'Transcripción',
    podcast: 'Canal del pódcast',
    newer: 'Más recientes',
    older: 'Más antiguos',
    morePosts: 'Más artículos',
    noPosts: 'Aún no hay ningún artículo que escuchar.',
  },
  podcastDescription: 'Los artículos de {}, leídos en voz alta.',
  sampleSentence: 'El sábado por la mañana, el faro de la ciudad portuaria volvió a abrir sus puertas.',
};

const textsByLanguage = { en: english, de: german, fr: french, es: spanish };

/** A language with texts and normalization rules: BCP 47 primary code. */
export type SupportedLanguage = keyof typeof textsByLanguage;
export const supportedLanguages = Object.keys(textsByLanguage) as SupportedLanguage[];

/** @returns the texts in a language, else in English, and the language of the texts */
export function getTexts(language = 'en'): { readonly texts: Texts; readonly language: SupportedLanguage } {
  const supported = supportedLanguages.find((code) => code === language) ?? 'en';
  return { texts: textsByLanguage[supported], language: supported };
}

/** For voices of languages without other texts. */
const sampleSentences: Readonly<Record<string, string>> = {
  it: 'Sabato mattina il faro della città portuale ha riaperto le sue porte.',
  pt: 'No sábado de manhã, o farol da cidade portuária voltou a abrir as portas.',
  nl: 'Zaterdagochtend opende de vuurtoren van de havenstad weer zijn deuren.',
  pl: 'W sobotę rano latarnia morska w portowym mieście znów otworzyła swoje drzwi.',
  sv: 'På lördagsmorgonen öppnade fyren i hamnstaden sina dörrar igen.',
  da: 'Lørdag morgen åbnede fyrtårnet i havnebyen igen sine døre.',
  hi: 'शनिवार की सुबह बंदरगाह शहर के प्रकाशस्तंभ ने फिर से अपने दरवाज़े खोले।',
};

/** @returns the sentence that a voice is tried with; English for an unknown language */
export function getSampleSentence(language: string): string {
  return sampleSentences[language] ?? getTexts(language).texts.sampleSentence;
}
