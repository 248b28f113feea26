const sentences: Readonly<Record<string, string>> = {
  en: 'On Saturday morning the lighthouse of the harbor town opened its doors again.',
  de: 'Am Samstagmorgen hat der Leuchtturm der Hafenstadt wieder geöffnet.',
  fr: 'Samedi matin, le phare de la ville portuaire a rouvert ses portes.',
  es: 'El sábado por la mañana, el faro de la ciudad portuaria volvió a abrir sus puertas.',
  it: 'Sabato mattina il faro della città portuale ha riaperto le sue porte.',
  pt: 'No sábado de manhã, o farol da cidade portuária voltou a abrir as portas.',
  nl: 'Zaterdagochtend opende de vuurtoren van de havenstad weer zijn deuren.',
  pl: 'W sobotę rano latarnia morska w portowym mieście znów otworzyła swoje drzwi.',
  sv: 'På lördagsmorgonen öppnade fyren i hamnstaden sina dörrar igen.',
  da: 'Lørdag morgen åbnede fyrtårnet i havnebyen igen sine døre.',
};

/** @returns something to say in a language; English where we know nothing */
export function sampleSentence(language: string): string {
  return sentences[language] ?? sentences['en'] ?? '';
}
