import { describe, expect, test } from 'bun:test';
import { extractDocument } from '../../src/speech/extract/document.ts';

function extractBlocks(content: string): string[] {
  return extractDocument({ content }).blocks.map(({ text }) => text);
}

function listExcluded(content: string): string[] {
  return extractDocument({ content }).leftOut.map(({ reason, text }) => `${reason}: ${text}`);
}

const news = 'The work on the harbor began in the first week of May.';
const prose =
  'The council met for three hours on Monday and could not agree on a single point of the plan for the harbor. ';
const link = '<a href="/x">Another story of the day</a>';

describe('class names never exclude article text', () => {
  test.each([
    ['a wrapper named after advertisements', `<div class="content-ad-wrapper"><p>${prose.repeat(5)}</p></div>`],
    ['a short article in such a wrapper', '<div class="ad-slot"><p>Short words.</p></div>'],
    ['an article with "social" in its class', '<p>One.</p><div class="social-article"><p>Short words.</p></div>'],
    ['a class with another meaning', '<p>One.</p><div class="share-price"><p>Short words.</p></div>'],
    ['ad hoc', '<p>One.</p><div class="ad-hoc-group"><p>Short words.</p></div>'],
    ['a box of related prose', `<p>One.</p><div class="related"><p>${prose}</p></div>`],
    ['a folded text', `<p>One.</p><div class="read-more-content"><p>${prose}</p></div>`],
    ['a long letter about newsletters', `<p>One.</p><div class="newsletter"><p>${prose.repeat(7)}</p></div>`],
    ['an unclosed box', '<p>One.</p><div class="ad-slot"><p>Short words.</p>'],
    ['an unclosed line', `<p>One.</p><p><span class="ad">Short words. ${prose.repeat(6)}</p>`],
    ['a box with the main heading', '<p>One.</p><div class="share"><h1>Short words.</h1></div>'],
    ['notes at the top', `<div class="footnotes"><p>Short words.</p></div><p>One.</p>`],
    ['comments at the top', `<div id="comments"><p>${prose}</p></div><p>One.</p>`],
    ['a heading whose id repeats its words', '<p>One.</p><h2 id="related-articles">Short words.</h2>'],
    ['a heading with such a class', '<p>One.</p><h2 class="share">Short words.</h2>'],
    ['the article element', '<p>One.</p><article class="share"><p>Short words.</p></article>'],
    ['a reference that is a link', '<p>As <a class="reference" href="https://x.example">Short words.</a></p>'],
    ['a link to the notes', '<p>See <a href="#footnotes">Short words.</a></p>'],
    ['a raised number', '<p>Short words. E = mc<sup>2</sup></p>'],
    ['a paragraph that starts like a reference', `<p>Read more in our <a href="/x">report</a> today. Short words.</p>`],
    ['a link with the word "related"', '<p><a href="/x">Related companies sue. Short words.</a></p>'],
    ['words in brackets', '<p>He [sic] said [the mayor] [mean age = 34] [laughs]. Short words.</p>'],
    ['names with an underscore', '<p>Short words. Write #[track_caller] or [user_name].</p>'],
    ['shortcodes in code', '<p>Write <code>[box a="b"]Short words.[/box]</code></p>'],
    ['an address in a sentence', '<p>See https://youtu.be/abc now. Short words.</p>'],
    ['a quotation that says something new', `<p>${prose}</p><blockquote>Short words.</blockquote>`],
    ['a short repeated quotation', '<p>Yes, we can, he said. Short words.</p><blockquote>Yes, we can</blockquote>'],
    ['text hidden until a search finds it', '<div hidden="until-found">Short words.</div>'],
    ['closed details', '<details><summary>More</summary>Short words.</details>'],
    ['an abbreviation', '<p><abbr title="gone">Short words.</abbr></p>'],
    ['a footer of a quotation', '<blockquote><p>Said.</p><footer>Short words.</footer></blockquote>'],
    ['a feed', '<![CDATA[<p>Short words.</p>]]>'],
    ['a formula', '<p>Short words. <math><mi>x</mi><annotation encoding="t">x</annotation></math></p>'],
    ['verse', '<pre class="verse">Short words.</pre>'],
    ['a text about tags', 'The &lt;p&gt; element &amp; others. Short words.'],
    ['a paragraph about sharing', `<p>Share prices fell. Short words.</p><div class="share"><a href="/x">X</a></div>`],
    ['a link that opens a popup', '<p>One. <a class="popup tooltip" href="#">Short words.</a></p>'],
    ['a box of labels with a sentence', '<div class="sidebar-tools"><p>Short words.</p><p>One</p></div>'],
    ['a list beside the article', `<p>${news}</p><ul class="profile-tags"><li>Short words.</li><li>One</li></ul>`],
    [
      'an article made of cards',
      '<a href="/x"><h3>Hall</h3><p>Short words.</p></a><a href="/y"><h3>Port</h3><p>One.</p></a>',
    ],
    [
      'an article made of teasers',
      '<div><h3><a href="/x">Hall</a></h3><p>Short words.</p><p><a href="/x">Read more</a></p></div>'.repeat(2),
    ],
    ['a linked subheading', `<p>${news}</p><div><h3><a href="#a">Short words.</a></h3></div><p>${news}</p>`],
    ['links after a colon', `<p>${news}</p><div><p>They want:</p><ul><li><a href="#">Short words.</a></li></ul></div>`],
    ['braces with text around them', '<p>{{ name }} Short words. {% if a %}{% endif %}</p>'],
    [
      'links after a label with a comma',
      `<p>${news}</p><p>Among them,</p><ul><li>${link}</li><li>Short words.</li></ul>`,
    ],
    ['sources before a text', `<p>${news}</p><h2>Sources</h2><ul><li>One</li></ul><p>Short words.</p>`],
    ['a sentence about editing', '<p>One.</p><p>Editing by hand took the whole of a long week. Short words.</p>'],
    ['a remark with a pointer', '<p>One (see also the plan). Watch: <a href="/x">nobody</a> did. Short words.</p>'],
    ['an article that calls', `<p>Download the archive. Short words.</p><p><a href="/x">gone</a></p>`],
    ['a sentence before a linked name', '<p>Short words. Among them: <a href="/x">Arden</a></p>'],
    [
      'an item that is a label elsewhere',
      `<p>${news}</p><p>They are:</p><ul><li>Submit</li><li>Short words.</li></ul>`,
    ],
    ['a name of a test', '<p>One.</p><div data-testid="comment-quote"><p>Short words.</p></div>'],
    [
      'an article in a box with a call',
      '<div><div><h2>Dam</h2><p>Short words.</p><p>Sign up here</p></div><p>Contact the desk</p></div>',
    ],
    ['a text in a footer by name', '<p>One.</p><div class="footer"><p>Short words.</p></div>'],
    ['text that is moved a little', '<p style="position:relative;left:-20px;text-indent:-10px">Short words.</p>'],
    ['a quotation with its picture', '<p>One.</p><figure><img src="x"><blockquote>Short words.</blockquote></figure>'],
    ['two words and a slash', '<p>Short words. Yes/No</p><p>One.</p>'],
    ['a linked keyword', '<p>The <a class="keywords" href="/x">Short words.</a></p>'],
    ['a card that is a sentence', '<p>One.</p><div class="story-card"><p>Short words.</p></div>'],
    ['a broker', '<p>“We may earn a commission if they buy,” she said. Short words.</p>'],
    ['loading', '<p>One.</p><p>Loading docks burned.</p><p>Short words.</p>'],
    ['a long plea for donations', `<p>One.</p><div class="donation"><p>${prose.repeat(7)}</p></div>`],
  ])('%s', (_name, content) => {
    const text = extractBlocks(content).join(' ');
    expect(text).toMatch(/Short words\.|agree on a single point/);
    expect(text).not.toContain('gone');
  });
});

describe('excluded text', () => {
  test.each([
    ['advertisement', '<div class="AdSlot_root__x7f2">gone</div>'],
    ['advertisement', '<div id="ad-top-1"><span>gone</span></div>'],
    ['advertisement', '<ins class="adsbygoogle">gone</ins>'],
    ['advertisement', '<section class="article-advertisement">gone</section>'],
    ['advertisement', '<amp-ad>gone</amp-ad>'],
    ['share bar', '<ul class="social-share-list"><li>gone</li></ul>'],
    ['share bar', '<div class="addtoany_share_save_container">gone</div>'],
    ['related articles', '<div class="td-related-posts"><a href="/x">gone</a></div>'],
    ['related articles', '<p>Text <a class="more-link" href="/x">gone</a></p>'],
    ['related articles', '<p>Read also: <a href="/x">gone</a></p>'],
    ['related articles', '<p><em>Mehr zum Thema</em> <a href="/x">gone</a></p>'],
    ['sign-up box', '<div class="newsletter-signup-block">gone</div>'],
    ['navigation', '<div class="breadcrumbs">gone</div>'],
    ['navigation', `<ol id="toc"><li>gone ${link}</li><li>${link}</li><li>${link}</li></ol>`],
    ['page furniture', '<div role="complementary">gone</div>'],
    ['page furniture', '<ul class="post-tags"><li>gone</li></ul>'],
    ['page furniture', '<div class="cookie-consent">gone</div>'],
    ['hidden', '<p>Text <span class="sr-only">gone</span></p>'],
    ['hidden', '<dialog>gone</dialog>'],
    ['hidden', '<p style="mso-hide:all">gone</p>'],
    ['hidden', '<p style="position:absolute; left:-9999px">gone</p>'],
    ['hidden', '<p>Text <span style="clip: rect(0,0,0,0)">gone</span></p>'],
    ['form', '<progress value="4">gone</progress>'],
    ['caption', '<figure><img src="x"><p>gone, in a sentence.</p></figure>'],
    ['caption', '<p>The gone pier. Jo Roe / NBC News</p>'],
    ['caption', '<p>The gone pier on Monday [Jo Roe/Al Jazeera]</p>'],
    ['caption', '<p>PHOTO: The gone pier.</p>'],
    ['caption', '<div class="lead-image-caption"><p>gone, in a sentence.</p></div>'],
    ['advertisement', '<div class="house-ad"><p>gone, in a sentence.</p></div>'],
    ['page furniture', '<div class="writer-bio"><p>gone, in a sentence.</p></div>'],
    ['page furniture', '<div class="affiliate-notice"><p>gone, in a sentence.</p></div>'],
    ['reader comments', '<div class="reader-comments"><p>gone, in a sentence.</p></div>'],
    ['form', '<div class="helpful-widget"><p>gone, in a sentence.</p></div>'],
    ['footnote', '<p>Text <span class="sidenote">gone</span></p>'],
    ['caption', '<p class="wp-caption-text">gone</p>'],
    ['embedded post', '<blockquote class="instagram-media"><p>gone</p></blockquote>'],
    ['embedded media', '<div class="wp-block-embed__wrapper">\nhttps://gone.example/v/1\n</div>'],
    ['embedded media', '<p>https://www.youtube.com/watch?v=gone</p>'],
    ['footnote', '<p>Text<a href="#fn1">1</a> gone</p>'],
    ['footnote', '<p>Text<a class="footnote-ref" href="#x"><sup>[12]</sup></a></p>'],
    ['footnote', '<section data-footnotes><p>gone</p></section>'],
    ['struck out', '<p>Text <span style="text-decoration: line-through">gone</span></p>'],
    ['shortcode', '<p>Text [vc_row el="gone"]</p>'],
    ['shortcode', '<p>[contact_form]</p>'],
    ['shortcode', '<p>Text {{< youtube gone >}}</p>'],
    ['shortcode', '<p>Dear *|FNAME|*</p>'],
    ['advertisement', '<div class="kg-cta-card"><p>gone</p></div>'],
    ['caption', '<div class="Figure-credit">gone</div>'],
    ['caption', '<media><media-caption><p>gone</p></media-caption></media>'],
    ['sign-up box', '<p>You are receiving this email because you signed up.</p>'],
    ['page furniture', '<p>Reach Jo Roe at jroe@n.example or 555-0134.</p>'],
    ['caption', '[caption id="x"]<img src="y"> gone[/caption]'],
    ['embedded media', '[embed]https://gone.example[/embed]'],
  ])('%s: %s', (reason, html) => {
    const found = listExcluded(`<p>${prose}</p>${html}<p>After.</p>`);
    expect(found.map((entry) => entry.slice(0, entry.indexOf(':')))).toEqual([reason]);
  });

  test('an embedded post except its text', () => {
    const post =
      '<blockquote class="twitter-tweet"><p>Come all! <a href="https://t.co/1">pic.twitter.com/1</a></p>&mdash; Ann (@ann) <a href="x">May 1</a></blockquote>';
    expect(extractBlocks(`<p>She wrote:</p>${post}<p>All came.</p>`)).toEqual(['She wrote:', 'Come all!', 'All came.']);
  });

  test('the heading of a box, with the box', () => {
    const box = `<h3>Related stories</h3><ul class="related-posts"><li>${link}</li></ul>`;
    expect(extractBlocks(`<p>One.</p>${box}<h3>Related stories</h3><p>Two.</p>`)).toEqual([
      'One.',
      'Related stories',
      'Two.',
    ]);
    expect(listExcluded(`<p>One.</p>${box}`)).toEqual([
      'related articles: Related stories',
      'related articles: Another story of the day',
    ]);
  });

  test('pull quotes', () => {
    const pull = '<aside class="pullquote"><p>could not agree on a single point</p><p>The mayor</p></aside>';
    expect(extractBlocks(`<p>${prose}</p>${pull}<p>After.</p>`)).toEqual([prose.trim(), 'After.']);
    expect(listExcluded(`<p>${prose}</p>${pull}`)).toEqual([
      'repeats the text: could not agree on a single point',
      'repeats the text: The mayor',
    ]);
  });
});

describe('tables', () => {
  const head = '<tr><th>Team</th><th>Goals</th></tr>';
  test.each<[string, string, string[]]>([
    ['repeat the column names in each row', `${head}<tr><td>Rovers</td><td>3</td></tr>`, ['Team: Rovers, Goals: 3']],
    ['join cells without column names', '<tr><td>Rovers</td><td>3</td></tr>', ['Rovers, 3']],
    ['name a row by its header', '<tr><th>Goals</th><td>3</td></tr>', ['Goals: 3']],
    [
      'support cells over two columns',
      `${head}<tr><td colspan="2">Rovers</td></tr><tr><td>a</td><td>b</td></tr>`,
      ['Team: Rovers', 'Team: a, Goals: b'],
    ],
    [
      'support cells over two rows',
      `${head}<tr><td rowspan="2">Rovers</td><td>3</td></tr><tr><td>4</td></tr>`,
      ['Team: Rovers, Goals: 3', 'Goals: 4'],
    ],
    [
      'join column names in two rows',
      `<tr><th>Home</th><th>Away</th></tr>${head}<tr><td>1</td><td>2</td></tr>`,
      ['Home Team: 1, Away Goals: 2'],
    ],
    ['put no comma after a full stop', '<tr><td>Rovers.</td><td>3</td></tr>', ['Rovers. 3']],
    ['speak column names without rows', head, ['Team, Goals']],
    [
      'never repeat a long name',
      `<tr><th>${prose}</th><th>Goals</th></tr><tr><td>1</td><td>2</td></tr>`,
      [`${prose.trim()} Goals`, '1, 2'],
    ],
    [
      'are text if they are layout only',
      '<tr><td><p>One.</p><p>Two.</p></td><td>Three.</td></tr>',
      ['One.', 'Two.', 'Three.'],
    ],
    ['are text with one column', '<tr><td>One.</td></tr><tr><td>Two.</td></tr>', ['One.', 'Two.']],
    [
      'are text around another table',
      `<tr><td>One.</td><td><table>${head}<tr><td>a</td><td>b</td></tr></table></td></tr>`,
      ['One.', 'Team: a, Goals: b'],
    ],
  ])('%s', (_name, rows, expected) => {
    expect(extractBlocks(`<table>${rows}</table>`)).toEqual(expected);
  });

  test('with a presentation role are text', () => {
    expect(extractBlocks('<table role="presentation"><tr><td>One.</td><td>Two.</td></tr></table>')).toEqual([
      'One.',
      'Two.',
    ]);
  });

  test('repeat column names up to the length of the article', () => {
    const cells = '<tr><td>a</td><td>b</td></tr>'.repeat(2_000);
    const content = `<table><tr><th>${'n'.repeat(60)}</th><th>${'m'.repeat(60)}</th></tr>${cells}</table>`;
    const length = extractBlocks(content).reduce((sum, text) => sum + text.length, 0);
    expect(length).toBeGreaterThan(20_000);
    expect(length).toBeLessThan(2 * content.length);
    expect(extractBlocks(content)).toHaveLength(2_000);
  });
});
