import { parseTable, wordSet } from '../language.ts';

const general = {
  ...parseTable(`
    EE. UU., EE UU, EEUU = Estados Unidos; CC. OO., CC OO, CCOO = Comisiones Obreras; JJ. OO., JJ OO, JJOO = Juegos Olímpicos;
    RR. HH. = Recursos Humanos; FF. AA. = Fuerzas Armadas; p. ej. = por ejemplo; a. C. = antes de Cristo;
    d. C. = después de Cristo; D. C. = D.C; a. m. = A.M; p. m. = P.M; D. Ley = Decreto Ley; sept. = septiembre; prof. = profundidad;
    S. M. = Su Majestad; SS. MM. = Sus Majestades; S. A. R. = Su Alteza Real; SS. AA. RR. = Sus Altezas Reales;
    S. E. = Su Excelencia; S. S. = Su Santidad; vid. = véase; cf., cfr. = confróntese; Atco. = Atlético;
    Sr. = señor; Sra. = señora; Srta. = señorita; Sres. = señores; Sras. = señoras;
    ctra., crta. = carretera; Cd. de = Ciudad de; Cra. = carrera; Cll. = calle; Jrs. = Juniors; ARNm = A.R.N mensajero; mill. = millones; etc. = etcétera; aprox. = aproximadamente;
    Ud., Vd. = usted; Uds., Vds. = ustedes; tel., tfno., tlf., telf. = teléfono; máx. = máximo; mín. = mínimo;
    Cía. = compañía; avda., av. = avenida; dpto., depto., Dpto. = departamento; admón. = administración;
    Fdez. = Fernández; Hdez. = Hernández; Glez., Gzlez. = González; Rguez. = Rodríguez; Mtnez., Mtz. = Martínez;
    Sr. y Sra. = señor y señora; y/o = y o; Av. de = avenida de; Av. del = avenida del; CC. AA. = comunidades autónomas;
    FF. CC. = ferrocarriles; Edo., Est. = Estado; Pza., Plza., pza., plza., pl. = plaza; M.ª, Mª = María; pte., pdte. = presidente;
    Ldo. = licenciado; Urb., urb. = urbanización; Edif. = edificio; izq., izda. = izquierda; dcha. = derecha;
    Excmo. = excelentísimo; Excma. = excelentísima; Ilmo. = ilustrísimo; Ilma. = ilustrísima; hab. = habitantes;
    S. A. = S.A; S. L. = S.L; trim. = trimestre; acc. = acción; ej. = ejercicio; Aud. = Audiencia; Secc. = Sección;
    secc. = sección; Trib. = Tribunal; Dir., dtor. = director; Subdir. = subdirector; Pº, P.º, Pso. = paseo;
    ed. = edición; med. = medio; mag. = magnitud; s. n. m. = sobre el nivel del mar; entr. = entrada; oct. = octubre;
    nov. = noviembre; dic. = diciembre; ene. = enero; feb. = febrero; abr. = abril; jun. = junio; jul. = julio;
    ago. = agosto; p.p. = puntos porcentuales; Máx. de, máx. de = máximas de; Mín. de, mín. de = mínimas de;
    prov. = provincia; mun., Mpio. = municipio; Ayto. = Ayuntamiento; Univ. = Universidad; Hosp. = hospital;
    Hnos. = hermanos; vicepdte. = vicepresidente; vicepta. = vicepresidenta; Nal. = Nacional; Rep. = República; Nac. = Nacional; Int. = Internacional;
    cta. = cuenta; dto. = descuento; incl. = incluido; ref. = referencia; s/n = sin número; sig. = siguiente;
    vda. = viuda; ext. = extensión; dtora. = directora; subsec. = subsecretario; exp., expte. = expediente;
    disp. = disposición; jdo. = juzgado; Gob. = Gobierno; Gral., gral. = general; pol. = polígono; seg. = segundos;
    dcho. = derecho; col., Col. = colonia; coord. = coordinador; Sdad. = sociedad; pto. = punto; ptos. = puntos;
    m/m = mensual; t/t = trimestral; Fco. = Francisco; Inf., inf. = información; info. = información; temp. de = temperatura de; sem. = semestre; c/u = cada uno; a/a, i.a. = interanual; ptas., ptas = pesetas; pta. = peseta;
    Bs. As. = Buenos Aires; R. D. del = República Democrática del; R. Dom. = República Dominicana; R. U. = Reino Unido; C. Valenciana = Comunidad Valenciana; C. de Madrid = Comunidad de Madrid; C. Autónoma = Comunidad Autónoma; vs., vs = contra; Fund. = Fundación; Inst. = Instituto; Com. de = Comisión de;
    Min. de = Ministerio de; Ej. de = Ejército de; disp. adic. = disposición adicional;
    disp. trans. = disposición transitoria; adic. = adicional; Ltda. = limitada; Asoc. = Asociación; Fed. = Federación;
    Conf. = Confederación; Gpo. = Grupo; Deleg. = Delegación; Consej. = Consejería; Comis. = comisario;
    S. A. S. = S.A.S; A. C. = A.C; S. A. B. = S.A.B; C. V. = C.V; S. A. U. = S.A.U; Cdad. = Ciudad;
    Pdta., pdta. = presidenta; exdir. = exdirector; gob. = gobernador; sen. = senador; dip. = diputado;
    Jr., Jr = júnior; Nte. = Norte; conc. = concejal; cap. fed. = capital federal; Proc. = Procuraduría; kg. = kilogramos
  `),
  'c/': 'calle',
  Ø: 'diámetro',
};

const numbered = parseTable(`
  h. = hacia;  n.º, n.°, nº, n°, núm., nro., No. = número; Nº = Número; pág., p. = página; págs., pp. = páginas; art. = artículo;
  arts. = artículos; cap. = capítulo; vol. = volumen; fig. = figura; km., km = kilómetro; kms., kms = kilómetros;
  ap., apdo. = apartado; op. = opus; pk, PK, p.k., p. k. = punto kilométrico; inc. = inciso; párr. = párrafo;
  lun. = lunes; mar. = martes; mié. = miércoles; jue. = jueves; vie. = viernes; sáb. = sábado; dom. = domingo;
  temp. = temporada; Rec., rec. = recurso; n.os, n.ᵒˢ, núms., nros. = números; lit. = letra; t. = tomo; ed. = edición; ptos. = puntos; hab. = habitación;
  exp. = expediente; secc. = sección; disp. = disposición; dir. = dirección; tel. = teléfono; min., min, m. = minuto;
  frac. = fracción; Res. = resolución; Dto. = decreto; transit. = transitorio; parág. = parágrafo; cláus. = cláusula
`);

const titles = parseTable(`
  Sr = señor; Sra = señora; Dr., Dr, dr. = doctor; Dra., Dra, dra. = doctora; prof. = profesor; profa. = profesora;
  Prof.ª, Prof.a, prof.ª = profesora; Fr., fr. = fray; Dres. = doctores; D. = don; D.ª, Dª, Dña. = doña; Arq. = arquitecto; Cnel. = coronel; Cap. = capitán; Tte. = teniente;
  Pdta. = presidenta; Gob. = gobernador; Dip. = diputado; Sen. = senador; Prof. = profesor; Profa. = profesora;
  Lic. = licenciado; Mtro. = maestro; Mtra. = maestra; Ing. = ingeniero; Gral. = general; Sto. = Santo; Sta. = Santa; Av., Avda. = avenida;
  Mons. = monseñor; Cdte. = comandante; Sgto. = sargento; Alm. = almirante; Pte., Pdte. = presidente; Min. = ministro;
  Emb. = embajador; Magdo. = magistrado; Hna. = hermana; Hno. = hermano; Pbro. = presbítero
`);

const pronounced = wordSet(`
  ONU IVA AVE ETA COP VOX PIB ESO ERE OEA USA SER VAR PAN PRI CUP NIE NIF CIF MIR GEO UME EFE OCU CIA
  RAM ROM IRA DEA ICO ELA PAC TAC TAS RAE COI VIP BID CAF JEP PRO SAT MAX INE BOE CIS EPA UCO FIA FAO ESA PIN
  EL LA LOS LAS UN UNA DE DEL EN AL QUE CON POR NO SÍ ES SU SE
`);
const spelled = new Set('RTVE BBVA OCDE UGT LGTBI LGTB HTTP CNMV CNMC CEOE'.split(' '));
export const sentenceStarters = wordSet(`
  el la los las lo un una unos unas de del en al a con sin por para según tras desde hasta entre sobre ante bajo y o
  pero aunque si cuando como donde mientras porque pues además así también tampoco luego después antes entonces ahora
  hoy ayer mañana él ella ellos ellas yo tú nosotros usted ustedes este esta estos estas ese esa esos esas eso esto
  aquel su sus mi mis se no sí ya más menos muy todo todos toda todas qué quién cómo dónde cuándo hay fue es son era
`);

export const signs = parseTable(`
  & = y; + = más; = = igual a; @ = arroba; % = por ciento; ‰ = por mil; $ = dólar; € = euro; £ = libra; ¥ = yen;
  ° = grados; § = párrafo; × = por; ÷ = dividido entre; ± = más menos; ≈, ~ = aproximadamente; < = menor que;
  > = mayor que; → = a; / = barra; \\ = barra invertida; # = número; ^ = elevado a; ≥ = mayor o igual que;
  ≤ = menor o igual que; ≠ = distinto de
`);

export const abbreviations = { general, titles, numbered };
export const acronyms = { pronounced, spelled };
