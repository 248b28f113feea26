import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { literalUnion, nullable } from '../http/validation.ts';
import { PlayerSettings } from '../sites/player-settings.ts';

const PostId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Id of the post in the system of the client; printable characters',
});
const Language = Type.String({ description: 'BCP 47 language code; `en-US` is accepted as `en`' });
const nullish = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema));
export const Visibility = literalUnion(['public', 'private']);

export const ContentType = literalUnion(['text/html', 'text/plain', 'text/markdown'], {
  description:
    '`text/html`, the default, also takes content without tags: plain text, and Markdown with headings, links or images. `text/plain` reads tags as text',
});

const sameAs = (name: string) => ({ deprecated: true, description: `Same as \`${name}\`` });

/** The other name of a field of a request. */
export function otherName<S extends TSchema>(schema: S, name: string) {
  return { ...schema, ...sameAs(name) };
}

const PostTitle = nullish(Type.String({ maxLength: 500, description: 'Spoken first' }));
const PostUrl = nullish(Type.String({ maxLength: 2_000, description: 'Public http(s) URL of the post' }));

/** Body of `POST /v1/audio/generate`. The longest content is a setting, checked in `submit.ts`. */
export const GenerateBody = Type.Object(
  {
    post_id: PostId,
    content: Type.String({ minLength: 50, description: 'Article text: HTML, plain, or as `content_type` says' }),
    content_type: nullish(ContentType),
    post_title: PostTitle,
    title: otherName(PostTitle, 'post_title'),
    post_url: PostUrl,
    url: otherName(PostUrl, 'post_url'),
    voice_id: nullish(Type.Integer({ description: 'Id of an installed voice' })),
    language: nullish(Language),
    publish_at: nullish(Type.String({ description: 'ISO 8601. Public routes do not find the post before this time' })),
    visibility: nullish(Visibility),
    priority: nullish(literalUnion(['high', 'normal', 'low'])),
  },
  { title: 'GenerateRequest' },
);
export type GenerateBody = Static<typeof GenerateBody>;

export const StatusQuery = Type.Object({
  language: Type.Optional(Language),
  lang: Type.Optional(Language),
});
export type StatusQuery = Static<typeof StatusQuery>;

export const StatusesQuery = Type.Object({
  ...StatusQuery.properties,
  post_id: Type.Array(PostId, { minItems: 1, maxItems: 100, description: 'Repeatable' }),
});

export const PostParams = Type.Object({ post_id: PostId });

/** In responses, as `post_title` in requests; `title` is its other name. */
export const TitleFields = {
  post_title: nullable(Type.String()),
  title: nullable(Type.String(), sameAs('post_title')),
};
/** In responses, as `post_url` in requests; `url` is its other name. */
export const UrlFields = {
  post_url: nullable(Type.String()),
  url: nullable(Type.String(), sameAs('post_url')),
};

export function toTitleFields(title: string | null) {
  return { post_title: title, title };
}

export function toUrlFields(url: string | null) {
  return { post_url: url, url };
}

/** Fields of an `AudioRecord` that are columns of `audio`; stores select and copy them by name. */
const AudioColumns = {
  language: Type.String(),
  voice_id: Type.Integer(),
  created_at: Type.String(),
  updated_at: Type.String(),
};
export const audioColumns = Object.keys(AudioColumns) as (keyof typeof AudioColumns)[];

export const FailureCode = literalUnion(['no_text', 'language', 'voice', 'speech', 'internal'], {
  description:
    '`no_text`: the content has no speakable text; `language`: no installed voice speaks its script; `voice`: the voice failed; `speech`: reading or synthesizing the text failed; `internal`: unexpected error',
});

const ContentCounts = Type.Object(
  {
    pictures: Type.Integer(),
    words: Type.Integer({
      description: 'In text that is left out, such as captions; of long text only the beginning counts',
    }),
  },
  { description: 'With the code `no_text`: what the content has instead' },
);
export type ContentCounts = Static<typeof ContentCounts>;

/** An audio in responses of generate and status. */
export const AudioRecord = Type.Object(
  {
    id: Type.Integer(),
    post_id: Type.String(),
    status: literalUnion(['pending', 'generating', 'ready', 'failed']),
    progress_percent: Type.Integer({ minimum: 0, maximum: 100 }),
    audio_url: nullable(Type.String()),
    duration_seconds: nullable(Type.Integer()),
    ...AudioColumns,
    voice_replaced: Type.Optional(
      Type.Literal(true, { description: 'The requested voice is gone; the audio has `voice_id` instead' }),
    ),
    error: Type.Optional(Type.String()),
    error_code: Type.Optional(FailureCode),
    content_counts: Type.Optional(ContentCounts),
    removed_at: Type.Optional(
      Type.String({
        description:
          'When the retention settings of the site removed the MP3. `status` is `failed` then; a repeated request generates it again',
      }),
    ),
    dismissed_at: Type.Optional(
      Type.String({
        description: 'When an editor decided that this failed audio is not needed; a new request clears it',
      }),
    ),
  },
  { title: 'AudioRecord' },
);
export type AudioRecord = Static<typeof AudioRecord>;

export const exampleReadyAudio = {
  id: 1,
  post_id: 'news/4711',
  status: 'ready',
  progress_percent: 100,
  audio_url: 'https://audio.example.org/v1/media/3kTMd1bA2s0PzXoW9uYqLr7c.mp3',
  duration_seconds: 151,
  language: 'en',
  voice_id: 1,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-02T08:15:20.000Z',
};
export const exampleQueuedAudio = {
  ...exampleReadyAudio,
  status: 'pending',
  progress_percent: 0,
  audio_url: null,
  duration_seconds: null,
  updated_at: exampleReadyAudio.created_at,
};

/** The status is null for unknown posts. */
export const AudioRecords = Type.Object({
  items: Type.Array(Type.Union([AudioRecord, Type.Object({ post_id: Type.String(), status: Type.Null() })])),
});

export const DeletedPost = Type.Object({
  post_id: Type.String(),
  languages: Type.Array(Type.String()),
});

const TimedWord = Type.Object({
  start: Type.Integer({ description: 'Start offset in the text of the segment, in UTF-16 code units' }),
  end: Type.Integer({ description: 'End offset, exclusive' }),
  start_ms: Type.Integer(),
  end_ms: Type.Integer(),
});

/** Sentence and word timings of an MP3, on the player timeline. */
export const Timings = Type.Object(
  {
    segments: Type.Array(
      Type.Object({
        index: Type.Integer(),
        start_ms: Type.Integer(),
        end_ms: Type.Integer({ description: 'Including the pause' }),
        text: Type.Optional(Type.String()),
        words: Type.Optional(
          Type.Array(TimedWord, {
            description:
              'The words of `text`, if the voice gives their times, as the built-in voices do. What is spoken as one, such as a date, is one word.',
          }),
        ),
        kind: Type.String({ description: '`title`, `heading`, `paragraph`, `quote` or `list`' }),
        ends_block: Type.Boolean({ description: 'Whether it is the last of its heading, paragraph or list item' }),
      }),
    ),
  },
  { title: 'Timings' },
);
export type Timings = Static<typeof Timings>;

/** A transcript in the Podcasting 2.0 format. */
export const PodcastTranscript = Type.Object(
  {
    version: Type.String(),
    segments: Type.Array(Type.Object({ startTime: Type.Number(), endTime: Type.Number(), body: Type.String() })),
  },
  { title: 'PodcastTranscript' },
);
export type PodcastTranscript = Static<typeof PodcastTranscript>;

const Domain = Type.String({ description: 'A domain of the site' });

export const PublicStatusQuery = Type.Object({
  domain: Domain,
  post_id: PostId,
  lang: Type.Optional(Language),
  language: Type.Optional(Language),
});

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

export const VoiceName = Type.Object({
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

export const PublicAudio = Type.Object(
  {
    ...AudioRecord.properties,
    ...TitleFields,
    ...UrlFields,
    voice: VoiceName,
    segments_url: nullable(Type.String(), { description: 'URL of the timings; null unless ready' }),
    last_ready: nullable(Type.Object(Playable), { description: 'Version that is served while this one is not ready' }),
    variants: Type.Array(Type.Object({ language: Type.String(), voice: VoiceName, ...Playable }), {
      description: 'Other ready languages and voices of this post',
    }),
    player: PlayerSettings,
  },
  { title: 'PublicAudio' },
);
export type PublicAudio = Static<typeof PublicAudio>;

export const RegeneratedAudios = Type.Object(
  {
    audios: Type.Integer({ description: 'Each language and each extra voice of a post counts as one' }),
    posts: Type.Integer(),
    voiceless: Type.Integer({ description: 'Audio not regenerated because its voice is not installed' }),
    complete: Type.Boolean({
      description: 'False: the queue or time limit was reached. Repeat the request to continue',
    }),
  },
  { title: 'RemadeAudios' },
);
export type RegeneratedAudios = Readonly<Static<typeof RegeneratedAudios>>;
