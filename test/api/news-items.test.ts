import { describe, expect, test } from 'bun:test';
import type { AudioRecord } from '../../src/audio/schema.ts';
import { scale } from '../fixtures/scale.ts';
import { type Envelope, startServerForFile } from '../fixtures/server.ts';
import { buildArticle } from './articles.ts';
import { countRows, readRows } from './stored-rows.ts';

const newsItemType = 'application/vnd.iptc.g2.newsitem+xml';
const newsMessageType = 'application/vnd.iptc.g2.newsmessage+xml';
const ninjsType = 'application/ninjs+json';
const text = buildArticle('the harbor');

const server = await startServerForFile();

async function post(type: string, body: string) {
  const response = await server.request('/v1/audio/generate', {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  return { status: response.status, ...((await response.json()) as Envelope<AudioRecord>) };
}

async function findErrors(type: string, body: string) {
  const before = countRows(server.data);
  const { status, errors } = await post(type, body);
  expect(countRows(server.data)).toEqual(before);
  return { status, errors };
}

function readPost(postId: string) {
  const [row] = readRows<Record<string, unknown>>(
    server.data,
    `select audio.title, content, content_type, language, url, publish_at
     from post join audio on audio.post_id = post.id where external_id = '${postId}'`,
  );
  return row;
}

function buildNewsItem(
  guid: string,
  { meta = '', body = `<body.content>${text}</body.content>`, language = 'en' } = {},
) {
  return `<newsItem xmlns="http://iptc.org/std/nar/2006-10-01/" guid="${guid}" version="1">
    <itemMeta><itemClass qcode="ninat:text"/>${meta}</itemMeta>
    <contentMeta><language tag="${language}"/><headline>Light &amp;
      tower</headline></contentMeta>
    <contentSet><inlineXML contenttype="application/nitf+xml"><nitf><body>${body}</body></nitf></inlineXML></contentSet></newsItem>`;
}

describe('a news item as the body of a generate request', () => {
  test('in NewsML-G2 becomes a post with guid, headline, language, embargo and text', async () => {
    const meta = '<embargoed>2031-01-02T10:00:00+02:00</embargoed><pubStatus qcode="stat:usable"/>';
    const { status, data } = await post(`${newsItemType}; charset=utf-8`, buildNewsItem('urn:newsml:e:1', { meta }));
    expect({ status, post_id: data?.post_id }).toEqual({ status: 202, post_id: 'urn:newsml:e:1' });
    expect(readPost('urn:newsml:e:1')).toMatchObject({
      ...{ title: 'Light & tower', content: text, content_type: null, language: 'en', url: null },
      publish_at: '2031-01-02T08:00:00.000Z',
    });
    expect((await post(newsItemType, buildNewsItem('urn:newsml:e:1', { meta }))).status).toBe(200);
  });

  test('in a message with other items is found by its text', async () => {
    const picture = buildNewsItem('urn:newsml:e:p').replace('ninat:text', 'ninat:picture');
    const message = `<?xml version="1.0"?><newsMessage><itemSet>${picture}${buildNewsItem('urn:newsml:e:2')}</itemSet></newsMessage>`;
    expect((await post(newsMessageType, message)).data?.post_id).toBe('urn:newsml:e:2');
  });

  test('in ninjs becomes a post', async () => {
    const item = {
      uri: 'http://n.example/1',
      type: 'text',
      headline: 'A < B',
      body_html: text,
      url: 'https://n.example/a',
    };
    expect((await post(ninjsType, JSON.stringify(item))).status).toBe(202);
    expect(readPost('http://n.example/1')).toMatchObject({
      ...{ title: 'A < B', content: text, url: 'https://n.example/a' },
    });
  });

  test('in several languages and parts is read in the language of the item', async () => {
    const item = buildNewsItem('urn:newsml:e:3')
      .replace('<language tag="en"/>', '<language tag="en"/><language tag="fr"/>')
      .replace('<inlineXML', '<inlineXML xml:lang="fr"><p>Le port</p></inlineXML><inlineXML xml:lang="en-GB"');
    expect((await post(newsItemType, item)).status).toBe(202);
    expect(readPost('urn:newsml:e:3')).toMatchObject({ language: 'en', content: text });
  });

  test.each(['text/html', 'text/plain'])('in NewsML-G2 may be HTML in a CDATA section, called %s', async (type) => {
    const data = `<inlineData contenttype="${type}"><![CDATA[${text}]]></inlineData>`;
    const item = buildNewsItem(`urn:newsml:e:4:${type}`).replace(/<inlineXML.*<\/inlineXML>/s, data);
    expect((await post(newsItemType, item)).status).toBe(202);
    expect(readPost(`urn:newsml:e:4:${type}`)).toMatchObject({ content: text });
  });

  test('in NewsML-G2 has the main headline in its language, and may have a prolog and XHTML in a CDATA section', async () => {
    const headlines = `<headline role="hl:slug">harbor-1</headline><headline role="hl:main" xml:lang="de">Hafen</headline>
      <headline role="hl:main" xml:lang="en-GB">Harbor</headline>`;
    const item = buildNewsItem('urn:newsml:e:5')
      .replace(/<headline>.*<\/headline>/s, headlines)
      .replace(/<inlineXML.*<\/inlineXML>/s, `<inlineXML><![CDATA[${text}]]></inlineXML>`);
    const prolog = '\ufeff<?xml version="1.0"?>\n<?xml-stylesheet href="a.xsl"?><!-- a --><!DOCTYPE newsItem>';
    expect((await post(newsItemType, `${prolog}${item}`)).status).toBe(202);
    expect(readPost('urn:newsml:e:5')).toMatchObject({ title: 'Harbor', content: text });
  });

  test.each([
    ['a text', {}],
    ['a package with a text', { type: 'composite' }],
  ])('in ninjs 3 has the main body and headline of %s', async (_what, extra) => {
    const uri = `urn:ninjs:${JSON.stringify(extra)}`;
    const headlines = [
      { role: 'short', value: 'Light' },
      { role: 'main', value: 'Light and tower' },
    ];
    const bodies = [
      { role: 'summary', contenttype: 'text/html', value: '<p>Short.</p>' },
      { role: 'main', value: text },
    ];
    expect((await post(ninjsType, JSON.stringify({ uri, headlines, bodies, ...extra }))).status).toBe(202);
    expect(readPost(uri)).toMatchObject({ title: 'Light and tower', content: text });
  });

  test.each([
    ['of the type article', { type: 'article', body_html: text }, { content: text }],
    ['in a list with another name', { type: 'story', body_html: text }, { content: text }],
    ['with a guid instead of a uri', { uri: undefined, guid: 'urn:ninjs:guid', body_html: text }, { content: text }],
    ['with HTML as its plain text', { body_text: text }, { content: text }],
    [
      'with a Markdown body',
      { bodies: [{ contentType: 'text/markdown', value: `# Light\n\n${text}` }] },
      { content: `# Light\n\n${text}`, content_type: 'text/markdown' },
    ],
    [
      'with NITF',
      {
        bodies: [
          {
            contentType: 'text/vnd.IPTC.NITF',
            value: `<nitf><body><body.content>${text}</body.content></body></nitf>`,
          },
        ],
      },
      { content: text },
    ],
    [
      'with HTML in the headline',
      { headline: '<p>Light &amp;<br><b>to</b>wer</p>', body_html: text },
      { title: 'Light & tower', content: text },
    ],
  ])('in ninjs may be %s', async (what, members, expected) => {
    const item = { uri: `urn:ninjs:${what}`, headline: 'Light', ...members };
    const body = what.includes('list') ? { item: [item] } : item;
    expect((await post(ninjsType, JSON.stringify(body))).status).toBe(202);
    expect(readPost(String(item.uri ?? item.guid))).toMatchObject({ content_type: null, ...expected });
  });

  test('is validated like any other request', async () => {
    const errors = { post_id: ['is required'], content: ['must be at least 50 characters'] };
    const short = JSON.stringify({ uri: 7, headline: 'A', body_text: 'short' });
    expect(await findErrors(ninjsType, short.replace('7', '"u"'))).toEqual({
      status: 422,
      errors: { content: errors.content },
    });
    const bad = buildNewsItem('u', {
      meta: '<embargoed>soon</embargoed>',
      language: 'x',
      body: '<body.content>hi</body.content>',
    });
    expect(await findErrors(newsItemType, bad.replace('guid="u"', ''))).toEqual({
      status: 422,
      errors: {
        ...errors,
        language: ['must be a language code such as en or de'],
        publish_at: ['must be an ISO 8601 date and time'],
      },
    });
  });

  test.each([
    ['canceled', newsItemType, buildNewsItem('c', { meta: '<pubStatus qcode="stat:canceled"/>' })],
    ['withheld', ninjsType, JSON.stringify({ uri: 'w', pubStatus: 'withheld', headline: 'A', body_html: text })],
    ['a picture', ninjsType, JSON.stringify({ uri: 'p', type: 'picture', headline: 'A', body_html: text })],
    ['a package alone', newsItemType, '<packageItem guid="p"><groupSet root="G"/></packageItem>'],
  ])('is refused if it is %s', async (_what, type, body) => {
    const errors = { body: ['has no usable text: it is canceled, withheld, or no text'] };
    expect(await findErrors(type, body)).toEqual({ status: 422, errors });
  });

  test('is refused with a second text', async () => {
    const message = `<newsMessage>${buildNewsItem('a')}${buildNewsItem('b')}</newsMessage>`;
    const errors = { body: ['has several texts: send each item in a request of its own'] };
    expect(await findErrors(newsMessageType, message)).toEqual({ status: 422, errors });
  });

  test.each([
    ['in the text', '</p>'],
    ['after the text', '</body.content>'],
    ['after the item', '</newsItem>'],
  ])('is refused if it ends %s', async (_where, end) => {
    const message = `<newsMessage>${buildNewsItem('cut')}</newsMessage>`;
    const errors = { body: ['is incomplete: the end of the XML is missing'] };
    const cut = message.slice(0, message.lastIndexOf(end) + (end === '</newsItem>' ? end.length : 0));
    expect(await findErrors(newsMessageType, cut)).toEqual({ status: 422, errors });
  });

  test.each([
    [newsItemType, text],
    [ninjsType, '{"headline": '],
  ])('is refused in another format: %s', async (type, body) => {
    expect(await findErrors(type, body)).toEqual({
      status: 422,
      errors: { body: ['must be NewsML-G2, or ninjs with a uri and a headline or a body'] },
    });
  });

  test('expands no custom entities, and is parsed in linear time', async () => {
    const declared = `<!DOCTYPE newsItem [<!ENTITY a "expanded"><!ENTITY b SYSTEM "file:///etc/passwd">]>`;
    const item = buildNewsItem('urn:newsml:e:entities', { body: `<body.content>${text}<p>&a; &b;</p></body.content>` });
    expect((await post(newsItemType, declared + item)).status).toBe(422);
    expect((await post(newsItemType, item)).status).toBe(202);
    expect(readPost('urn:newsml:e:entities')).toMatchObject({ content: `${text}<p>&a; &b;</p>` });
    const hostile = ['<body ', '<body>', '<x:body.content a="', '<inlineXML>', '<newsItem>', '<!--'];
    for (const part of hostile) {
      const nested = buildNewsItem('urn:newsml:e:deep', { body: part.repeat(scale.characters / part.length) });
      expect([202, 422]).toContain((await post(newsItemType, nested)).status);
    }
    const deep = buildNewsItem('urn:newsml:e:deep', { body: `${'<div>'.repeat(201)}${text}${'</div>'.repeat(201)}` });
    const errors = { body: ['must not nest more than 200 elements'] };
    expect(await findErrors(newsItemType, deep)).toEqual({ status: 422, errors });
  });
});
