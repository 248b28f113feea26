import { type Static, Type } from '@sinclair/typebox';

const Size = Type.Optional(Type.Integer({ minimum: 1, description: 'Pixels' }));

/** Query of `GET /v1/public/oembed`. */
export const OembedQuery = Type.Object({
  url: Type.String({
    maxLength: 8_000,
    description: 'Address of an article on a domain of a site, or of its page for frames',
  }),
  maxwidth: Size,
  maxheight: Size,
  format: Type.Optional(
    Type.String({ description: '`json` or `xml`; JSON unless named. Any other is a 501' }),
  ),
});
export type OembedQuery = Static<typeof OembedQuery>;

/** What stands for an article in another page. */
export const Oembed = Type.Object(
  {
    type: Type.Literal('rich'),
    version: Type.Literal('1.0'),
    title: Type.String(),
    author_name: Type.String({ description: 'Name of the site' }),
    author_url: Type.Optional(Type.String({ description: 'The article' })),
    provider_name: Type.String(),
    provider_url: Type.String(),
    cache_age: Type.Integer({ description: 'Seconds' }),
    html: Type.String({ description: 'An `<iframe>`' }),
    width: Type.Integer(),
    height: Type.Integer(),
  },
  { title: 'Oembed' },
);
export type Oembed = Static<typeof Oembed>;
