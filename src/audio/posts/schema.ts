import { type Static, Type } from '@sinclair/typebox';
import { PageQuery, pageSchema } from '../../http/pagination.ts';
import { literalUnion, nullable } from '../../http/validation.ts';
import { SiteParams } from '../../sites/schema.ts';
import {
  AudioRecord,
  ContentType,
  FailureCode,
  GenerateBody,
  otherName,
  PostParams,
  StatusQuery,
  TitleFields,
  toTitleFields,
  toUrlFields,
  UrlFields,
  Visibility,
  VoiceName,
} from '../schema.ts';

const OptionalText = nullable(Type.String());

export const SitePostParams = Type.Object({
  ...SiteParams.properties,
  ...PostParams.properties,
});

const PostState = literalUnion(['ready', 'generating', 'failed', 'scheduled', 'private', 'deleted'], {
  description:
    '`failed`: an audio failed and needs attention, as it was neither removed by the retention settings nor dismissed; `generating`: none failed, and one is pending or generating; `ready`: otherwise, with ready audio; `scheduled`: public at a later time. Default: all but deleted posts',
});
export type PostState = Static<typeof PostState>;
const PostSort = literalUnion(['newest', 'oldest', 'title', 'plays'], {
  default: 'newest',
  description:
    '`newest`, `oldest`: by creation, deleted posts by deletion; `title`: by title, else by id; `plays`: most plays in the last seven days first',
});
export type PostSort = Static<typeof PostSort>;

export const PostsQuery = Type.Object({
  ...PageQuery.properties,
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Search text. Matches words in id and title, case-insensitively; words with a dot or slash also match the URL. Fewer than three characters match the start of the id',
    }),
  ),
  status: Type.Optional(
    literalUnion(['pending', 'generating', 'ready', 'failed', 'removed'], {
      description: '`removed`: failed because the retention settings removed the MP3; `failed`: for any other reason',
    }),
  ),
  state: Type.Optional(PostState),
  language: Type.Optional(Type.String({ description: 'BCP 47 language code' })),
  voice_id: Type.Optional(Type.Integer({ description: 'Voice of a main audio of the post' })),
  visibility: Type.Optional(Visibility),
  sort: Type.Optional(PostSort),
});

const postProperties = {
  post_id: Type.String(),
  ...TitleFields,
  ...UrlFields,
  visibility: Visibility,
  publish_at: OptionalText,
  created_at: Type.String(),
  updated_at: Type.String(),
};

export const PostRecord = Type.Object(
  {
    ...postProperties,
    audio: Type.Array(AudioRecord, { description: 'One item per language' }),
  },
  { title: 'Post' },
);
export type PostRecord = Static<typeof PostRecord>;

const PostListItem = Type.Object(
  {
    ...PostRecord.properties,
    plays: Type.Array(Type.Number(), {
      minItems: 7,
      maxItems: 7,
      description: 'Plays of each of the last seven days in the time zone of the site, oldest first, today last',
    }),
    deleted_at: nullable(Type.String(), { description: 'Null unless deleted. A deleted post has no audio' }),
    purge_at: nullable(Type.String(), { description: 'When a deleted post is deleted for good; null unless deleted' }),
  },
  { title: 'PostListItem' },
);
export type PostListItem = Static<typeof PostListItem>;

export const PostCounts = Type.Object(
  {
    all: Type.Integer({ description: 'All but deleted posts' }),
    ready: Type.Integer(),
    generating: Type.Integer(),
    failed: Type.Integer(),
    scheduled: Type.Integer(),
    private: Type.Integer(),
    deleted: Type.Integer(),
  },
  { title: 'PostCounts', description: 'Posts of the site in each `state`, whatever the query' },
);
export type PostCounts = Static<typeof PostCounts>;
export const PostPage = Type.Object({ ...pageSchema(PostListItem).properties, counts: PostCounts });

const Playable = Type.Object({
  audio_url: Type.String(),
  duration_seconds: Type.Integer(),
  segments_url: Type.String({ description: 'URL of the sentence timings' }),
});

/** One audio of a post, as its editors see it. */
export const AudioDetail = Type.Object(
  {
    ...AudioRecord.properties,
    main: Type.Boolean({ description: 'False for extra voices' }),
    ...TitleFields,
    content: Type.Optional(Type.String({ description: 'The submitted text; only for main audio' })),
    content_type: Type.Optional(ContentType),
    voice: VoiceName,
    segments_url: OptionalText,
    last_ready: nullable(Playable, {
      description: 'Version that is served while a new one is generated or after it failed',
    }),
  },
  { title: 'AudioDetail' },
);
export type AudioDetail = Static<typeof AudioDetail>;

export const PostDetail = Type.Object(
  {
    ...postProperties,
    audio: Type.Array(AudioDetail, { description: 'Ordered by language, main audio first' }),
  },
  { title: 'PostDetail' },
);
export type PostDetail = Static<typeof PostDetail>;

/** Changes of a post that keep its text. */
export const EditPostBody = Type.Object(
  {
    post_url: GenerateBody.properties.post_url,
    url: otherName(GenerateBody.properties.post_url, 'post_url'),
    publish_at: Type.Optional(
      nullable(Type.String(), { description: 'ISO 8601. Public routes do not find the post before this time' }),
    ),
    visibility: Type.Optional(Visibility),
    priority: Type.Optional(
      literalUnion(['high', 'normal', 'low'], {
        description: 'New priority of its queued audio; 409 if none is queued',
      }),
    ),
  },
  { title: 'EditPostRequest' },
);
export type EditPostBody = Static<typeof EditPostBody>;

export const DeleteQuery = Type.Object({
  ...StatusQuery.properties,
  permanently: Type.Optional(
    Type.Boolean({ default: false, description: 'Keep nothing to restore, also of a post that is deleted already' }),
  ),
});

export const RetriedPost = Type.Object({ items: Type.Array(AudioRecord, { description: 'The queued audio' }) });

export const PostFailures = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        reason: nullable(Type.String(), { description: '`error` of the audio; null: not recorded' }),
        code: nullable(FailureCode, { description: '`error_code` of the audio; null: not recorded' }),
        retryable: Type.Boolean({ description: 'Whether a retry may succeed without another text, language or voice' }),
        count: Type.Integer({ description: 'Posts; one that fails in two languages for two reasons is in both' }),
        post_ids: Type.Array(Type.String(), { maxItems: 50, description: 'The newest of them' }),
      }),
    ),
  },
  { title: 'PostFailures' },
);

export const examplePost = {
  post_id: 'news/4711',
  ...toTitleFields('Harbor town reopens its lighthouse'),
  ...toUrlFields('https://www.example.org/news/4711'),
  visibility: 'public',
  publish_at: null,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:00.000Z',
};
