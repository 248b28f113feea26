import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toSoundSymbols } from '../../src/speech/pronunciation/inline-phonemes.ts';
import { createReplacer } from '../../src/speech/pronunciation/replacer.ts';
import { isRespelling, phonemizeRespelling } from '../../src/speech/pronunciation/respelling.ts';
import { parseVoiceConfig } from '../../src/speech/synthesize/voice-config.ts';
import aspen from '../../voices/en_US-aspen-medium.onnx.json';

const aspenVoice = parseVoiceConfig(JSON.stringify(aspen));
const names = readFileSync(join(import.meta.dir, '../../src/speech/pronunciation/en/names.tsv'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t') as [string, string]);

const replace = createReplacer([], 'en');

/** @returns the pronunciations of the words of a text that have an entry */
function listRespellings(text: string): string[] {
  return replace(text).replacements.flatMap(({ sounds }) => sounds.map(({ respelling }) => respelling ?? ''));
}

describe('a respelling', () => {
  test.each([
    ['zeh-LEN-skee', 'zɛlˈɛnski'],
    ['KAH-kor-tok', 'kˈɑːkoːɹtɑːk'],
    ['bay-JING', 'beɪdʒˈɪŋ'],
    ['frahn-SWAH', 'fɹɑːnswˈɑː'],
    ['BYURN', 'bjˈɜːn'],
    ['SHAHMP-zay', 'ʃˈɑːmpzeɪ'],
    ['m-BAH-bahn', 'mbˈɑːbɑːn'],
    ['SHIN-JYAHNG', 'ʃˌɪndʒjˈɑːŋ'],
    ['chek-KON', 'tʃɛkˈɑːn'],
    ['rahd-JAH-bof', 'ɹɑːdʒˈɑːbɑːf'],
  ])('%p is %p in American English', (respelling, phonemes) => {
    expect(phonemizeRespelling(respelling, 'us')).toBe(phonemes);
  });

  test('has British vowels and no r before a consonant in British English', () => {
    expect(phonemizeRespelling('KAH-kor-tok', 'gb')).toBe('kˈɑːkɔːtɒk');
    expect(phonemizeRespelling('ROH-ver', 'gb')).toBe('ɹˈəʊvə');
    expect(phonemizeRespelling('MAIR-ee', 'gb')).toBe('mˈeəɹi');
  });

  test.each(['qXq', 'zlb-KR', 'e-MAIL', 'Zeh-len'])('%p cannot be read', (text) => {
    expect(phonemizeRespelling(text, 'us')).toBeUndefined();
  });

  test('is distinguished from other words with hyphens', () => {
    expect(['KAH-kor-tok', 'yah-NOO-koh-vitch'].map(isRespelling)).toEqual([true, true]);
    expect(['CD-ROM', 'hands-on', 'Coca-Cola', 'NATO', 'word'].map(isRespelling)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('the CMU dictionary', () => {
  test('has the main stress of a word that has another after it', () => {
    expect(listRespellings('Dimeglio met Fichtel.')).toEqual(['dih-MEHG-lee-oh', 'FIHCH-tehl']);
  });

  test('has names with Mc', () => {
    expect(listRespellings('McChesney and McCaffery left.')).toEqual(['muhk-CHEHZ-nee', 'muh-KAF-ree']);
  });

  test('has names of which espeak-ng misses only the stress or the stressed vowel', () => {
    expect(listRespellings('Rudy Pfeifer and Tabitha Murray left.')).toEqual([
      'ROO-dee',
      'FY-fer',
      'TAB-ih-thuh',
      'MER-ee',
    ]);
  });

  test('has another stress for British voices where they have one', () => {
    expect(replace('Kathleen left.').replacements[0]?.sounds[0]).toMatchObject({
      respelling: 'kath-LEEN',
      britishRespelling: 'KATH-leen',
    });
  });

  test('gives way to the rules of an origin that the name beside it shares', () => {
    expect(replace('Sabir left.').replacements.map(({ source }) => source)).toEqual(['cmudict']);
    expect(replace('Muhammad Sabir left.').replacements.at(-1)).toMatchObject({ source: 'origin', origin: 'Arabic' });
  });

  test('contains capitalized words that no other source has, without their possessive', () => {
    const { replacements } = replace("Armijo met Whigham's aide in Kyiv; an armijo is no name, and O'Whigham another.");
    expect(replacements.map(({ source, sounds }) => [source, sounds[0]?.respelling])).toEqual([
      ['cmudict', 'ar-MEE-yoh'],
      ['cmudict', 'WIHG-uhm'],
      ['dictionary', 'KEEV'],
    ]);
  });

  test('is sorted, and each respelling is valid', () => {
    const rows = readFileSync(join(import.meta.dir, '../../src/speech/pronunciation/en/cmudict.tsv'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('\t') as [string, string]);
    expect(rows.map(([word]) => word)).toEqual(rows.map(([word]) => word).sort());
    const unreadable = rows.filter(([, respellings]) =>
      respellings.split('/').some((respelling) => phonemizeRespelling(respelling, 'us') === undefined),
    );
    expect(unreadable).toEqual([]);
    const [first, last] = [rows.at(0)?.[0] ?? '', rows.at(-1)?.[0] ?? ''];
    const names = [first, last].map((word) => word.charAt(0).toUpperCase() + word.slice(1));
    expect(replace(names.join(' and ')).replacements.length).toBe(2);
  });
});

describe('the rules of origin', () => {
  test.each([
    ['Quanzhou', 'Chinese', 'CHWAHN-JOH'],
    ['Przybysz', 'Polish', 'PSHIHB-ihsh'],
    ['Radosavljević', 'South Slavic', 'rah-doh-SAHV-lyeh-vitch'],
    ['Hambardzumyan', 'Caucasian', 'hahm-bar-dzoo-MYAHN'],
    ['Villaurrutia', 'Spanish', 'vee-yow-ROO-tee-ah'],
    ['Assunção', 'Portuguese', 'ah-soon-SOW'],
    ['Hrdlička', 'Czech', 'HURD-lich-kah'],
    ['Köprülü', 'Turkish', 'kur-proo-LOO'],
    ['Büyükada', 'Turkish', 'boo-yoo-KAH-dah'],
    ['Ortaköy', 'Turkish', 'or-tah-KUR-ee'],
    ['İnceköy', 'Turkish', 'in-jeh-KUR-ee'],
    ['Katayama', 'Japanese', 'kah-tah-YAH-mah'],
    ['Wanjiku', 'African', 'wahn-JEE-koo'],
    ['Hamdaoui', 'Arabic', 'hahm-dah-WEE'],
    ['Fateev', 'East Slavic', 'fah-TAY-ef'],
    ['Trouville', 'French', 'troo-VEEL'],
    ['Siqueira', 'Portuguese', 'see-KAY-rah'],
    ['Diabaté', 'African', 'jah-bah-TAY'],
    ['Andriivka', 'East Slavic', 'ahn-DREEV-kah'],
    ['Ramnagar', 'Indian', 'rahm-NUHG-ur'],
    ['Montmirail', 'French', 'mohn-mee-RY'],
    ['Longchamp', 'French', 'lohng-SHAHN'],
    ['Gascogne', 'French', 'gah-SKO-nyuh'],
    ['Boulieux', 'French', 'boo-LYUR'],
    ['Goikoetxea', 'Spanish', 'goy-koh-eh-CHAY-ah'],
    ['Chesneau', 'French', 'sheh-NOH'],
    ['Malinovskaya', 'East Slavic', 'mah-lee-NOF-skyah'],
    ['Ryblov', 'East Slavic', 'rih-BLOF'],
    ['Offenburg', 'German', 'O-fuhn-burg'],
    ['Obersalzberg', 'German', 'OH-bair-zahlts-burg'],
    ['Kyung-soo', 'Korean', 'KYUNG-soo'],
    ['Se-hyeok', 'Korean', 'SEH-hyuk'],
    ['Vergeaud', 'French', 'vair-ZHOH'],
  ])('say %p, which no dictionary has, as a name that is %s', (name, origin, respelling) => {
    const [replacement] = replace(`They met ${name}’s brother.`).replacements;
    expect(replacement).toMatchObject({ source: 'origin', origin, sounds: [{ respelling }] });
  });

  test('do not change ordinary words and American names, even at the start of a sentence', () => {
    const text = 'Bananas from Boston cost more. Paris, Texas: Martin paid. Broccoli was sold out. Casinos closed.';
    expect(replace(text).replacements.filter(({ source }) => source === 'origin')).toEqual([]);
  });

  test('do not change places of English-speaking countries and names that end like them', () => {
    const text = 'From Wigan to Twickenham, Wimborne, Windermere, Collinsville, Palmerston, Hasterton and Langbery.';
    expect(replace(text).replacements.filter(({ source }) => source === 'origin')).toEqual([]);
  });

  test('require a capital', () => {
    expect(listRespellings('the quanzhou train')).toEqual([]);
  });

  test('use the origin of the adjacent name if that of a name is unclear', () => {
    expect(listRespellings('Jolivar spoke.')).toEqual(['YOH-lee-var']);
    expect(listRespellings('Jolivar Beauvais spoke.')[0]).toBe('zhoh-lee-VAR');
    expect(listRespellings('Jolivar Villaurrutia spoke.')[0]).toBe('hoh-lee-VAR');
  });

  test('say a name of unclear origin as most of the probable origins do', () => {
    const [replacement] = replace('They met Breinart there.').replacements;
    expect(replacement?.origin).not.toBe('French');
    expect(replacement?.sounds[0]?.respelling).toBe('BRAY-nart');
  });

  test('are sorted, and their respellings are valid', () => {
    const folder = join(import.meta.dir, '../score');
    const lines = ['dev', 'test'].flatMap((list) =>
      readFileSync(join(folder, `unseen-names-${list}.tsv`), 'utf8')
        .trim()
        .split('\n'),
    );
    const sounds = lines.flatMap((line) =>
      replace(line.split('\t')[1] ?? '').replacements.flatMap((replacement) => replacement.sounds),
    );
    expect(sounds.length).toBeGreaterThan(700);
    for (const accent of ['us', 'gb'] as const) {
      expect(sounds.filter(({ respelling = '' }) => phonemizeRespelling(respelling, accent) === undefined)).toEqual([]);
    }
    const words = readFileSync(join(import.meta.dir, '../../src/speech/pronunciation/en/known-words.txt'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[0]);
    expect(words).toEqual([...words].sort());
  });

  test('are scored with names, at least a fifth of which the dictionary lacks', () => {
    const listed = new Set(names.map(([word]) => word));
    for (const list of ['dev', 'test']) {
      const rows = readFileSync(join(import.meta.dir, `../score/unseen-names-${list}.tsv`), 'utf8')
        .trim()
        .split('\n');
      const lacking = rows.filter((row) => !listed.has(row.split('\t')[1] ?? ''));
      expect(lacking.length).toBeGreaterThan(rows.length / 5);
    }
  });
});

describe('the names', () => {
  test('are listed once, and each respelling is valid', () => {
    expect(new Set(names.map(([word]) => word)).size).toBe(names.length);
    for (const accent of ['us', 'gb'] as const) {
      expect(names.filter(([, respelling]) => phonemizeRespelling(respelling, accent) === undefined)).toEqual([]);
    }
  });

  test('are found with and without their accents, in the possessive, and as the longest phrase', () => {
    expect(listRespellings('Erdoğan and Erdogan met Zelenskyy’s envoys.')).toEqual([
      'AIR-doh-wahn',
      'AIR-doh-wahn',
      'zeh-LEN-skee',
    ]);
    expect(listRespellings('She flew to Port-au-Prince.')).toEqual(['por-toh PRINSS']);
  });

  test('with accents do not change English words with the same letters', () => {
    expect(listRespellings('Éric and Mélanie voted.')).toEqual(['ay-REEK', 'may-lah-NEE']);
    expect(listRespellings('To Eric and Melanie it was new. Male voters chose Oliver Martin.')).toEqual([]);
  });

  test('match capitalized loanwords at the start of a sentence', () => {
    expect(listRespellings('Feijoada was served, and croissants. Croissants sold out.')).toEqual([
      'fay-ZHWAH-dah',
      'krwah-SAHNZ',
      'krwah-SAHNZ',
    ]);
  });

  test('require their capitals', () => {
    expect(listRespellings('The job was nice, and the reading of the polish was fine.')).toEqual([]);
    expect(listRespellings('The Book of Job')).toEqual(['buuk uhv JOHB']);
  });

  test.each([
    ['de', 'Joe Bidens Besuch in der Downing Street', ['dʒˈoː', 'bˈaɪdəns', 'dˈaʊnɪŋ stɾˈiːt']],
    ['de', 'Kamala Harris und Boris Johnson in Detroit', ['kˈamala hˈɛɾɪs', 'bˈɔɾɪs dʒˈɔnsən', 'dətɾˈɔʏt']],
    ['fr', 'Keir Starmer à Manchester', ['kˈiʁ', 'staʁmˈɛʁ', 'mantʃɛstˈɛʁ']],
    ['fr', 'Bill Clinton et Tim Cook', ['bˈil klintˈɔn', 'tˈim kˈuk']],
    ['es', 'El New York Times y Joe Biden', ['nˈiw ʝˈoɾk tˈaɪms', 'ʝˈow', 'bˈaɪðen']],
    ['es', 'Janet Yellen en Wyoming', ['ʝˈanet ʝˈelen', 'waɪˈomin']],
  ])('of English are said in %p as its newsreaders do: %p', (language, text, phonemes) => {
    const { replacements } = createReplacer([], language)(text);
    expect(replacements.flatMap(({ sounds }) => sounds.map(({ ipa }) => ipa))).toEqual(phonemes);
  });

  test.each(['de', 'fr', 'es'])('of English in %p are listed once, in phonemes that voices have', (language) => {
    const rows = readFileSync(join(import.meta.dir, `../../src/speech/pronunciation/${language}/names.tsv`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(new Set(rows.map(([word]) => word)).size).toBe(rows.length);
    const unknown = rows.flatMap(([, ipa = '']) => toSoundSymbols({ ipa, shown: '' }, aspenVoice).unknown);
    expect(unknown.filter(({ symbol }) => symbol !== ' ')).toEqual([]);
  });

  test('of other languages are unchanged for voices of these languages', () => {
    expect(createReplacer([], 'de')('Zelenskyy war in Kyiv.').replacements).toEqual([]);
  });
});

describe('a heteronym', () => {
  test.each([
    ['He read it last night on the train.', 'RED'],
    ['You should read the contract.', 'REED'],
    ['The union objects to the cuts.', 'uhb-JEKTS'],
    ['Strange objects were found.', 'OB-jikts'],
    ['Smoking increases the risk.', 'in-KREE-siz'],
    ['The increases were small.', 'IN-kree-siz'],
    ['They live near the border.', 'LIV'],
    ['Soldiers fired live rounds at the crowd.', 'LYV'],
    ['Tests found lead in the drinking water.', 'LED'],
    ['She will lead the talks.', 'LEED'],
    ['The ship sank in the wind.', 'WIND'],
    ['He used to work here.', 'YOOST'],
    ['The tool is used to measure pressure.', 'YOOZD'],
    ['The prime minister refused to bow to pressure.', 'BOW'],
    ['The sermon compared him to Job.', 'JOHB'],
    ['Job losses mounted.', 'JAHB'],
    ['A storm hit Mobile, Alabama.', 'moh-BEEL al-uh-BAM-uh'],
  ])('in %p is said %p', (sentence, respelling) => {
    expect(listRespellings(sentence)).toContain(respelling);
  });

  test.each([
    ['They ate at the buffet.', 'en-us', 'bəfˈeɪ'],
    ['They ate at the buffet.', 'en-gb-x-rp', 'bˈʊfeɪ'],
    ['The farmer sold local produce.', 'en-gb-x-rp', 'pɹˈɒdjuːs'],
    ['The farmer sold local produce.', 'en-us', 'pɹˈoʊduːs'],
    ['The prime minister refused to bow to pressure.', 'en-gb-x-rp', 'bˈaʊ'],
    ['She will present the abstract.', 'en-gb', 'ˈabstɹakt'],
    ['She will present the abstract.', 'en-gb-x-rp', 'ˈæbstɹækt'],
  ])('in %p is said by a voice of %p as %p', (sentence, espeakVoice, phonemes) => {
    const sounds = replace(sentence).replacements.flatMap((replacement) => replacement.sounds);
    const spoken = sounds.map((sound) => toSoundSymbols(sound, { ...aspenVoice, espeakVoice }).symbols.join(''));
    expect(spoken).toContain(phonemes);
  });

  test('has valid respellings in both accents', () => {
    const table = readFileSync(join(import.meta.dir, '../../src/speech/pronunciation/en/heteronyms.txt'), 'utf8');
    const rows = table.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const readings = rows.map((row) => row.split(' ')).flatMap(([, , one = '', , other = '']) => [one, other]);
    const isInvalid = (respellings: string) => {
      const [us = '', gb = us] = respellings.split('/');
      return phonemizeRespelling(us, 'us') === undefined || phonemizeRespelling(gb, 'gb') === undefined;
    };
    expect(readings.filter(isInvalid)).toEqual([]);
  });

  test('follows the alias of the site', () => {
    const replaceForSite = createReplacer([{ word: 'read', alias: 'perused', matchCase: false }], 'en');
    expect(replaceForSite('He read it.').text).toBe('He perused it.');
  });
});

describe('an alias that is a respelling', () => {
  const replaceForSite = createReplacer([{ word: 'Qaqortoq', alias: 'KAH-kor-tok', matchCase: false }], 'en');

  test('is spoken as syllables', () => {
    const [replacement] = replaceForSite('Snow fell in Qaqortoq.').replacements;
    expect(replacement?.sounds.map(({ ipa }) => ipa)).toEqual(['kˈɑːkoːɹtɑːk']);
  });

  test('takes precedence over the pronunciation of a phrase that contains it', () => {
    const site = createReplacer([{ word: 'Prince', alias: 'PRAHN-suh', matchCase: true }], 'en');
    const spoken = site('He left Port-au-Prince.').replacements.flatMap(({ sounds }) => sounds);
    expect(spoken.map(({ shown }) => shown)).toEqual(['PRAHN-suh']);
  });
});

test('a text of 500,000 characters is read in linear time', () => {
  const long = 'The read lead Zelenskyy objects to live rows. '.repeat(10_900);
  expect(replace(long).replacements.length).toBeGreaterThan(50_000);
});
