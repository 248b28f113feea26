import { type Static, Type } from '@sinclair/typebox';

/** Body of `POST /v1/audio/generate`. Lengths count Unicode code points and are checked in `request.ts`. */
export const GenerateBody = Type.Object({
  post_id: Type.String({
    description: "The client's own identifier of the post, 1–255 characters",
  }),
  content: Type.String({ description: 'Article text, plain or HTML, at least 50 characters' }),
  post_title: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  post_url: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  voice_id: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  language: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  publish_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  visibility: Type.Optional(
    Type.Union([Type.Literal('public'), Type.Literal('private'), Type.Null()]),
  ),
  priority: Type.Optional(
    Type.Union([Type.Literal('high'), Type.Literal('normal'), Type.Literal('low'), Type.Null()]),
  ),
});
export type GenerateBody = Static<typeof GenerateBody>;

/** The audio record of generate and status answers. */
export const AudioRecord = Type.Object({
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
});
export type AudioRecord = Static<typeof AudioRecord>;

/** The timings beside an MP3, on the timeline that players show. */
export const Timings = Type.Object({
  segments: Type.Array(
    Type.Object({
      index: Type.Integer(),
      start_ms: Type.Integer(),
      end_ms: Type.Integer(),
      text: Type.Optional(Type.String()),
      kind: Type.String(),
    }),
  ),
});
export type Timings = Static<typeof Timings>;
