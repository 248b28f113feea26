/** Abbreviations anywhere in a sentence. */
export const anywhere: Readonly<Record<string, string>> = {
  'p. ex.': 'par exemple',
  'c.-à-d.': "c'est-à-dire",
  'av. J.-C.': 'avant Jésus-Christ',
  'apr. J.-C.': 'après Jésus-Christ',
  'ap. J.-C.': 'après Jésus-Christ',
  'J.-C.': 'Jésus-Christ',
  'etc.': 'et cetera',
  'env.': 'environ',
  'cf.': 'confer',
  'tél.': 'téléphone',
  'hab.': 'habitants',
  'dép.': 'département',
  'éd.': 'édition',
  'ét.': 'étage',
  'min.': 'minutes',
  'max.': 'maximum',
  bd: 'boulevard',
  Cie: 'compagnie',
  'St-': 'Saint-',
  'Ste-': 'Sainte-',
};

/** Before a number. */
export const numbered: Readonly<Record<string, string>> = {
  'n°': 'numéro',
  nº: 'numéro',
  'N°': 'Numéro',
  no: 'numéro',
  nos: 'numéros',
  'p.': 'page',
  'pp.': 'pages',
  'art.': 'article',
  'chap.': 'chapitre',
  'vol.': 'volume',
  'fig.': 'figure',
  'al.': 'alinéa',
  RN: 'R.N',
};

/** Before a name. */
export const titles: Readonly<Record<string, string>> = {
  'M.': 'Monsieur',
  'MM.': 'Messieurs',
  Mme: 'Madame',
  Mmes: 'Mesdames',
  Mlle: 'Mademoiselle',
  Mlles: 'Mesdemoiselles',
  Dr: 'Docteur',
  Pr: 'Professeur',
  Me: 'Maître',
  Mgr: 'Monseigneur',
  St: 'Saint',
  Ste: 'Sainte',
  'av.': 'avenue',
};

/** Initials of up to three letters that are said, and short words written in capitals for weight. */
export const said = new Set(
  'ONU ENA CAC COP SUD LE LA LES UN UNE DES DU DE ET EN AU AUX QUI QUE EST PAS NON OUI SUR'.split(
    ' ',
  ),
);
/** Longer ones that are spelled though they could be said. */
export const spelled = new Set('OCDE AIEA RATP CFDT UMP INA HTTP ANPE RTBF'.split(' '));
/** What begins a sentence rather than going on behind an abbreviation. */
export const firstWords = new Set(
  (
    'le la les l un une des du de il elle ils elles on nous vous je tu ce cet cette ces cela ça c en au aux à dans par pour ' +
    'sur avec sans sous chez mais et ou donc or ni car si quand lorsque comme puis ensuite après avant depuis pendant ' +
    'selon malgré ainsi alors aussi aujourd hier demain enfin pourtant cependant toutefois plus moins tout tous toutes ' +
    'son sa ses leur leurs notre nos mon ma mes qui que quel quelle où pourquoi comment ici là voici voilà ne pas'
  ).split(' '),
);
