import { type Static, Type } from '@sinclair/typebox';
import { PublicAudioQuery } from '../../audio/schema.ts';

const { domain, post_id, url, lang, language, voice_id } = PublicAudioQuery.properties;

/** Query of the page that is put into others. */
export const EmbedQuery = Type.Object({
  ...{ domain, post_id, url },
  lang: Type.Optional({
    ...lang,
    description: "Else the language of the site's default voice, or one that the post is there in",
  }),
  ...{ language, voice_id },
  theme: Type.Optional(
    Type.Union([Type.Literal('light'), Type.Literal('dark')], {
      description: 'As the page around it is; else as the system of the reader is',
    }),
  ),
});
export type EmbedQuery = Static<typeof EmbedQuery>;
