import { type Static, type TSchema, Type } from '@sinclair/typebox';

const PostId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Id of the post in the system of the client; printable characters',
});
const Language = Type.String({ description: 'BCP 47 language code; `en-US` is accepted as `en`' });
const nullish = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

/** Body of `POST /v1/audio/generate`. The longest content is a setting, checked in `request.ts`. */
export const GenerateBody = Type.Object(
  {
    post_id: PostId,
    content: Type.String({ minLength: 50, description: 'Article text, plain or HTML' }),
    post_title: nullish(Type.String({ maxLength: 500, description: 'Spoken first' })),
    post_url: nullish(
      Type.String({
        maxLength: 2_000,
        description: 'Public http(s) URL of the post',
      }),
    ),
    voice_id: nullish(Type.Integer({ description: 'Id of an installed voice' })),
    language: nullish(Language),
    publish_at: nullish(Type.String({ description: 'ISO 8601. Public routes do not find the post before this time' })),
    visibility: nullish(Type.Union([Type.Literal('public'), Type.Literal('private')])),
    priority: nullish(Type.Union([Type.Literal('high'), Type.Literal('normal'), Type.Literal('low')])),
  },
  { title: 'GenerateRequest' },
);
export type GenerateBody = Static<typeof GenerateBody>;

/** Query of a status. */
export const StatusQuery = Type.Object({
  language: Type.Optional(Language),
  lang: Type.Optional(Language),
});
export type StatusQuery = Static<typeof StatusQuery>;

/** Query of the status of many posts. */
export const StatusesQuery = Type.Object({
  ...StatusQuery.properties,
  post_id: Type.Array(PostId, { minItems: 1, maxItems: 100, description: 'Repeatable' }),
});

/** A post in the path. */
export const PostParams = Type.Object({ post_id: PostId });

/** The audio record of generate and status answers. */
export const AudioRecord = Type.Object(
  {
    id: Type.Integer(),
    post_id: Type.String(),
    status: Type.Union([
      Type.Literal('pending'),
      Type.Literal('generating'),
      Type.Literal('ready'),
      Type.Literal('failed'),
    ]),
    progress_percent: Type.Integer({ minimum: 0, maximum: 100 }),
    audio_url: Type.Union([Type.String(), Type.Null()]),
    duration_seconds: Type.Union([Type.Integer(), Type.Null()]),
    language: Type.String(),
    voice_id: Type.Integer(),
    created_at: Type.String(),
    updated_at: Type.String(),
    error: Type.Optional(Type.String()),
  },
  { title: 'AudioRecord' },
);
export type AudioRecord = Static<typeof AudioRecord>;

/** Answer about many posts: those without a record have a null status. */
export const AudioRecords = Type.Object({
  items: Type.Array(Type.Union([AudioRecord, Type.Object({ post_id: Type.String(), status: Type.Null() })])),
});

/** What was deleted. */
export const DeletedPost = Type.Object({
  post_id: Type.String(),
  languages: Type.Array(Type.String()),
});

/** The timings beside an MP3, on the timeline that players show. */
export const Timings = Type.Object(
  {
    segments: Type.Array(
      Type.Object({
        index: Type.Integer(),
        start_ms: Type.Integer(),
        end_ms: Type.Integer(),
        text: Type.Optional(Type.String()),
        kind: Type.String(),
      }),
    ),
  },
  { title: 'Timings' },
);
export type Timings = Static<typeof Timings>;

/** A transcript in the form of the Podcast Index: seconds. */
export const PodcastTranscript = Type.Object(
  {
    version: Type.String(),
    segments: Type.Array(Type.Object({ startTime: Type.Number(), endTime: Type.Number(), body: Type.String() })),
  },
  { title: 'PodcastTranscript' },
);
export type PodcastTranscript = Static<typeof PodcastTranscript>;

const Domain = Type.String({ description: 'A domain of the site' });

/** Query of a public status. */
export const PublicStatusQuery = Type.Object({
  domain: Domain,
  post_id: PostId,
  lang: Type.Optional(Language),
  language: Type.Optional(Language),
});

/** Query of a public audio. */
export const PublicAudioQuery = Type.Object({
  domain: Domain,
  post_id: Type.Optional(PostId),
  url: Type.Optional(
    Type.String({
      maxLength: 8_000,
      description:
        'URL of the page, as an alternative to `post_id`. Scheme, port, query, fragment and trailing slash are ignored',
    }),
  ),
  lang: Type.Optional(Language),
  language: Type.Optional(Language),
  voice_id: Type.Optional(Type.Integer({ description: 'Id of a ready voice; default: the main voice' })),
});
export type PublicAudioQuery = Static<typeof PublicAudioQuery>;

const VoiceName = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  language: Type.String(),
});

/** An MP3 with its timings. */
const Playable = {
  audio_url: Type.String(),
  duration_seconds: Type.Integer(),
  segments_url: Type.String(),
};

/** All that a player shows of a post. */
export const PublicAudio = Type.Object(
  {
    ...AudioRecord.properties,
    title: Type.Union([Type.String(), Type.Null()]),
    url: Type.Union([Type.String(), Type.Null()]),
    voice: VoiceName,
    segments_url: Type.Union([Type.String(), Type.Null()], {
      description: 'URL of the timings; null unless ready',
    }),
    last_ready: Type.Union([Type.Object(Playable), Type.Null()], {
      description: 'Version that is served while this one is not ready',
    }),
    variants: Type.Array(Type.Object({ language: Type.String(), voice: VoiceName, ...Playable }), {
      description: 'Other ready languages and voices of this post',
    }),
  },
  { title: 'PublicAudio' },
);
export type PublicAudio = Static<typeof PublicAudio>;

/** What was put back to the queue to be made again. */
export const RegeneratedAudios = Type.Object(
  {
    audios: Type.Integer({
      description: 'Each language and each extra voice of a post counts as one',
    }),
    posts: Type.Integer(),
    voiceless: Type.Integer({
      description: 'Audio not regenerated because its voice is not installed',
    }),
    complete: Type.Boolean({
      description: 'False: the queue or time limit was reached. Repeat the request to continue',
    }),
  },
  { title: 'RemadeAudios' },
);
