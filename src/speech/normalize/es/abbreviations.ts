import { parseTable } from '../language.ts';

export const generalAbbreviations: Readonly<Record<string, string>> = {
  ...parseTable(`
  EE. UU. = Estados Unidos; EE UU = Estados Unidos; EEUU = Estados Unidos; CC. OO. = Comisiones Obreras;
  CC OO = Comisiones Obreras; CCOO = Comisiones Obreras; JJ. OO. = Juegos Olímpicos; RR. HH. = Recursos Humanos;
  FF. AA. = Fuerzas Armadas; p. ej. = por ejemplo; a. C. = antes de Cristo; d. C. = después de Cristo; a. m. = A.M;
  p. m. = P.M; D. Ley = Decreto Ley; sept. = septiembre; prof. = profundidad; ctra. = carretera;
  ARNm = A.R.N mensajero; mill. = millones; etc. = etcétera; aprox. = aproximadamente; Ud. = usted; Uds. = ustedes;
  Vd. = usted; Vds. = ustedes; tel. = teléfono; tfno. = teléfono; máx. = máximo; mín. = mínimo; Cía. = compañía;
  avda. = avenida; dpto. = departamento; depto. = departamento; admón. = administración; Fdez. = Fernández;
  Hdez. = Hernández; Glez. = González; Gzlez. = González; Rguez. = Rodríguez; Mtnez. = Martínez; Mtz. = Martínez;
  Sr. y Sra. = señor y señora; y/o = y o; Av. de = avenida de; Av. del = avenida del;
  CC. AA. = comunidades autónomas; FF. CC. = ferrocarriles; Edo. = Estado; Pza. = plaza; Plza. = plaza; M.ª = María;
  Mª = María; pte. = presidente; pdte. = presidente; Ldo. = licenciado; Urb. = urbanización; Edif. = edificio;
  izq. = izquierda; dcha. = derecha; Excmo. = excelentísimo; Excma. = excelentísima; Ilmo. = ilustrísimo;
  Ilma. = ilustrísima; hab. = habitantes; S. A. = S.A; S. L. = S.L; trim. = trimestre; acc. = acción;
  ej. = ejercicio; Est. = Estado; Aud. = Audiencia; Secc. = Sección; secc. = sección; Trib. = Tribunal;
  Dir. = director; Subdir. = subdirector; Pº = paseo; P.º = paseo; Pso. = paseo; izda. = izquierda; tlf. = teléfono;
  telf. = teléfono; ed. = edición; med. = medio; mag. = magnitud; s. n. m. = sobre el nivel del mar; entr. = entrada;
  oct. = octubre; nov. = noviembre; dic. = diciembre; ene. = enero; feb. = febrero; abr. = abril; jun. = junio;
  jul. = julio; ago. = agosto; p.p. = puntos porcentuales; Máx. de = máximas de; máx. de = máximas de;
  Mín. de = mínimas de; mín. de = mínimas de; prov. = provincia; mun. = municipio; Ayto. = Ayuntamiento;
  Univ. = Universidad; Hosp. = hospital; Hnos. = hermanos; vicepdte. = vicepresidente; Rep. = República;
  Nac. = Nacional; Int. = Internacional; cta. = cuenta; dto. = descuento; incl. = incluido; ref. = referencia;
  s/n = sin número; sig. = siguiente; vda. = viuda; ext. = extensión; dtor. = director; dtora. = directora;
  subsec. = subsecretario; exp. = expediente; expte. = expediente; disp. = disposición; jdo. = juzgado;
  Gob. = Gobierno; Gral. = general; crta. = carretera; pol. = polígono; urb. = urbanización; pl. = plaza;
  seg. = segundos; dcho. = derecho; col. = colonia; coord. = coordinador; Sdad. = sociedad;
  pto. = punto; ptos. = puntos; info. = información; temp. de = temperatura de; av. = avenida; sem. = semestre; c/u = cada uno;
  vs. = contra; vs = contra; Fund. = Fundación; Inst. = Instituto; Com. de = Comisión de; Min. de = Ministerio de;
  Ej. de = Ejército de; disp. adic. = disposición adicional; disp. trans. = disposición transitoria;
  adic. = adicional; Ltda. = limitada; Asoc. = Asociación; Fed. = Federación; Conf. = Confederación; Gpo. = Grupo;
  Dpto. = departamento; Deleg. = Delegación; Consej. = Consejería; Comis. = comisario; S. A. S. = S.A.S;
  A. C. = A.C; S. A. B. = S.A.B; C. V. = C.V; S. A. U. = S.A.U; Cdad. = Ciudad; Col. = colonia; Mpio. = municipio;
  Pdta. = presidenta; pdta. = presidenta; exdir. = exdirector; gob. = gobernador; sen. = senador; dip. = diputado;
  conc. = concejal; cap. fed. = capital federal; Proc. = Procuraduría; gral. = general; kg. = kilogramos
`),
  'c/': 'calle',
  Ø: 'diámetro',
};

export const numberAbbreviations = parseTable(`
  n.º = número; n.° = número; nº = número; n° = número; Nº = Número; núm. = número; pág. = página; págs. = páginas;
  p. = página; pp. = páginas; art. = artículo; arts. = artículos; cap. = capítulo; vol. = volumen; fig. = figura;
  km. = kilómetro; kms. = kilómetros; ap. = apartado; op. = opus; pk = punto kilométrico; PK = punto kilométrico;
  p.k. = punto kilométrico; km = kilómetro; apdo. = apartado; inc. = inciso; párr. = párrafo; lun. = lunes;
  mar. = martes; mié. = miércoles; jue. = jueves; vie. = viernes; sáb. = sábado; dom. = domingo; temp. = temporada;
  núms. = números; nro. = número; nros. = números; No. = número; lit. = letra; t. = tomo; ed. = edición;
  kms = kilómetros; ptos. = puntos; hab. = habitación; exp. = expediente; secc. = sección; disp. = disposición;
  dir. = dirección; tel. = teléfono; min. = minuto; min = minuto; m. = minuto; frac. = fracción; p. k. = punto kilométrico;
  Res. = resolución; Dto. = decreto; transit. = transitorio; parág. = parágrafo; cláus. = cláusula
`);

export const titleAbbreviations = parseTable(`
  Sr. = señor; Sra. = señora; Srta. = señorita; Sres. = señores; Sras. = señoras; Dr. = doctor; Dra. = doctora;
  Dres. = doctores; D. = don; D.ª = doña; Dª = doña; Arq. = arquitecto; Cnel. = coronel; Cap. = capitán;
  Tte. = teniente; Pdta. = presidenta; Gob. = gobernador; Dip. = diputado; Sen. = senador; Dña. = doña;
  Prof. = profesor; Profa. = profesora; Lic. = licenciado; Ing. = ingeniero; Gral. = general; Sto. = Santo;
  Sta. = Santa; Av. = avenida; Avda. = avenida; Mons. = monseñor; Cdte. = comandante; Sgto. = sargento;
  Alm. = almirante; Pte. = presidente; Pdte. = presidente; Min. = ministro; Emb. = embajador; Magdo. = magistrado;
  Hna. = hermana; Hno. = hermano; Pbro. = presbítero
`);

export const pronouncedAcronyms = new Set(
  'ONU IVA AVE ETA COP VOX PIB ESO ERE OEA EL LA LOS LAS UN UNA DE DEL EN AL QUE CON POR NO SÍ ES SU SE'.split(' '),
);
export const spelledAcronyms = new Set('RTVE BBVA OCDE UGT LGTBI LGTB HTTP CNMV CNMC CEOE'.split(' '));
export const sentenceStarters = new Set(
  (
    'el la los las lo un una unos unas de del en al a con sin por para según tras desde hasta entre sobre ante bajo y o pero ' +
    'aunque si cuando como donde mientras porque pues además así también tampoco luego después antes entonces ahora hoy ' +
    'ayer mañana él ella ellos ellas yo tú nosotros usted ustedes este esta estos estas ese esa esos esas eso esto aquel ' +
    'su sus mi mis se no sí ya más menos muy todo todos toda todas qué quién cómo dónde cuándo hay fue es son era'
  ).split(' '),
);

export const signNames = parseTable(`
  & = y; + = más; = = igual a; @ = arroba; % = por ciento; ‰ = por mil; $ = dólar; € = euro; £ = libra; ¥ = yen;
  ° = grados; § = párrafo; × = por; ÷ = dividido entre; ± = más menos; ≈ = aproximadamente; < = menor que;
  > = mayor que; → = a; / = barra; \\ = barra invertida; # = número; ~ = aproximadamente; ^ = elevado a; ≥ = mayor o igual que; ≤ = menor o igual que; ≠ = distinto de
`);
