import { type Static, Type } from '@sinclair/typebox';

/** A voice as everyone may see it. */
export const VoiceRecord = Type.Object({
  id: Type.Integer({ description: 'Used as `voice_id`' }),
  name: Type.String(),
  type: Type.Literal('neural'),
  language: Type.String({ description: 'BCP 47 primary code' }),
  gender: Type.Union([Type.Literal('female'), Type.Literal('male'), Type.Literal('neutral')]),
  plan_required: Type.Union([
    Type.Literal('starter'),
    Type.Literal('growth'),
    Type.Literal('enterprise'),
  ]),
});
export type VoiceRecord = Static<typeof VoiceRecord>;

/** The voices of a site. */
export const VoiceList = Type.Object({
  voices: Type.Array(VoiceRecord),
  default_voice_id: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Null only when the site has no voice at all',
  }),
  allow_switch: Type.Boolean({ description: 'Whether a listener may switch voices' }),
});
export type VoiceList = Static<typeof VoiceList>;
