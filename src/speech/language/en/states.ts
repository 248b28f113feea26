/** States by their two postal letters. */
export const POSTAL_STATES: Readonly<Record<string, string>> = tableOf(
  'AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,FL Florida,' +
    'GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,' +
    'MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,' +
    'NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,' +
    'OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,' +
    'UT Utah,VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,DC D.C',
);

/** States as the Associated Press shortens them, without the full stop; no other words look like these. */
export const SHORTENED_STATES: Readonly<Record<string, string>> = tableOf(
  'Ala Alabama,Ariz Arizona,Calif California,Colo Colorado,Conn Connecticut,Fla Florida,Ky Kentucky,Mich Michigan,' +
    'Minn Minnesota,Neb Nebraska,Nev Nevada,Okla Oklahoma,Penn Pennsylvania,Tenn Tennessee,Tex Texas,Wis Wisconsin,' +
    'W.Va West Virginia,Wyo Wyoming',
);

/** The others, which may be words, names or initials too. */
export const AMBIGUOUS_STATES: Readonly<Record<string, string>> = tableOf(
  'Ark Arkansas,Del Delaware,Ga Georgia,Ill Illinois,Ind Indiana,Kan Kansas,La Louisiana,Mass Massachusetts,' +
    'Md Maryland,Miss Mississippi,Mo Missouri,Mont Montana,N.C North Carolina,N.D North Dakota,N.H New Hampshire,' +
    'N.J New Jersey,N.M New Mexico,N.Y New York,Ore Oregon,Pa Pennsylvania,R.I Rhode Island,S.C South Carolina,' +
    'S.D South Dakota,Va Virginia,Vt Vermont,Wash Washington',
);

function tableOf(entries: string): Record<string, string> {
  return Object.fromEntries(
    entries.split(',').map((entry) => {
      const gap = entry.indexOf(' ');
      return [entry.slice(0, gap), entry.slice(gap + 1)];
    }),
  );
}
