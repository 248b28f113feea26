import { type Static, Type } from '@sinclair/typebox';
import { oneOf } from '../../http/validation.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Sha256 = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{64}$', description: `SHA-256, hex: ${description}` });
const Field = oneOf(['intro', 'title', 'content', 'outro', 'disclosure'], {
  description: 'What was sent, or a line the site has set',
});
const Span = {
  field: Field,
  start: Count('First UTF-16 unit of the field'),
  end: Count('First unit behind it'),
};

const CertifiedVoice = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  content_sha256: Sha256('model and config'),
  speaker: Type.Integer(),
  gain_db: Type.Number(),
  license: Type.Union([Type.String(), Type.Null()]),
});

const Coverage = Type.Object({
  kept_characters: Count('What the text keeps once markup and what is left out are gone'),
  silent_characters: Count('Those in sentences without anything to say; listed in `left_out`'),
  spoken_characters: Count('Those in segments: all others'),
  spoken_sha256: Sha256('the spoken characters in order, as UTF-16LE'),
});

/** What an audio was made with and from, as far as no other column of its version says it. */
export const Provenance = Type.Object({
  format: Type.Literal(1, { description: 'Of the certificate' }),
  program: Type.String({ description: 'Version of Lectern' }),
  engine: Type.Integer({ description: 'Raised whenever the same phonemes sound otherwise' }),
  speed: Type.Number(),
  voices: Type.Array(CertifiedVoice),
  source: Type.Array(
    Type.Object({
      field: Field,
      length: Count('UTF-16 units'),
      sha256: Sha256('the field as UTF-8'),
    }),
    { description: 'What was read; empty fields are not named' },
  ),
  coverage: Type.Object(Coverage.properties, {
    description: 'Characters are UTF-16 units that are no white space',
  }),
});
export type Provenance = Static<typeof Provenance>;

const CertifiedSegment = Type.Object({
  index: Type.Integer(),
  kind: Type.String(),
  ...Span,
  text_sha256: Sha256('the words as they are read, as UTF-8'),
  spoken_sha256: Sha256('the words as they are said, as UTF-8'),
  voice_id: Type.Integer(),
  phonemes: Count('Phonemes that are heard'),
  ms_per_phoneme: Type.Number({ description: 'Of the speech, without the pause' }),
  start_ms: Count('On the timeline players show'),
  end_ms: Count('With the pause'),
  pause_ms: Count('As planned; the sound has it in whole frames'),
  frames: Count('MP3 frames'),
  bytes: Count('Of the frames'),
  sha256: Sha256('the frames'),
});

const { format, ...madeWith } = Provenance.properties;

/** Proof of what an audio is: what of the text is spoken where, with what, and what is not, and why. */
export const Certificate = Type.Object(
  {
    format,
    site_id: Type.Integer(),
    post_id: Type.String(),
    language: Type.String(),
    audio_id: Type.Integer(),
    version: Type.Integer({ description: 'One making of the audio' }),
    made_at: Type.String(),
    ...madeWith,
    left_out: Type.Array(
      Type.Object({
        ...Span,
        reason: Type.String(),
        text: Type.String({ description: 'Its first 200 characters' }),
      }),
    ),
    segments: Type.Array(CertifiedSegment, { description: 'In the order they are heard' }),
    sound: Type.Object({
      sample_rate_hz: Type.Integer(),
      bit_rate_kbps: Type.Integer(),
      frames: Count('MP3 frames of all segments'),
      bytes: Count('Of these frames: the file behind its ID3 tag and Info frame'),
      duration_ms: Count('As players show it'),
    }),
  },
  { title: 'Certificate' },
);
export type Certificate = Static<typeof Certificate>;

/** The answer: a certificate and its name. */
export const CertificateAnswer = Type.Object({
  sha256: Sha256('the certificate in canonical JSON (RFC 8785); also in the ID3 tag of the MP3'),
  certificate: Certificate,
});
export type CertificateAnswer = Static<typeof CertificateAnswer>;
