/** What a player may show about the file. */
export interface Tags {
  readonly title?: string;
  readonly artist?: string;
  /** ISO 639-1 (`en`), also with a region (`en-US`, `en_US`). */
  readonly language?: string;
  /** Where the article stands; absolute. Left out if it is no URL. */
  readonly url?: string;
  /** The program that made it. */
  readonly madeWith?: string;
  /** When; ISO 8601 in UTC. */
  readonly madeAt?: string;
  /** What else there is to say, by name: printable ASCII. */
  readonly facts?: Readonly<Record<string, string>>;
}

const HEADER_BYTES = 10;
const UTF8 = 3;

/**
 * Writes an ID3v2.4 tag: TIT2, TPE1, TLAN, WOAS, TSSE, TDRC with TDEN, and a TXXX for each fact, as far as they are known.
 * @returns nothing (no bytes) when no tag is given
 */
export function id3Tag(tags: Tags): Uint8Array {
  const frames: Uint8Array[] = [];
  if (tags.title) frames.push(textFrame('TIT2', tags.title));
  if (tags.artist) frames.push(textFrame('TPE1', tags.artist));
  const language = tags.language && iso639_2(tags.language);
  if (language) frames.push(textFrame('TLAN', language));
  // A parsed URL is plain ASCII, as the tag demands: hosts in Punycode, the rest percent-encoded.
  const url = tags.url && URL.parse(tags.url)?.href;
  if (url) frames.push(frame('WOAS', Buffer.from(url, 'latin1')));
  if (tags.madeWith) frames.push(textFrame('TSSE', tags.madeWith));
  // As ID3 writes times: in whole seconds, without a zone.
  const madeAt = tags.madeAt?.slice(0, 19);
  if (madeAt) frames.push(textFrame('TDRC', madeAt), textFrame('TDEN', madeAt));
  for (const [name, value] of Object.entries(tags.facts ?? {})) {
    frames.push(frame('TXXX', Buffer.concat([textOf(name), Buffer.from([0]), lineOf(value)])));
  }
  if (frames.length === 0) return new Uint8Array(0);

  const body = Buffer.concat(frames);
  const header = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0]);
  writeSynchsafe(header, 6, body.length);
  return Buffer.concat([header, body]);
}

function textFrame(id: string, text: string): Uint8Array {
  return frame(id, textOf(text));
}

function textOf(text: string): Uint8Array {
  return Buffer.concat([Buffer.from([UTF8]), lineOf(text)]);
}

/** A NUL would part one value from the next. */
function lineOf(text: string): Uint8Array {
  return Buffer.from(text.replace(/\p{Cc}+/gu, ' ').trim(), 'utf8');
}

function frame(id: string, content: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(HEADER_BYTES + content.length);
  bytes.write(id, 0, 'latin1');
  writeSynchsafe(bytes, 4, content.length);
  bytes.set(content, HEADER_BYTES);
  return bytes;
}

/** Seven bits to a byte, so that no length looks like the start of a frame of sound. */
function writeSynchsafe(bytes: Uint8Array, offset: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[offset + i] = (value >> (7 * (3 - i))) & 0x7f;
}

/**
 * @param tag ISO 639-1, with or without a region
 * @returns the terminological ISO 639-2 code, `undefined` if there is none
 */
export function iso639_2(tag: string): string | undefined {
  const [language = ''] = tag.toLowerCase().split(/[-_]/);
  if (language.length === 3) return language;
  if (language.length !== 2) return undefined;
  const at = ISO_639.indexOf(` ${language}:`);
  return at < 0 ? undefined : ISO_639.slice(at + 4, at + 7);
}

/** ISO 639-1 with its 639-2/T code. */
const ISO_639 =
  ' aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak' +
  ' be:bel bg:bul bi:bis bm:bam bn:ben bo:bod br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre' +
  ' cs:ces cu:chu cv:chv cy:cym da:dan de:deu dv:div dz:dzo ee:ewe el:ell en:eng eo:epo es:spa' +
  ' et:est eu:eus fa:fas ff:ful fi:fin fj:fij fo:fao fr:fra fy:fry ga:gle gd:gla gl:glg gn:grn' +
  ' gu:guj gv:glv ha:hau he:heb hi:hin ho:hmo hr:hrv ht:hat hu:hun hy:hye hz:her ia:ina id:ind' +
  ' ie:ile ig:ibo ii:iii ik:ipk io:ido is:isl it:ita iu:iku ja:jpn jv:jav ka:kat kg:kon ki:kik' +
  ' kj:kua kk:kaz kl:kal km:khm kn:kan ko:kor kr:kau ks:kas ku:kur kv:kom kw:cor ky:kir la:lat' +
  ' lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lu:lub lv:lav mg:mlg mh:mah mi:mri mk:mkd ml:mal' +
  ' mn:mon mr:mar ms:msa mt:mlt my:mya na:nau nb:nob nd:nde ne:nep ng:ndo nl:nld nn:nno no:nor' +
  ' nr:nbl nv:nav ny:nya oc:oci oj:oji om:orm or:ori os:oss pa:pan pi:pli pl:pol ps:pus pt:por' +
  ' qu:que rm:roh rn:run ro:ron ru:rus rw:kin sa:san sc:srd sd:snd se:sme sg:sag si:sin sk:slk' +
  ' sl:slv sm:smo sn:sna so:som sq:sqi sr:srp ss:ssw st:sot su:sun sv:swe sw:swa ta:tam te:tel' +
  ' tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn to:ton tr:tur ts:tso tt:tat tw:twi ty:tah ug:uig' +
  ' uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho yi:yid yo:yor za:zha zh:zho' +
  ' zu:zul ';
