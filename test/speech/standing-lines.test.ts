import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extractDocument } from '../../src/speech/extract/document.ts';
import { findStandingLine } from '../../src/speech/extract/standing-lines.ts';

const before = '<p>The council met for three hours on Monday and agreed on the plan.</p>';
const after = '<p>The work on the harbor begins in the first week of May, she said.</p>';

function listReasonsBetweenParagraphs(html: string): string[] {
  return extractDocument({ content: `${before}${html}${after}` }).leftOut.map(({ reason }) => reason);
}

function listReasonsAtTop(html: string): string[] {
  return extractDocument({ content: `${html}${before}${after}` }).leftOut.map(({ reason }) => reason);
}

describe('boilerplate lines are excluded', () => {
  test.each([
    ['advertisement', ['Advertisement', '- ADVERTISEMENT -', 'Article continues below this ad', 'Sponsored content']],
    ['advertisement', ['Anzeige', 'Der Artikel wird nach der Werbung fortgesetzt', 'Weiterlesen nach der Anzeige']],
    ['advertisement', ['Publicité', 'La suite après cette publicité', 'L’article continue après l’annonce']],
    [
      'advertisement',
      ['Publicidad', 'La historia continúa después del anuncio', 'Sigue leyendo después de la publicidad'],
    ],
    [
      'sign-up box',
      [
        'Sign up for our daily newsletter',
        'Already a subscriber? Log in',
        'Subscribe to continue reading.',
        'Unsubscribe | Privacy',
      ],
    ],
    ['sign-up box', ['Jetzt kostenlos testen', 'Sie sind bereits Abonnent? Hier anmelden', 'Mit F+ weiterlesen']],
    [
      'sign-up box',
      ['Cet article est réservé aux abonnés', 'Déjà abonné ? Se connecter', 'Inscrivez-vous à notre newsletter'],
    ],
    [
      'sign-up box',
      ['Suscríbete para seguir leyendo', 'Este contenido es exclusivo para suscriptores', '¿Ya eres suscriptor?'],
    ],
    ['share bar', ['Share this article', 'Share on Facebook', 'Follow us on X and Instagram', '1,024 shares']],
    ['share bar', ['Artikel teilen', 'Auf WhatsApp teilen', 'Folgen Sie uns auf Facebook']],
    ['share bar', ['Partager sur Facebook', 'Suivez-nous sur X', 'Compartir en WhatsApp', 'Síguenos en Instagram']],
    ['reader comments', ['Leave a comment', '23 Comments', 'Join the conversation', 'Kommentare', '12 commentaires']],
    ['caption', ['Photo: City Hall', 'Jo Roe / Getty Images', 'Foto: dpa', 'Crédit photo : AFP', 'Fotografía: EFE']],
    ['page furniture', ['5 min read', 'Lesezeit: 4 Minuten', 'Temps de lecture : 3 min', 'Tiempo de lectura: 2 min']],
    [
      'page furniture',
      ['All rights reserved.', '© 2026 The Example Press', 'Alle Rechte vorbehalten', 'Tous droits réservés.'],
    ],
    [
      'page furniture',
      ['Have a tip? Email tips@example.org.', 'Page 3 of 7', 'Back to top', 'Filed under: Politics, Harbor'],
    ],
    ['page furniture', ['(Reporting by J. Roe in Berlin; Additional reporting by Al Dunn; Editing by Ann Poe)']],
    [
      'page furniture',
      ['AP writers Jo Roe in Paris and Al Dunn in Rome contributed to this report.', 'Mit Material von dpa'],
    ],
    [
      'page furniture',
      ['(Reportage Jo Roe, édité par Al Dunn)', '(Reporte de Jo Roe; Editado por Al Dunn)', 'Con información de EFE'],
    ],
    [
      'sign-up box',
      [
        'Support local news. Subscribe today.',
        'What did you think of today’s newsletter?',
        'Don’t miss a story. Sign up here.',
        'Get unlimited access for $1 a month.',
      ],
    ],
    ['caption', ['Town hall on Monday. Credit: Jo Roe / The Example', 'Das Rathaus am Montag. Foto: Jo Roe/dpa']],
    [
      'page furniture',
      [
        'Jo Roe is a staff writer who covers housing. Reach her at jroe@example.org.',
        'This article originally appeared on The Example.',
        'END',
        '#courts #law',
        '1 of 12',
      ],
    ],
    [
      'sign-up box',
      [
        'We’re a small newsroom, and we depend on readers like you. Please consider a gift today.',
        'This story was produced with a foundation and is republished here with permission.',
        'Die Meinung des Autors gibt nicht notwendigerweise die der Redaktion wieder.',
        'Wenn Ihnen unser Artikel gefallen hat, abonnieren Sie unseren Newsletter.',
        'Vous êtes concerné par la fermeture ? Racontez-nous. La rédaction lira vos témoignages.',
        'El periodismo que hacemos es gratuito gracias a nuestros socios. Hazte socia y ayúdanos a seguir.',
        'Se vuoi restare aggiornato, iscriviti al nostro canale WhatsApp: clicca qui.',
        'Gostou da matéria? Assine nossa newsletter e receba o melhor da semana no seu e-mail.',
        'Wil je niets missen over de haven? Meld je aan voor onze wekelijkse mail.',
        'Dziękujemy, że przeczytałaś nasz artykuł do końca. Bądź na bieżąco! Obserwuj nas w Google News.',
      ],
    ],
    [
      'related articles',
      [
        'Read more: Why prices fell',
        'À lire aussi : Pourquoi les prix baissent',
        'Mehr zum Thema: Preise',
        'Related | Prices',
      ],
    ],
  ])('%s: %p', (reason, lines) => {
    for (const line of lines) expect([line, listReasonsBetweenParagraphs(`<p>${line}</p>`)]).toEqual([line, [reason]]);
  });

  test.each([
    'Nov. 20, 2025, 4:15 p.m. ET',
    'By Jo Roe | Nov. 20, 2025, 4:15 p.m. ET',
    'Published: 3 May 2026 · Updated 4 May 2026 at 10:30',
    'Stand: 03.05.2026, 14:30 Uhr',
    'Veröffentlicht am 3. Mai 2026 um 14:30 Uhr',
    'Publié le 3 mai 2026 à 14h30, mis à jour le 4 mai 2026 à 8h',
    'Publicado el 3 de mayo de 2026 a las 14:30',
    '3 hours ago',
    '2h ago',
  ])('page furniture, above the text: %s', (line) => {
    expect(listReasonsAtTop(`<p>${line}</p>`)).toEqual(['page furniture']);
  });
});

describe('labels', () => {
  test.each(
    (
      'Learn more|Watch now|Mehr erfahren|Jetzt anhören|En savoir plus|Vous aimerez aussi|Haz clic aquí|Apóyanos|' +
      'Scopri di più|Saiba mais|Lees verder|Zobacz także'
    ).split('|'),
  )('are left out as a paragraph, but not as a heading or a sentence: %s', (label) => {
    expect(listReasonsBetweenParagraphs(`<p>${label}</p>`)).toEqual(['page furniture']);
    expect(listReasonsBetweenParagraphs(`<h2>${label}</h2>`)).toEqual([]);
    expect(listReasonsBetweenParagraphs(`<p>${label}.</p>`)).toEqual([]);
  });
});

describe('lines of the article are kept', () => {
  test('a line with many times and other text', () => {
    const times = `10 ${'am. '.repeat(30)}from pier two`;
    expect(listReasonsAtTop(`<p>${times}</p>`)).toEqual([]);
  });

  test.each([
    'Correction: An earlier version misstated the date of the meeting.',
    'Editor’s note: This story was first published in May.',
    '“No comment.”',
    '“Listen!”',
    'Share prices fell on Monday.',
    'Follow the money, she said.',
    'Subscribe to that view, and much follows.',
    'The dispute concerns its terms of service.',
    'Photos by satellite show the troops at the border.',
    'Sponsored by Senator Lee, the bill failed in the House.',
    'Copyright law is changing in Europe.',
    'Reporting by local papers forced the mayor out.',
    'Register to vote by May 3.',
    'Reach the sheriff at (307) 555-0190.',
    'Detectives can be reached at (307) 555-0190.',
    'Jo Roe is a reporter for the paper.',
    'He asked all of them to donate today.',
    'She told the crowd: the union will sign up.',
    'Brought to you by the same people, the plan failed again.',
    'The end of the war was near.',
    'How was the story told?',
    'The shop is near the ferry. (It opens at nine.)',
    'She wrote “the boat sinked” (sic).',
    'This is the second in a series of attacks on ferries.',
    '“We need help. Please donate now.”',
    'He told the fans: Join us today.',
    'Two of 12 jurors left. Credit: the judge gave none.',
    'To continue reading, she put on her glasses.',
    'AP officials met in New York on Monday.',
    'Press inquiries doubled after the trial, she said.',
    'Thank you for reading the verdict aloud, the judge told the clerk.',
    'Testen Sie den Motor kurz, rät der Verband.',
    'It happened on May 3, 2026.',
    'In 1998',
    'Der Newsletter erscheint täglich.',
    'Jetzt will Siemens die Anlage testen.',
    'Su correo fue atacado.',
    'Sigue tras las rejas.',
    'Votre avis a été publié.',
    'You should care about this pier, and so should our council. We paid for it.',
    'Today we launch our new app for ferry passengers. You can buy tickets and follow your ship.',
    'Download times fell by half in our tests, and subscribers told us that they like the new look.',
    'Do you follow the news on Facebook?',
    'Our newsroom counted 46 boats on Monday.',
    'If you have a ticket, you can exchange it at the office until Friday. Call (307) 555-0190 for details.',
    'Wir alle haben den Kai bezahlt, und Sie werden ihn wieder bezahlen. Folgen Sie dem Geld.',
    'Abonnieren kann man die Jahreskarte am Schalter.',
    'Suivez la côte jusqu’au phare, puis découvrez la plage. Vous ne le regretterez pas.',
    'Recibe su nombre del faro que la guía. Sigue la costa hasta el sur.',
  ])('%s', (line) => {
    expect(listReasonsBetweenParagraphs(`<p>${line}</p>`)).toEqual([]);
    expect(listReasonsAtTop(`<p>${line}</p>`)).toEqual([]);
  });

  test.each([
    'Such blooms would not necessarily reflect overfishing.',
    'The fight song is written by the athletic director.',
    'The program is sponsored by the county library.',
    'The ship first appeared off the coast on Monday.',
    'Es ist nicht unbedingt ein Fehler, den Kai zu sperren.',
  ])('at the end of an article: %s', (line) => {
    const { blocks } = extractDocument({ content: `<p>The quay is closed.</p><p>It stays closed.</p><p>${line}</p>` });
    expect(blocks.at(-1)?.text).toBe(line);
  });

  test.each([
    ['Züge fahren erst am Montag. (dpa/abc)', 'Züge fahren erst am Montag.'],
    ['(dpa) – Züge fahren erst am Montag.', 'Züge fahren erst am Montag.'],
    ['Trains run on Monday. (Reporting by Jo Roe; Editing by Al Dunn)', 'Trains run on Monday.'],
    ['Il rouvrira en juin. (avec AFP)', 'Il rouvrira en juin.'],
    ['It opens in June. – Reuters', 'It opens in June.'],
  ])('but no agency before or behind them: %s', (line, spoken) => {
    const { blocks, leftOut } = extractDocument({ content: `${before}<p>${line}</p>${after}` });
    expect(blocks[1]?.text).toBe(spoken);
    expect(leftOut.map(({ reason }) => reason)).toEqual(['page furniture']);
  });

  test('all sentences of the corpora except two requests to the reader', () => {
    const corpus = join(import.meta.dir, 'corpus');
    const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsv'));
    const sentences = files.flatMap((name) => {
      const rows = readFileSync(join(corpus, name), 'utf8').split('\n');
      const column = name.endsWith('boundaries.tsv') ? 1 : 0;
      return rows.flatMap((row) => (row.split('\t')[column] ?? '').split('‖')).map((text) => text.trim());
    });
    expect(sentences.length).toBeGreaterThan(1_500);
    expect(sentences.filter((text) => findStandingLine({ kind: 'paragraph', text }) !== undefined)).toEqual([
      'Send tips to news@example.com today.',
      'Follow @BBCWorld for updates.',
    ]);
  });

  test('headings and list items of one word', () => {
    expect(
      listReasonsBetweenParagraphs('<h2>Comments</h2><p>Many came.</p><ul><li>Print</li><li>Radio</li></ul>'),
    ).toEqual([]);
  });

  test('everything, if nothing else would remain', () => {
    const { blocks } = extractDocument({ content: '<p>Advertisement</p><p><a href="/x">Bridge reopens</a></p>' });
    expect(blocks.map(({ text }) => text)).toEqual(['Advertisement', 'Bridge reopens']);
  });
});

describe('a line that is a link', () => {
  test('between paragraphs is a related article', () => {
    expect(listReasonsBetweenParagraphs('<p><a href="/x">Envoy: "We are close to a deal"</a></p>')).toEqual([
      'related articles',
    ]);
  });

  test('in a list of links is navigation', () => {
    const items = '<li><a href="/a">World news</a></li><li><a href="/b">Sport of the day</a></li>';
    expect(listReasonsBetweenParagraphs(`<ul>${items}</ul>`)).toEqual(['navigation', 'navigation']);
  });

  test.each([
    ['if it is a sentence', '<p><a href="/x">Related companies sue.</a></p>'],
    ['beside other words', '<p>The full text is in <a href="/x">the report of May</a></p>'],
    [
      'in a list after a colon',
      '<p>She visited:</p><ul><li><a href="/a">Paris</a></li><li><a href="/b">Rome</a></li></ul>',
    ],
    ['above text', '<h2><a href="/x">A deal is near</a></h2><p>The envoy said so.</p>'],
  ])('is kept %s', (_name, html) => {
    expect(listReasonsBetweenParagraphs(html)).toEqual([]);
  });
});

describe('unusual markup', () => {
  const extractTexts = (content: string) => extractDocument({ content }).blocks.map(({ text }) => text);

  test('decodes entities that were escaped twice, except in code', () => {
    expect(extractTexts('<p>Smith &amp;amp; Sons said &amp;quot;no&amp;#8217; <code>&amp;amp;</code></p>')).toEqual([
      'Smith & Sons said "no’ &amp;',
    ]);
  });

  test('keeps preformatted sentences and excludes programs', () => {
    const wire =
      'LONDON - The bank said on Monday that it\nwould close. It did not\nsay why.\n\nThe end is near, he said.';
    expect(extractTexts(`<pre>${wire}</pre>`)).toEqual([
      'LONDON - The bank said on Monday that it would close. It did not say why.',
      'The end is near, he said.',
    ]);
    expect(listReasonsBetweenParagraphs('<pre>for x in range(3):\n  print(x)  # The end of the loop.</pre>')).toEqual([
      'code',
    ]);
  });

  test('reads superscript digits after variables and units as exponents', () => {
    expect(extractTexts('<p>x<sup>2</sup>, 5 m<sup>2</sup>, H<sub>2</sub>O, 10<sup>6</sup></p>')).toEqual([
      'x², 5 m², H2O, 10⁶',
    ]);
  });

  test('reads formulas that go from left to right', () => {
    const power = '<math><mi>π</mi><msup><mi>r</mi><mn>2</mn></msup></math>';
    expect(extractTexts(`<p>The area is ${power}.</p>`)).toEqual(['The area is πr².']);
    const matrix = '<math><mtable><mtr><mtd><mi>a</mi></mtd></mtr></mtable></math>';
    expect(listReasonsBetweenParagraphs(`<p>The share is ${matrix} of it. ${power}</p>`)).toEqual(['formula']);
  });

  test('excludes edit links of a wiki as navigation', () => {
    const link = '<span class="mw-editsection">[<a href="#">edit</a>]</span>';
    expect(extractTexts(`<h2>History${link}</h2><p>The town grew.</p>`)).toEqual(['History', 'The town grew.']);
  });
});
