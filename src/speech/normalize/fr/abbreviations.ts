import { parseTable, wordSet } from '../language.ts';

const general = parseTable(`
  p. ex. = par exemple; c.-à-d. = c'est-à-dire; av. J.-C. = avant Jésus-Christ;
  apr. J.-C., ap. J.-C. = après Jésus-Christ; J.-C. = Jésus-Christ; etc. = et cetera; env. = environ; cf. = confer;
  tél. = téléphone; hab. = habitants; dép. = département; ét. = étage; M. et Mme = Monsieur et Madame;
  M. le = Monsieur le; M. la = Monsieur la; M. l' = Monsieur l'; Mme la = Madame la; Mme le = Madame le;
  Mme l' = Madame l'; et/ou = et ou; av. de = avenue de; av. du = avenue du; av. des = avenue des; max. = maximum;
  bd, boul. = boulevard; ARNm = A.R.N messager; rens., rens = renseignements; pl. = place; bât. = bâtiment;
  Sté = Société; Ets, Éts = Établissements; ex. = exemple; dir. gén. = directeur général; dir. = directeur;
  gén., gal, gal. = général; adj. = adjoint; resp. = responsable; suppl. = supplément; Cie = compagnie; St- = Saint-;
  Ste- = Sainte-; trim. = trimestre; arr. = arrondissement; moy. = moyenne; loc. = localement; temp. = températures;
  vig. = vigilance; int. = interdit; tlj, t.l.j. = tous les jours; sf = sauf; n°, nº = numéro; s.p. = sur penalty;
  c.s.c., csc = contre son camp; a.p. = après prolongation; t.a.b. = tirs au but; janv. = janvier;
  févr., fév. = février; juil. = juillet; sept. = septembre; oct. = octobre; nov. = novembre; déc. = décembre;
  apr., ap. = après; prov. = province; appt, appt. = appartement; fg = faubourg; rte, rte. = route; chem., ch. = chemin;
  univ. = université; préf. = préfecture; secr. = secrétaire; prés., pdt = président; vice-prés. = vice-président;
  sén. = sénateur; circ. = circonscription; cant. = canton; cons. = conseiller; rég. = région; nat. = national;
  soc., sté = société; assoc. = association; synd. = syndicat; féd. = fédération; inst. = institut; hôp. = hôpital;
  coll. = collection; trad. = traduction; réal. = réalisation; rdv, RDV = rendez-vous; vs, vs. = contre;
  approx. = approximativement; excl. = exclu; incl. = inclus; internat. = international; Ø = diamètre;
  lieut. = lieutenant; dispo. = disponible; gouv. = gouvernement; adm., admin. = administration; cat. = catégorie;
  altit., alt. = altitude; vit. = vitesse; prof. = professeur; qté = quantité; suiv. = suivant; préc. = précédent;
  quot. = quotidien; hebdo. = hebdomadaire; mens. = mensuel; TTC = toutes taxes comprises; HT = hors taxes;
  Gén. = Générale; min. de = ministère de; pdte = présidente; Rép. = République; rép. = république;
  proc. rép. = procureur de la République; proc. gén. = procureur général; proc. = procureur; de prof. = de profondeur;
  min. des = ministère des; min. du = ministère du; ens. = ensemble; écon., éco. = économie; coop. = coopérative;
  S. M. = Sa Majesté; S. A. R. = Son Altesse Royale; S. A. S. = Son Altesse Sérénissime; S. E. = Son Excellence;
  comm. = commune; bibl. = bibliothèque; ouv. = ouverture; cts = centimes; bcp = beaucoup; qq., qqs = quelques;
  Cass. crim. = Cassation criminelle; Cass. civ. = Cassation civile; Cass. soc. = Cassation sociale;
  Cass. = Cassation; C. civ. = Code civil; C. pén. = Code pénal; C. trav. = Code du travail; Jr., Jr = junior; Ltée = limitée; Ltd = limited; hist. = histoire; rés., résa. = réservations; inscr. = inscriptions
`);

const numbered = parseTable(`
  n°, nᵒ, nº, no = numéro; nᵒˢ, n°s, nos = numéros; N° = Numéro; p. = page; pp. = pages; arts. = articles; chap. = chapitre;
  lun. = lundi; mar. = mardi; mer. = mercredi; jeu. = jeudi; ven. = vendredi; sam. = samedi; dim. = dimanche;
  vol. = volume; fig. = figure; al. = alinéa; RN = R.N; op. = opus; PK = point kilométrique; réf. = référence;
  ann. = annexe; dépt = département; t. = tome; rte = route; km = kilomètre; cat. = catégorie; ép. = épisode; liv. = livre;
  par. = paragraphe; sect. = section; rééd. = réédition
`);

const titles = parseTable(`
  M. = Monsieur; MM. = Messieurs; Mme, Mᵐᵉ = Madame; Mmes, Mᵐᵉˢ = Mesdames; Mlle, Mˡˡᵉ = Mademoiselle;
  Mlles = Mesdemoiselles; Dʳ, Dr., Dr = Docteur; Pʳ, Pr., Pr, Prof. = Professeur; Mᵉ, Me = Maître;
  Mᵍʳ, Mgr = Monseigneur; Gal, Gén. = Général; Cdt, Cdt. = Commandant; Cne, Cap. = Capitaine; Lt = Lieutenant;
  St = Saint; Ste = Sainte; av. = avenue; Col. = Colonel; Lt-col. = lieutenant-colonel; Maj. = Major; col. = colonel;
  cap. = capitaine; cdt = commandant; lt = lieutenant; gén. = général; amb. = ambassadeur; Adj. = Adjudant;
  Insp. = Inspecteur
`);

const pronounced = wordSet(`
  ONU ENA CAC COP SUD AXA INA CAF PAC RIB ZAD ZAC ZEP RIC DOM TOM FIV PEL LEP BIC FED CAN VAR SIM PIN BUT MAX UEMOA
  CNES CNIL CNAM CROUS SNES UNRWA PSOE KFOR LE LA LES UN UNE DES DU DE ET EN AU AUX QUI QUE EST PAS NON OUI SUR
`);
const spelled = new Set(
  'SARL CJUE CEDH FCFA OCDE AIEA RATP CFDT HTTP ANPE RTBF EELV GIGN CHRU AESH UIMM OSCE SDIS LGBTQ LGBTQIA'.split(' '),
);
export const sentenceStarters = wordSet(`
  le la les l un une des du de il elle ils elles on nous vous je tu ce cet cette ces cela ça c en au aux à dans par pour
  sur avec sans sous chez mais et ou donc or ni car si quand lorsque comme puis ensuite après avant depuis pendant selon
  malgré ainsi alors aussi aujourd hier demain enfin pourtant cependant toutefois plus moins tout tous toutes son sa ses
  leur leurs notre nos mon ma mes qui que quel quelle où pourquoi comment ici là voici voilà ne pas
`);

export const signs = parseTable(`
  & = et; + = plus; = = égale; @ = arobase; % = pour cent; ‰ = pour mille; $ = dollar; € = euro; £ = livre; ¥ = yen;
  ° = degrés; § = paragraphe; × = fois; ÷ = divisé par; ± = plus ou moins; ≈, ~ = environ; < = inférieur à;
  > = supérieur à; → = vers; / = slash; \\ = antislash; # = dièse; ^ = puissance; ≥ = supérieur ou égal à;
  ≤ = inférieur ou égal à; ≠ = différent de
`);

export const abbreviations = { general, titles, numbered };
export const acronyms = { pronounced, spelled };
