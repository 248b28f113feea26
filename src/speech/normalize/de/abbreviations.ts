import { type NormalizationRule, parseTable, rule, sentenceStop, wordSet } from '../language.ts';
import { createContextualRule } from '../shared/abbreviations.ts';
import { buildAlternatives } from '../shared/amounts.ts';
import { findWeakEnding, numberVerbalizer } from './numbers.ts';

const general = parseTable(`
  z. B. = zum Beispiel; d. h. = das heißt; d. s. = das sind; Ri. = Richtung; u. a. = unter anderem; u. U. = unter Umständen; i. d. R. = in der Regel;
  i. A. = im Auftrag; z. T. = zum Teil; z. Zt., z. Z. = zur Zeit; o. Ä. = oder Ähnliches; o. ä. = oder ähnlich;
  u. Ä. = und Ähnliches; u. ä. = und ähnlich; a. D. = außer Dienst; a. M. = am Main; a. d. = an der;
  Dr. h. c. = Doktor honoris causa; h. c. = honoris causa; ü. M., ü. d. M. = über dem Meer; e. V. = E.V;
  m. E. = meines Erachtens; s. o. = siehe oben; s. u. = siehe unten; v. a. = vor allem; v. Chr. = vor Christus;
  n. Chr. = nach Christus; v. l. n. r. = von links nach rechts; usw., u. s. w. = und so weiter; etc. = et cetera;
  bzw. = beziehungsweise; ca. = circa; vgl. = vergleiche; ggf. = gegebenenfalls; evtl. = eventuell; inkl. = inklusive;
  exkl. = exklusive; max. = maximal; mind. = mindestens; sog. = sogenannte; usf. = und so fort; geb. = geboren;
  gest. = gestorben; verh. = verheiratet; Jh., Jhdt. = Jahrhundert; Tel. = Telefon; Str. = Straße; Hrsg. = Herausgeber;
  Std. = Stunden; n. V. = nach Verlängerung; n. P. = nach Penaltyschießen; i. V. m. = in Verbindung mit;
  i. d. F. = in der Fassung; u. a. m. = und anderes mehr; i. R. d. = im Rahmen des; i. R. v. = im Rahmen von;
  i. Z. m. = im Zusammenhang mit; i. Vgl. = im Vergleich; n. a. = nicht angegeben; Ffm. = Frankfurt; Bln. = Berlin;
  verl. = verletzt; Enth. = Enthaltungen; Pers. = Personen; Bundesl. = Bundesliga; Bj. = Baujahr; Vj, Vj. = Vorjahr;
  Min.präs., Min.-Präs. = Ministerpräsident; gesch. = geschieden; Veranst. = Veranstaltung; Verf. = Verfassung;
  Verw. = Verwaltung; Wg., wg. = wegen; Schr. = Schreiben; Entsch. = Entscheidung; Vorst. = Vorstand;
  n. E. = nach Elfmeterschießen; i. E. = im Elfmeterschießen; ehem. = ehemalige; bes. = besonders;
  ü. NN, ü. N.N. = über Normalnull; MwSt., MwSt = Mehrwertsteuer; und/oder = und oder; Dr. med. = Doktor med;
  Dr. jur. = Doktor jur; Dr. phil. = Doktor phil; Dr. rer. nat. = Doktor rer nat; lt. = laut; o. g. = oben genannten;
  u. v. m. = und vieles mehr; u. v. a. = und viele andere; i. H. v. = in Höhe von; i. S. d. = im Sinne des;
  bzgl. = bezüglich; gem. = gemäß; Hbf., Hptbf. = Hauptbahnhof; Bhf. = Bahnhof; vorm. = vormals; Anm. = Anmerkung;
  ebd. = ebenda; Aufl. = Auflage; jew. = jeweils; lfd. = laufende; nördl. = nördlich; südl. = südlich; östl. = östlich;
  westl. = westlich; tägl., tgl. = täglich; wöchentl. = wöchentlich; monatl., mtl. = monatlich; jährl. = jährlich;
  Vors. = Vorsitzender; stv., stellv. = stellvertretende; verst. = verstorbene; Red. = Redaktion; Abg. = Abgeordneter;
  jr. = junior; sen. = senior; bspw. = beispielsweise; tlw. = teilweise; zzgl. = zuzüglich; abzgl. = abzüglich;
  insb. = insbesondere; einschl. = einschließlich; ggü. = gegenüber; Az. = Aktenzeichen; Einw. = Einwohner;
  ü. NHN = über Normalhöhennull; em. = emeritus; Mio. = Millionen; Mrd. = Milliarden; Hj. = Halbjahr; Qu. = Quartal;
  Kennz. = Kennzeichen; erm. = ermäßigt; p. a. = pro Jahr; i. Vj. = im Vorjahr; i. J. = im Jahr; ff. = fortfolgende;
  s. = siehe; Sek. = Sekunden; Flgh. = Flughafen; Abt. = Abteilung; Ref. = Referat; Rep. = Republik; Lkr. = Landkreis;
  Gde. = Gemeinde; Bez. = Bezirk; Reg.-Bez. = Regierungsbezirk; resp. = respektive; engl. = englisch;
  frz. = französisch; dt. = deutsche; kath. = katholisch; ev. = evangelisch; ges. = gesamt; zzt. = zurzeit;
  zw. = zwischen; vsl., voraussichtl. = voraussichtlich; urspr. = ursprünglich; durchschn. = durchschnittlich; Wdh. = Wiederholung; Vit. = Vitamin; Gr. S = Größe S; Gr. M = Größe M; Gr. L = Größe L; Gr. XL = Größe XL;
  versch. = verschiedene; entspr. = entsprechend; Mitgl. = Mitglieder; o. A. = ohne Angabe; i. V. = in Vertretung;
  z. H., z. Hd. = zu Händen; m. W. = meines Wissens; m. a. W. = mit anderen Worten; i. e. S. = im engeren Sinne;
  i. w. S. = im weiteren Sinne; a. a. O. = am angegebenen Ort; d. J. = dieses Jahres; d. M. = dieses Monats;
  v. H. = vom Hundert; lit., Buchst. = Buchstabe; Urt. = Urteil; Beschl. = Beschluss; gg. = gegen; Whg. = Wohnung;
  Grdst. = Grundstück; Wo. = Woche; Jhs. = Jahrhunderts; Präs. = Präsident; Bgm. = Bürgermeister; Pfr. = Pfarrer;
  Ausg. = Ausgabe; Nachm. = Nachmittag; nachm. = nachmittags; abds. = abends; öff. = öffentlich; städt. = städtisch;
  staatl. = staatlich; gesetzl. = gesetzlich; schriftl. = schriftlich; mündl. = mündlich; Inh. = Inhaber; Fa. = Firma;
  Fam. = Familie; Ges. = Gesellschaft; Verb. = Verband; Kto. = Konto; Bekl. = Beklagter; StA = Staatsanwaltschaft;
  GenStA = Generalstaatsanwaltschaft; Prof. em. = Professor emeritus; Stv. Vors. = stellvertretender Vorsitzender;
  o. = oder; k. o., K. o. = K.O; ob d. = ob der; o. d. Tauber, o. d. T. = ob der Tauber; v. d. Höhe, v. d. H. = vor der Höhe; a. d. R. = an der Ruhr; K'lautern, K’lautern = Kaiserslautern; M'gladbach, M’gladbach = Mönchengladbach; Abschn. = Abschnitt; Inst. = Institut;
  Gen. a. D. = General außer Dienst; i. R. = im Ruhestand; Dr. h. c. mult. = Doktor honoris causa multiplex;
  p. P. = pro Person; m/m = zum Vormonat; q/q = zum Vorquartal; y/y = zum Vorjahr; gegr. = gegründet; err. = errichtet; erb. = erbaut; i. d. = in der; i. d. OPf. = in der Oberpfalz; i. Br., i. B. = im Breisgau; i. Allg. = im Allgäu; a. Rh. = am Rhein;
  Bad.-Württ., Ba.-Wü. = Baden-Württemberg; Meckl.-Vorp. = Mecklenburg-Vorpommern; Schl.-Holst. = Schleswig-Holstein;
  Rhld.-Pf. = Rheinland-Pfalz; Sachs.-Anh. = Sachsen-Anhalt; Nds. = Niedersachsen; Thür. = Thüringen; Brdbg. = Brandenburg;
  Min. a. D. = Minister außer Dienst; Wirtsch.-Min. = Wirtschaftsminister; i. S. v. = im Sinne von; a. F. = alte Fassung; n. F. = neue Fassung; Pl. = Platz; Mkt. = Markt; Bf. = Bahnhof;
  a. N. = am Neckar; i. W., i. Westf. = in Westfalen
`);

const numbered = parseTable(`
  Nr., Nr = Nummer; Nrn., Nrn = Nummern; S. = Seite; Art. = Artikel; Abs. = Absatz; Kap. = Kapitel; Abb. = Abbildung;
  Tab. = Tabelle; Bd., Vol. = Band; Ziff. = Ziffer; Rn., Rdnr. = Randnummer; rd. = rund; Kl. = Klasse; Jg. = Jahrgang;
  Anh. = Anhang; op. = Opus; Drs. = Drucksache; km = Kilometer; Rz. = Randziffer; Gr. = Größe; Ausg. = Ausgabe;
  Lfg. = Lieferung; Anl. = Anlage; Zi. = Zimmer; Gl. = Gleis; H. = Heft; Fn. = Fußnote; Bft., Bft = Beaufort;
  BGBl. = Bundesgesetzblatt; ABl. = Amtsblatt; GVBl. = Gesetz- und Verordnungsblatt; KW = Kalenderwoche; WS, WiSe = Wintersemester; SoSe = Sommersemester; GJ = Geschäftsjahr; Ps. = Psalm; Hs. = Halbsatz; Alt. = Alternative; Var. = Variante; UAbs. = Unterabsatz;
  Mo. = Montag; Di. = Dienstag; Mi. = Mittwoch; Do. = Donnerstag; Sa. = Samstag; So. = Sonntag; Erw. = Erwägungsgrund; Rs. = Rechtssache; Az = Aktenzeichen
`);

const titles = parseTable(`
  Dr. = Doktor; Prof. = Professor; Hr. = Herr; Fr. = Frau; St. = Sankt; Dipl.-Ing. = Diplomingenieur; Ing. = Ingenieur;
  Gebr. = Gebrüder; Kard. = Kardinal; Gr. = Große; Kl. = Kleine; Gen. = General; Hptm. = Hauptmann; Oblt. = Oberleutnant; Kom. = Kommissar;
  Bgm. = Bürgermeister; Präs. = Präsident; Abg. = Abgeordneter; Fam. = Familie; Kdt. = Kommandant; Pfr. = Pfarrer;
  v. = von
`);

const pronounced = wordSet(`
  UNO DIN FIA AWO ESA EMA ETA TÜV TAZ COP MAX GAU PIN SIM DAX ROM DER DIE DAS UND IST EIN WIR SIE ICH ES IM IN AM AN AUF ZU SO
`);
const spelled = new Set(
  'ADHS COPD BASF ADAC AEUV EUV OECD IAEA AFD GMBH DSGVO EUGH BVERFG KFZ OSZE DIHK UNHCR UNDP BDEW VDMA DOSB UNODC EASA OPCW'.split(
    ' ',
  ),
);
/** Initialisms with lowercase letters. */
export const mixedCaseAcronyms = parseTable(`
  dpa = D.P.A; awp = A.W.P; dts = D.T.S; oHG = O.H.G; NOx = N.O.X; Ver.di, ver.di = Verdi; epd = E.P.D; apa = A.P.A; kna = K.N.A; AfD = A.F.D; GmbH = G.M.B.H; EuGH = E.U.G.H; E.ON = E.ON;
  Kfz = K.F.Z; KGaA = K.G.A.A; GbR = G.B.R; Lkw = L.K.W; Pkw = P.K.W; Lkws = L.K.Ws; Pkws = P.K.Ws; StGB = S.T.G.B;
  StPO = S.T.P.O; StVO = S.T.V.O; OWiG = O.W.I.G; BtMG = B.T.M.G; EnBW = E.N.B.W; PzH = P.Z.H;
  BVerfG = Bundesverfassungsgericht; VfB = V.F.B; VfL = V.F.L; BvR = B.V.R; StR = S.T.R; KLs = K.L.S; BvE = B.V.E; BvQ = B.V.Q;
  BvL = B.V.L; BvF = B.V.F; MdB = M.D.B; MdL = M.D.L; MdEP = M.D.E.P; mbH = M.B.H; GmbHs = G.M.B.Hs;
  BVerfGG = Bundesverfassungsgerichtsgesetz; AufenthG = Aufenthaltsgesetz; AsylG = Asylgesetz;
  KSchG = Kündigungsschutzgesetz; IfSG = Infektionsschutzgesetz; TierSchG = Tierschutzgesetz; JuSchG = Jugendschutzgesetz;
  WpHG = Wertpapierhandelsgesetz; InsO = Insolvenzordnung; GewO = Gewerbeordnung; AktG = Aktiengesetz; VwGO = V.W.G.O;
  EStG = Einkommensteuergesetz; UStG = Umsatzsteuergesetz; BImSchG = Bundes-Immissionsschutzgesetz;
  BetrVG = Betriebsverfassungsgesetz; WaffG = Waffengesetz; VersG = Versammlungsgesetz; StVG = Straßenverkehrsgesetz;
  MuSchG = Mutterschutzgesetz; KCanG = Konsumcannabisgesetz; UdSSR = U.D.S.S.R; BAföG = Bafög; BaFin = Bafin; BfArM = B.F.A.R.M; BfDI = B.F.D.I; TVöD = T.V.Ö.D; SoVD = S.O.V.D; BKartA = Bundeskartellamt; MfS = M.F.S; MDAX, MDax = M-Dax; SDAX, SDax = S-Dax; TecDAX = Tec-Dax; IfW = I.F.W; kWh = Kilowattstunde; kWp = Kilowatt Peak;
  BauGB = Baugesetzbuch; ArbZG = Arbeitszeitgesetz; BUrlG = Bundesurlaubsgesetz; MiLoG = Mindestlohngesetz;
  LkSG = Lieferkettengesetz; UrhG = Urheberrechtsgesetz; ErbStG = Erbschaftsteuergesetz; GrStG = Grundsteuergesetz;
  KStG = Körperschaftsteuergesetz; GewStG = Gewerbesteuergesetz; BNatSchG = Bundesnaturschutzgesetz;
  EnWG = Energiewirtschaftsgesetz; StAG = Staatsangehörigkeitsgesetz; VwVfG = Verwaltungsverfahrensgesetz;
  NetzDG = Netzwerkdurchsetzungsgesetz; GmbHG = G.M.B.H Gesetz; PolG = Polizeigesetz; MarkenG = Markengesetz;
  PatG = Patentgesetz; PartG = Parteiengesetz; BVerwG = Bundesverwaltungsgericht; BVwG = B.V.W.G; TzBfG = Teilzeitgesetz;
  KrWG = Kreislaufwirtschaftsgesetz; LuftVG = Luftverkehrsgesetz; FamFG = Familienverfahrensgesetz
`);
export const sentenceStarters = wordSet(`
  der die das ein eine einer er sie es wir ich ihr man in im am an auf aus bei beim mit nach seit von vom zu zum zur für
  um als wenn weil da dann danach doch aber und auch denn dennoch deshalb dabei damit dafür dagegen daher dazu dies
  diese dieser dieses jetzt nun nur noch schon so heute gestern morgen inzwischen später zuvor zudem außerdem allerdings
  jedoch trotzdem viele alle beide jeder kein keine was wer wie wo warum hier dort es sein seine ihre
`);

export const signs = parseTable(`
  & = und; + = plus; = = gleich; @ = at; % = Prozent; ‰ = Promille; $ = Dollar; € = Euro; £ = Pfund; ¥ = Yen; ° = Grad;
  § = Paragraf; × = mal; ÷ = geteilt durch; ± = plus minus; ≈, ~ = ungefähr; < = kleiner als; > = größer als; → = zu;
  / = Schrägstrich; \\ = Backslash; # = Nummer; ^ = hoch; ≥ = größer gleich; ≤ = kleiner gleich; ≠ = ungleich
`);

export const abbreviations = { general, titles, numbered };
export const acronyms = { pronounced, spelled };

/** Ends of compounds, with a full stop: "Polizeipräs.", "Innenmin." */
const shortEnds = parseTable(`
  präs = präsident; bgm, bürgerm = bürgermeister; minist = minister; sekr = sekretär; vors = vorsitzender; reg = regierung;
  landkr = landkreis; verb = verband; gem = gemeinde; verw = verwaltung; univ = universität; abt = abteilung; zentr = zentrale
`);

const { verbalizeCardinal } = numberVerbalizer;

/** "Hauptstr.", "Marienpl. 8", "Rathauspl.", but not "Dipl." */
const streetRule = rule(/(\p{L}[\p{L}-]{1,30})([Ss]tr|[Pp]l)\.(?!\p{L})/u, ([written, name = '', kind = ''], place) => {
  if (kind === 'pl' && !/^\s?\d/.test(place.after) && (name.length < 4 || /^Exem?$/.test(name))) return undefined;
  return `${name}${kind.endsWith('l') ? `${kind}atz` : `${kind}aße`}${sentenceStop(written, place)}`;
});
export const SHORT_ENDS = buildAlternatives(Object.keys(shortEnds));
/** "Polizeipräs. Meyer" */
const shortCompoundRule = rule(
  new RegExp(`(\\p{Lu}\\p{L}{2,20})(${SHORT_ENDS})\\.(?=\\s|,)`, 'u'),
  ([, start = '', end = '']) => start + shortEnds[end],
);
/** "Kinder u. 5 Jahren", "Köln u. Bonn" */
const underRule = rule(/u\.(?!\p{L})/u, (_match, place) =>
  /^ \d{1,2} (?:Jahren|J\.)/.test(place.after) && !/\d\s$/.test(place.before) ? 'unter' : 'und',
);
/** "Entwurf v. 14.11.", "F. Henckel v. Donnersmarck" */
const fromRule = rule(/v\.(?=[ \u00a0](?:\d{1,2}\.|\p{Lu}))/u, (_match, place) =>
  /^\s\d/.test(place.after) ? 'vom' : 'von',
);
/** "in der 89. Min.", "3 Std. 41 Min.", "min. 3 Jahre" */
const minuteRule = rule(/[Mm]in\.(?!\p{L}|-)/u, ([written], place) => {
  const noun = /\d\.(?:\+\d)?\s$/.test(place.before) ? 'Minute' : 'Minuten';
  return `${written.startsWith('m') ? 'minimal' : noun}${sentenceStop(written, place)}`;
});
/** "Ges. f. Chemie", "Sitz d. Firma", "Vors. d. Vereins", "§ 5 f.", "Haar b. München", "Mühldorf a. Inn", "Do., d. 5. Juni" */
const smallWordRule = rule(/([fdbai])\.(?!\p{L})/u, ([written, letter], place) => {
  if (letter === 'f' && /\d[a-z]?\s?$/.test(place.before)) return `folgende${sentenceStop(written, place)}`;
  if (letter === 'd' && /^\s\d{1,2}\.\s/.test(place.after)) return 'den';
  if (letter === 'd' && /^\s\p{Lu}\p{Ll}{2,30}[^s\P{L}]s(?!\p{L})/u.test(place.after)) return 'des';
  return /^\s\p{Lu}\p{Ll}/u.test(place.after)
    ? { f: 'für', d: 'der', b: 'bei', a: 'am', i: 'im' }[letter ?? '']
    : undefined;
});

const adjectives = parseTable(`
  sog = sogenannt; ehem = ehemalig; stellv, stv = stellvertretend; dt = deutsch; Dt = Deutsch; frz, franz = französisch; engl = englisch;
  ital = italienisch; russ = russisch; amerik = amerikanisch; poln = polnisch; österr = österreichisch; ukrain = ukrainisch;
  internat = international; städt = städtisch; öff = öffentlich; kath = katholisch; ev, evang = evangelisch; Kath = Katholisch; Ev = Evangelisch; jüd = jüdisch; hist = historisch; gegr = gegründet; err = errichtet; erb = erbaut;
  verst = verstorben; versch = verschieden; jew = jeweilig; zust = zuständig; hl = heilig; Hl = Heilig; bayer = bayerisch; sächs = sächsisch
`);
/** "die sog. Reichsbürger", "mit dem stellv. Vorsitzenden", "Tag der Dt. Einheit", "Hl. Martin" */
const adjectiveRule = rule(
  new RegExp(`(${buildAlternatives(Object.keys(adjectives))})\\.(?=[ \\u00a0]\\p{Lu})`, 'u'),
  ([, short = ''], place) => {
    const isSaint = short === 'hl' || short === 'Hl';
    if (isSaint && isAlone(place.before)) return `${adjectives[short]}er`;
    // "der hl. Martin", "die Hl. Drei Könige"
    if (isSaint && /(?<!\p{L})der\s$/iu.test(place.before)) return `${adjectives[short]}e`;
    if (isSaint && /^\sDrei/.test(place.after)) return `${adjectives[short]}en`;
    return `${adjectives[short]}${findWeakEnding(place)}`;
  },
);
/** Whether no article is before it. */
function isAlone(before: string): boolean {
  return !/(?<!\p{L})(?:d(?:er|ie|as|en|em|es)|vom|zu[mr]|beim|[ai]m)\s$/iu.test(before);
}
/** "erhebl. Schäden": adjectives in -lich; no lowercase word of German ends in a consonant and l. */
const shortAdjectiveRule = rule(/(\p{L}\p{Ll}{1,20}[bcdfghkmnprstz])l\.(?=\s\p{L})/u, ([, stem = ''], place) =>
  /^\s\p{Lu}/u.test(place.after) ? `${stem}lich${findWeakEnding(place)}` : `${stem}lich`,
);

/** Before the abbreviations of the tables. */
export const earlyAbbreviationRules: readonly NormalizationRule[] = [
  adjectiveRule,
  // "Angela Merkel (geb. Kasner)"
  createContextualRule(
    /geb\.(?=[ \u00a0](?:(?:von|de|van) )?\p{Lu}\p{L}{1,30}(?:-\p{Lu}\p{L}{1,30})?[),;])/u,
    'geborene',
    /\p{Lu}\p{L}+,? \(?$/u,
  ),
  createContextualRule(/Vors\.(?!\p{L})/u, 'Vorsitzende', /(?<!\p{L})(?:der|die) (?:\d\. )?$/iu),
  createContextualRule(/Abg\.(?!\p{L})/u, 'Abgeordnete', /(?<!\p{L})(?:der|die) $/iu),
  createContextualRule(/Abg\.(?!\p{L})/u, 'Abgeordneten', /(?<!\p{L})(?:dem|den|des) $/iu),
  createContextualRule(/Kl\.(?!\p{L})/u, 'Klasse', /\d\. $/),
  createContextualRule(/OStA(?=[ \u00a0]\p{Lu})/u, 'Oberstaatsanwalt'),
  createContextualRule(/StA(?=[ \u00a0]\p{Lu}\p{Ll})/u, 'Staatsanwalt', /(?:^|[,;] |\b(?:und|durch|von|so) )$/u),
  createContextualRule(/RA(?=[ \u00a0](?:Dr\.|\p{Lu}\p{Ll}))/u, 'Rechtsanwalt'),
  createContextualRule(/Std\.(?!\p{L})/u, 'Stunde', /(?<!\p{L})(?:pro|je|jede|die|der|einer) $/iu),
  createContextualRule(/Hrsg\.(?= (?:von|v\.) )/u, 'herausgegeben'),
  createContextualRule(/Prof\.(?= (?:der|für|am|an|des) )/, 'Professor'),
  createContextualRule(/em\.(?= Prof)/, 'emeritierter'),
  createContextualRule(/jun\.(?!\p{L})/u, 'junior', /\p{Lu}[\p{L}-]+,? $/u),
  createContextualRule(/VO(?=[ \u00a0]\((?:EU|EG)\))/u, 'Verordnung'),
  createContextualRule(/Rs\.(?=\s[CT]-\d)/, 'Rechtssache'),
];

/** After the abbreviations of the tables. */
export const contextualAbbreviationRules: readonly NormalizationRule[] = [
  minuteRule,
  underRule,
  fromRule,
  smallWordRule,
  streetRule,
  shortCompoundRule,
  shortAdjectiveRule,
];

const books = parseTable(`
  Mt = Matthäus; Mk = Markus; Lk = Lukas; Joh = Johannes; Apg = Apostelgeschichte; Röm = Römer; Kor = Korinther; Gal = Galater; Eph = Epheser;
  Phil = Philipper; Kol = Kolosser; Hebr = Hebräer; Jak = Jakobus; Offb = Offenbarung; Gen = Genesis; Ex = Exodus; Lev = Levitikus; Dtn = Deuteronomium;
  Ps, Psalm = Psalm; Spr = Sprüche; Koh = Kohelet; Jes = Jesaja; Jer = Jeremia; Hes = Hesekiel; Dan = Daniel; Matthäus = Matthäus; Markus = Markus;
  Lukas = Lukas; Johannes = Johannes; Jesaja = Jesaja; Korinther = Korinther; Römer = Römer; Mose = Mose
`);
/** "Mt 5,3-12": chapter and verses */
export const bibleRule: NormalizationRule = rule(
  new RegExp(
    `(${buildAlternatives(Object.keys(books))})\\.? (\\d{1,3}),(\\d{1,3})(?:[-–](\\d{1,3})|f{1,2}\\.?(?!\\p{L}))?(?![\\d,])`,
    'u',
  ),
  ([written, book = '', chapter = '', verse = '', last]) => {
    const end = last === undefined ? (/f\.?$/.test(written) ? ' folgende' : '') : ` bis ${verbalizeCardinal(last)}`;
    return `${books[book]} ${verbalizeCardinal(chapter)}, ${verbalizeCardinal(verse)}${end}`;
  },
);

const pieces = parseTable('K = König; D = Dame; T = Turm; L = Läufer; S = Springer');
const MOVE = '(?:[KDTLS]?[a-h]?[1-8]?x?[a-h][1-8]|0-0)(?:[+#!?]|(?![\\p{L}\\p{N}]))';
/** Moves in chess: "1. e4 e5 2. Sf3" */
export const chessRules = {
  digits: [
    rule(new RegExp(`(\\d{1,2})\\.{1,3}\\s?(?=${MOVE})`, 'u'), ([, move = '']) => `${verbalizeCardinal(move)} `),
  ],
  letters: [
    rule(
      /([KDTLS])(x?)([a-h])([1-8])(?![\p{L}\p{N}])/u,
      ([, piece = '', takes, file = '', rank = '']) =>
        `${pieces[piece]} ${takes ? 'schlägt ' : ''}${file.toUpperCase()} ${verbalizeCardinal(rank)}`,
    ),
  ],
} as const satisfies Record<string, readonly NormalizationRule[]>;
