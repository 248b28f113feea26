import { type Static, Type } from '@sinclair/typebox';
import { PageQuery, pageOf } from '../../http/pagination.ts';
import { oneOf } from '../../http/validation.ts';
import { AudioRecord, PostParams, StatusQuery } from '../schema.ts';

const OptionalText = Type.Union([Type.String(), Type.Null()]);
const Status = AudioRecord.properties.status;
const Visibility = Type.Union([Type.Literal('public'), Type.Literal('private')]);

/** A site in the path. */
export const SiteOfPosts = Type.Object({ site: Type.String({ description: 'Id or slug' }) });
export const SitePostParams = Type.Object({
  ...SiteOfPosts.properties,
  ...PostParams.properties,
});

export const PostsQuery = Type.Object({
  ...PageQuery.properties,
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Words that are part of id or title, in any case; one with a dot or a slash, also of the address; shorter than three characters: what the id begins with',
    }),
  ),
  status: Type.Optional(Status),
  language: Type.Optional(Type.String({ description: 'BCP 47 language code' })),
  visibility: Type.Optional(Visibility),
});

const postProperties = {
  post_id: Type.String(),
  title: OptionalText,
  url: OptionalText,
  visibility: Visibility,
  publish_at: OptionalText,
  created_at: Type.String(),
  updated_at: Type.String(),
};

/** A post in a list. */
export const PostRecord = Type.Object(
  {
    ...postProperties,
    audio: Type.Array(AudioRecord, { description: 'One for each language' }),
  },
  { title: 'Post' },
);
export type PostRecord = Static<typeof PostRecord>;
export const PostPage = pageOf(PostRecord);

const Playable = Type.Object({
  audio_url: Type.String(),
  duration_seconds: Type.Integer(),
  segments_url: Type.String({ description: 'Timings of its sentences' }),
});

/** One audio of a post, as its editors see it. */
export const AudioDetail = Type.Object(
  {
    ...AudioRecord.properties,
    main: Type.Boolean({ description: 'False: a further voice to switch to' }),
    title: OptionalText,
    content: Type.Optional(
      Type.String({ description: 'The text as it was handed in; main ones only' }),
    ),
    voice: Type.Object({
      id: Type.Integer(),
      name: Type.String(),
      language: Type.String(),
    }),
    segments_url: OptionalText,
    last_ready: Type.Union([Playable, Type.Null()], {
      description: 'What is still served while a new version is made, or after it failed',
    }),
  },
  { title: 'AudioDetail' },
);
export type AudioDetail = Static<typeof AudioDetail>;

export const PostDetail = Type.Object(
  {
    ...postProperties,
    audio: Type.Array(AudioDetail, { description: 'By language, main ones first' }),
  },
  { title: 'PostDetail' },
);
export type PostDetail = Static<typeof PostDetail>;

/** What can be changed of a post without sending its text again. */
export const EditPostBody = Type.Object(
  {
    url: Type.Optional(
      Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()], {
        description: 'Public http(s) address of the post',
      }),
    ),
    publish_at: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'ISO 8601; until then public routes know nothing of the post',
      }),
    ),
    visibility: Type.Optional(Visibility),
    priority: Type.Optional(
      oneOf(['high', 'normal', 'low'], {
        description: 'Of what of it waits or is being made; 409 where nothing does',
      }),
    ),
  },
  { title: 'EditPostRequest' },
);
export type EditPostBody = Static<typeof EditPostBody>;

/** Without a language: all of the post. */
export const PostLanguageQuery = StatusQuery;

export const RetriedPost = Type.Object({
  items: Type.Array(AudioRecord, { description: 'What is queued again' }),
});
