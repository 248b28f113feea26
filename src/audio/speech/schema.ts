import { type Static, type TSchema, Type } from '@sinclair/typebox';

const orNull = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));
const VoiceName = Type.String({ minLength: 1, maxLength: 255 });

/** Body of `POST /v1/audio/speech`, as OpenAI's clients send it; further members of theirs are ignored. */
export const SpeechBody = Type.Object({
  model: Type.Optional(Type.String({ description: 'Ignored: the voice says it all' })),
  input: Type.String({ minLength: 1, maxLength: 4_096, description: 'Plain text or HTML' }),
  voice: Type.Union([VoiceName, Type.Integer(), Type.Object({ id: VoiceName })], {
    description: 'Name or id of a voice out of the voice list',
  }),
  response_format: orNull(
    Type.Union([Type.Literal('mp3'), Type.Literal('wav'), Type.Literal('pcm')], {
      description:
        '`mp3` unless named. `wav` and `pcm` are mono samples of 16 bits at 24,000 Hz, the lower byte first; the lengths in the head of a `wav` are 0xFFFFFFFF',
    }),
  ),
  speed: orNull(Type.Number({ minimum: 0.25, maximum: 4, description: '1 unless named' })),
  stream_format: orNull(
    Type.Literal('audio', { description: 'The sound itself comes, as it is made' }),
  ),
});
export type SpeechBody = Static<typeof SpeechBody>;

/** What errors carry beside the envelope where clients of OpenAI ask. */
export const OpenAiErrorBody = Type.Object(
  {
    error: Type.Optional(
      Type.Object(
        {
          message: Type.String({ description: 'With all that is wrong with fields' }),
          type: Type.String(),
          param: Type.Union([Type.String(), Type.Null()], { description: 'The field, if any' }),
          code: Type.String(),
        },
        { description: 'As clients of OpenAI read it' },
      ),
    ),
  },
  { title: 'OpenAiError' },
);

/** Answer of `GET /v1/models`. */
export const Models = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      object: Type.Literal('model'),
      created: Type.Integer({ description: 'Seconds since 1970' }),
      owned_by: Type.String(),
    }),
  ),
});
export type Models = Static<typeof Models>;
