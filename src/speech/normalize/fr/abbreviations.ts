import { parseTable } from '../language.ts';

export const generalAbbreviations = parseTable(`
  p. ex. = par exemple; c.-à-d. = c'est-à-dire; av. J.-C. = avant Jésus-Christ; apr. J.-C. = après Jésus-Christ;
  ap. J.-C. = après Jésus-Christ; J.-C. = Jésus-Christ; etc. = et cetera; env. = environ; cf. = confer;
  tél. = téléphone; hab. = habitants; dép. = département; éd. = édition; ét. = étage; M. et Mme = Monsieur et Madame; M. le = Monsieur le; M. la = Monsieur la; M. l' = Monsieur l';
  Mme la = Madame la; Mme le = Madame le; Mme l' = Madame l'; et/ou = et ou; av. de = avenue de; av. du = avenue du; av. des = avenue des; max. = maximum;
  bd = boulevard; ARNm = A.R.N messager; rens. = renseignements; pl. = place; bât. = bâtiment; Sté = Société; Ets = Établissements; ex. = exemple; dir. gén. = directeur général;
  dir. = directeur; gén. = général; adj. = adjoint; resp. = responsable; sem. = semaine; suppl. = supplément; Cie = compagnie; St- = Saint-; Ste- = Sainte-
`);

export const numberAbbreviations = parseTable(`
  n° = numéro; nᵒ = numéro; nᵒˢ = numéros; nº = numéro; N° = Numéro; no = numéro; nos = numéros; p. = page; pp. = pages; art. = article;
  chap. = chapitre; lun. = lundi; mar. = mardi; mer. = mercredi; jeu. = jeudi; ven. = vendredi; sam. = samedi; dim. = dimanche; vol. = volume; fig. = figure; al. = alinéa; RN = R.N; op. = opus; PK = point kilométrique; réf. = référence; ann. = annexe; dépt = département
`);

export const titleAbbreviations = parseTable(`
  M. = Monsieur; MM. = Messieurs; Mme = Madame; Mmes = Mesdames; Mlle = Mademoiselle; Mlles = Mesdemoiselles;
  Mᵐᵉ = Madame; Mᵐᵉˢ = Mesdames; Mˡˡᵉ = Mademoiselle; Dʳ = Docteur; Pʳ = Professeur; Mᵉ = Maître; Mᵍʳ = Monseigneur;
  Dr. = Docteur; Pr. = Professeur; Dr = Docteur; Pr = Professeur; Me = Maître; Mgr = Monseigneur; Gal = Général; Gén. = Général; Cdt = Commandant; Cne = Capitaine; Lt = Lieutenant; St = Saint; Ste = Sainte; av. = avenue
`);

export const pronouncedAcronyms = new Set(
  'ONU ENA CAC COP SUD LE LA LES UN UNE DES DU DE ET EN AU AUX QUI QUE EST PAS NON OUI SUR'.split(' '),
);
export const spelledAcronyms = new Set('SARL CJUE CEDH FCFA OCDE AIEA RATP CFDT UMP INA HTTP ANPE RTBF'.split(' '));
export const sentenceStarters = new Set(
  (
    'le la les l un une des du de il elle ils elles on nous vous je tu ce cet cette ces cela ça c en au aux à dans par pour ' +
    'sur avec sans sous chez mais et ou donc or ni car si quand lorsque comme puis ensuite après avant depuis pendant ' +
    'selon malgré ainsi alors aussi aujourd hier demain enfin pourtant cependant toutefois plus moins tout tous toutes ' +
    'son sa ses leur leurs notre nos mon ma mes qui que quel quelle où pourquoi comment ici là voici voilà ne pas'
  ).split(' '),
);

export const signNames = parseTable(`
  & = et; + = plus; = = égale; @ = arobase; % = pour cent; ‰ = pour mille; $ = dollar; € = euro; £ = livre; ¥ = yen;
  ° = degrés; § = paragraphe; × = fois; ÷ = divisé par; ± = plus ou moins; ≈ = environ; < = inférieur à;
  > = supérieur à; → = vers; / = slash; \\ = antislash; # = dièse; ~ = environ
`);
