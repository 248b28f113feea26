import { type Static, Type } from '@sinclair/typebox';
import { literalUnion, nullable } from '../../http/validation.ts';

/** `data` of an `audio` event. */
export const LiveAudio = Type.Object(
  {
    post_id: Type.String(),
    language: Type.String(),
    voice_id: Type.Integer(),
    main: Type.Boolean({ description: 'False for extra voices' }),
    status: literalUnion(['pending', 'generating', 'ready', 'failed']),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    queue_position: nullable(Type.Integer({ minimum: 1 }), {
      description: 'Of the 50 next pending audios of the site: 1 is next; else null',
    }),
    seconds_left: nullable(Type.Integer(), { description: 'Estimate while generating; null: unknown' }),
    error: nullable(Type.String()),
  },
  { title: 'LiveAudio' },
);
export type LiveAudio = Static<typeof LiveAudio>;
