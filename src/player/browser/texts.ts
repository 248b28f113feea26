const languages = ['en', 'de', 'fr', 'es'];

/** Texts of the player in the order of `languages`; `{}` is a placeholder. */
const table = {
  listen: ['Listen to this article', 'Diesen Artikel anhören', 'Écouter cet article', 'Escuchar este artículo'],
  play: ['Play', 'Abspielen', 'Lire', 'Reproducir'],
  pause: ['Pause', 'Pause', 'Pause', 'Pausa'],
  back: ['Back 15 seconds', '15 Sekunden zurück', 'Reculer de 15 secondes', 'Retroceder 15 segundos'],
  forward: ['Forward 15 seconds', '15 Sekunden vor', 'Avancer de 15 secondes', 'Avanzar 15 segundos'],
  position: ['Position', 'Position', 'Position', 'Posición'],
  speed: ['Speed', 'Tempo', 'Vitesse', 'Velocidad'],
  voice: ['Voice', 'Stimme', 'Voix', 'Voz'],
  synthetic: ['synthetic voice', 'synthetische Stimme', 'voix de synthèse', 'voz sintética'],
  minutes: ['{} min', '{} Min.', '{} min', '{} min'],
  download: ['Download', 'Herunterladen', 'Télécharger', 'Descargar'],
  previous: ['Previous', 'Zurück', 'Précédent', 'Anterior'],
  next: ['Next', 'Weiter', 'Suivant', 'Siguiente'],
  part: ['Article {}', 'Artikel {}', 'Article {}', 'Artículo {}'],
  of: ['{} of {}', '{} von {}', '{} sur {}', '{} de {}'],
  making: ['Generating: {} %', 'Wird erstellt: {} %', 'En préparation : {} %', 'En preparación: {} %'],
  empty: ['No audio', 'Keine Aufnahme', 'Pas d’audio', 'No hay audio'],
  broken: ['Cannot be played', 'Nicht abspielbar', 'Lecture impossible', 'No se puede reproducir'],
  retry: ['Try again', 'Noch einmal', 'Réessayer', 'Reintentar'],
  close: ['Close', 'Schließen', 'Fermer', 'Cerrar'],
  muted: ['Sound off', 'Ton aus', 'Son coupé', 'Sin sonido'],
} as const;

type TextName = keyof typeof table;

/** The texts in one language. */
export interface Texts {
  /** One of `languages`. */
  readonly language: string;
  /** @param values for the placeholders */
  format(name: TextName, ...values: readonly (string | number)[]): string;
}

/** @returns texts in the first supported language of player, page and browser; else in English */
export function getTexts(player: Element): Texts {
  const named = [player, document.documentElement].map((element) => element.getAttribute('lang'));
  const wanted = [...named, ...navigator.languages].map((code) => toPrimaryLanguage(code ?? ''));
  const language = wanted.find((code) => languages.includes(code)) ?? 'en';
  return {
    language,
    format: (name, ...values) => {
      const text = table[name][languages.indexOf(language)] ?? '';
      return values.reduce<string>((filled, value) => filled.replace('{}', `${value}`), text);
    },
  };
}

/** @returns `de` of `de-AT` */
export function toPrimaryLanguage(code: string): string {
  return code.toLowerCase().replace(/-.*/, '');
}
