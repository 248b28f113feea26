import { parseTable, wordSet } from '../language.ts';

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
export const shortEnds = parseTable(`
  präs = präsident; bgm, bürgerm = bürgermeister; minist = minister; sekr = sekretär; vors = vorsitzender; reg = regierung;
  landkr = landkreis; verb = verband; gem = gemeinde; verw = verwaltung; univ = universität; abt = abteilung; zentr = zentrale
`);
