/** Abbreviations anywhere in a sentence. */
export const anywhere: Readonly<Record<string, string>> = {
  'z. B.': 'zum Beispiel',
  'd. h.': 'das heißt',
  'u. a.': 'unter anderem',
  'u. U.': 'unter Umständen',
  'i. d. R.': 'in der Regel',
  'i. A.': 'im Auftrag',
  'z. T.': 'zum Teil',
  'z. Zt.': 'zur Zeit',
  'z. Z.': 'zur Zeit',
  'o. Ä.': 'oder Ähnliches',
  'o. ä.': 'oder ähnlich',
  'u. Ä.': 'und Ähnliches',
  'u. ä.': 'und ähnlich',
  'a. D.': 'außer Dienst',
  'a. M.': 'am Main',
  'a. d.': 'an der',
  'Dr. h. c.': 'Doktor honoris causa',
  'h. c.': 'honoris causa',
  'ü. M.': 'über dem Meer',
  'ü. d. M.': 'über dem Meer',
  'e. V.': 'E.V',
  'm. E.': 'meines Erachtens',
  's. o.': 'siehe oben',
  's. u.': 'siehe unten',
  'v. a.': 'vor allem',
  'v. Chr.': 'vor Christus',
  'n. Chr.': 'nach Christus',
  'v. l. n. r.': 'von links nach rechts',
  'usw.': 'und so weiter',
  'etc.': 'et cetera',
  'bzw.': 'beziehungsweise',
  'ca.': 'circa',
  'vgl.': 'vergleiche',
  'ggf.': 'gegebenenfalls',
  'evtl.': 'eventuell',
  'inkl.': 'inklusive',
  'exkl.': 'exklusive',
  'max.': 'maximal',
  'min.': 'minimal',
  'mind.': 'mindestens',
  'sog.': 'sogenannte',
  'usf.': 'und so fort',
  'geb.': 'geboren',
  'gest.': 'gestorben',
  'verh.': 'verheiratet',
  'Jh.': 'Jahrhundert',
  'Jhdt.': 'Jahrhundert',
  'Tel.': 'Telefon',
  'Str.': 'Straße',
  'Hrsg.': 'Herausgeber',
  'Std.': 'Stunden',
  'jr.': 'junior',
  'sen.': 'senior',
  'bspw.': 'beispielsweise',
  'tlw.': 'teilweise',
  'zzgl.': 'zuzüglich',
  'abzgl.': 'abzüglich',
  'insb.': 'insbesondere',
  'einschl.': 'einschließlich',
  'St. Gallen': 'Sankt Gallen',
  'Mio.': 'Millionen',
  'Mrd.': 'Milliarden',
};

/** Before a number. */
export const numbered: Readonly<Record<string, string>> = {
  'Nr.': 'Nummer',
  'Nrn.': 'Nummern',
  'S.': 'Seite',
  'Art.': 'Artikel',
  'Abs.': 'Absatz',
  'Kap.': 'Kapitel',
  'Abb.': 'Abbildung',
  'Tab.': 'Tabelle',
  'Bd.': 'Band',
  'Ziff.': 'Ziffer',
  'Rn.': 'Randnummer',
  'Az.': 'Aktenzeichen',
};

/** Before a name. */
export const titles: Readonly<Record<string, string>> = {
  'Dr.': 'Doktor',
  'Prof.': 'Professor',
  'Hr.': 'Herr',
  'Fr.': 'Frau',
  'St.': 'Sankt',
  'Dipl.-Ing.': 'Diplomingenieur',
  'Ing.': 'Ingenieur',
  'Gebr.': 'Gebrüder',
  'Hl.': 'Heiliger',
};

/** Initials of up to three letters that are said, and short words written in capitals for weight. */
export const said = new Set(
  'UNO TÜV TAZ DAX ROM DER DIE DAS UND IST EIN WIR SIE ICH ES IM IN AM AN AUF ZU SO'.split(' '),
);
/** Longer ones that are spelled though they could be said. */
export const spelled = new Set('ADAC OECD IAEA AFD GMBH'.split(' '));
/** Initials that are not all capitals. */
export const mixed: Readonly<Record<string, string>> = {
  AfD: 'A.F.D',
  GmbH: 'G.M.B.H',
  GbR: 'G.B.R',
  Lkw: 'L.K.W',
  Pkw: 'P.K.W',
  Lkws: 'L.K.Ws',
  Pkws: 'P.K.Ws',
};
/** A sentence that begins with one of these has begun: a name or a noun may go on with what was abbreviated. */
export const firstWords = new Set(
  (
    'der die das ein eine einer er sie es wir ich ihr man in im am an auf aus bei beim mit nach seit von vom zu zum zur ' +
    'für um als wenn weil da dann danach doch aber und auch denn dennoch deshalb dabei damit dafür dagegen daher dazu ' +
    'dies diese dieser dieses jetzt nun nur noch schon so heute gestern morgen inzwischen später zuvor zudem außerdem ' +
    'allerdings jedoch trotzdem viele alle beide jeder kein keine was wer wie wo warum hier dort es sein seine ihre'
  ).split(' '),
);
