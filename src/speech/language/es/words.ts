/** Abbreviations anywhere in a sentence. */
export const anywhere: Readonly<Record<string, string>> = {
  'EE. UU.': 'Estados Unidos',
  'EE UU': 'Estados Unidos',
  EEUU: 'Estados Unidos',
  'CC. OO.': 'Comisiones Obreras',
  'CC OO': 'Comisiones Obreras',
  CCOO: 'Comisiones Obreras',
  'JJ. OO.': 'Juegos Olímpicos',
  'RR. HH.': 'Recursos Humanos',
  'FF. AA.': 'Fuerzas Armadas',
  'p. ej.': 'por ejemplo',
  'a. C.': 'antes de Cristo',
  'd. C.': 'después de Cristo',
  'a. m.': 'A.M',
  'p. m.': 'P.M',
  'etc.': 'etcétera',
  'aprox.': 'aproximadamente',
  'Ud.': 'usted',
  'Uds.': 'ustedes',
  'Vd.': 'usted',
  'Vds.': 'ustedes',
  'tel.': 'teléfono',
  'tfno.': 'teléfono',
  'máx.': 'máximo',
  'mín.': 'mínimo',
  'Cía.': 'compañía',
  'avda.': 'avenida',
  'dpto.': 'departamento',
  'depto.': 'departamento',
  'admón.': 'administración',
  'hab.': 'habitantes',
  'S. A.': 'S.A',
  'S. L.': 'S.L',
  'c/': 'calle ',
};

/** Before a number. */
export const numbered: Readonly<Record<string, string>> = {
  'n.º': 'número',
  'n.°': 'número',
  nº: 'número',
  'n°': 'número',
  Nº: 'Número',
  'núm.': 'número',
  'pág.': 'página',
  'págs.': 'páginas',
  'p.': 'página',
  'pp.': 'páginas',
  'art.': 'artículo',
  'arts.': 'artículos',
  'cap.': 'capítulo',
  'vol.': 'volumen',
  'fig.': 'figura',
  'km.': 'kilómetro',
};

/** Before a name. */
export const titles: Readonly<Record<string, string>> = {
  'Sr.': 'señor',
  'Sra.': 'señora',
  'Srta.': 'señorita',
  'Sres.': 'señores',
  'Sras.': 'señoras',
  'Dr.': 'doctor',
  'Dra.': 'doctora',
  'Dres.': 'doctores',
  'D.': 'don',
  'D.ª': 'doña',
  'Dña.': 'doña',
  'Prof.': 'profesor',
  'Profa.': 'profesora',
  'Lic.': 'licenciado',
  'Ing.': 'ingeniero',
  'Gral.': 'general',
  'Sto.': 'Santo',
  'Sta.': 'Santa',
  'Av.': 'avenida',
  'Avda.': 'avenida',
};

/** Initials of up to three letters that are said, and short words written in capitals for weight. */
export const said = new Set(
  'ONU IVA AVE ETA COP VOX PIB ESO ERE OEA EL LA LOS LAS UN UNA DE DEL EN AL QUE CON POR NO SÍ ES SU SE'.split(
    ' ',
  ),
);
/** Longer ones that are spelled though they could be said. */
export const spelled = new Set('RTVE BBVA OCDE UGT LGTBI LGTB HTTP CNMV CNMC CEOE'.split(' '));
/** What begins a sentence rather than going on behind an abbreviation. */
export const firstWords = new Set(
  (
    'el la los las lo un una unos unas de del en al a con sin por para según tras desde hasta entre sobre ante bajo y o pero ' +
    'aunque si cuando como donde mientras porque pues además así también tampoco luego después antes entonces ahora hoy ' +
    'ayer mañana él ella ellos ellas yo tú nosotros usted ustedes este esta estos estas ese esa esos esas eso esto aquel ' +
    'su sus mi mis se no sí ya más menos muy todo todos toda todas qué quién cómo dónde cuándo hay fue es son era'
  ).split(' '),
);
