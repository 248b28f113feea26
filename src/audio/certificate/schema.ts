import { type Static, Type } from '@sinclair/typebox';
import { literalUnion, nullable } from '../../http/validation.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Sha256 = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{64}$', description: `SHA-256, hex: ${description}` });
const Field = literalUnion(['intro', 'title', 'content', 'outro', 'disclosure'], {
  description: 'Source field: title or content of the request, or a text from the site settings',
});
const Span = {
  field: Field,
  start: Count('Start offset in the field, in UTF-16 code units'),
  end: Count('End offset in the field, exclusive'),
};

const CertifiedVoice = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  content_sha256: Sha256('model and config'),
  speaker: Type.Integer(),
  gain_db: Type.Number(),
  license: nullable(Type.String()),
});

const Coverage = Type.Object({
  kept_characters: Count('Characters of the text without markup and excluded text'),
  silent_characters: Count('Characters of sentences without speakable content; listed in `left_out`'),
  spoken_characters: Count('Characters of all segments'),
  spoken_sha256: Sha256('the spoken characters in order, as UTF-16LE'),
});

/** The part of a certificate that no other column of its version has. */
export const Provenance = Type.Object({
  format: Type.Literal(1, { description: 'Format version of the certificate' }),
  program: Type.String({ description: 'Lectern version' }),
  engine: Type.Integer({
    description: 'Speech engine version; increases when the same phonemes produce different audio',
  }),
  speed: Type.Number(),
  voices: Type.Array(CertifiedVoice),
  source: Type.Array(
    Type.Object({
      field: Field,
      length: Count('UTF-16 units'),
      sha256: Sha256('the field as UTF-8'),
    }),
    { description: 'Source fields; empty fields are omitted' },
  ),
  coverage: Type.Object(Coverage.properties, { description: 'Characters are UTF-16 code units except white space' }),
});
export type Provenance = Static<typeof Provenance>;

const CertifiedSegment = Type.Object({
  index: Type.Integer(),
  kind: Type.String(),
  ...Span,
  text_sha256: Sha256('the text as written, as UTF-8'),
  spoken_sha256: Sha256('the spoken text, as UTF-8'),
  voice_id: Type.Integer(),
  phonemes: Count('Audible phonemes'),
  ms_per_phoneme: Type.Number({ description: 'Of the speech without the pause' }),
  start_ms: Count('On the player timeline'),
  end_ms: Count('Including the pause'),
  pause_ms: Count('As planned; the audio rounds it to whole frames'),
  frames: Count('MP3 frames'),
  bytes: Count('Size of the frames'),
  sha256: Sha256('the frames'),
});

const { format, ...provenanceProperties } = Provenance.properties;

/** Lists which part of the text is spoken where and with what, and which part is not, and why. */
export const Certificate = Type.Object(
  {
    format,
    site_id: Type.Integer(),
    post_id: Type.String(),
    language: Type.String(),
    audio_id: Type.Integer(),
    version: Type.Integer({ description: 'Id of this version of the audio' }),
    made_at: Type.String(),
    ...provenanceProperties,
    left_out: Type.Array(
      Type.Object({
        ...Span,
        reason: Type.String(),
        text: Type.String({ description: 'First 200 characters' }),
      }),
    ),
    segments: Type.Array(CertifiedSegment, { description: 'In playback order' }),
    sound: Type.Object({
      sample_rate_hz: Type.Integer(),
      bit_rate_kbps: Type.Integer(),
      frames: Count('MP3 frames of all segments'),
      bytes: Count('Size of these frames: the file without its ID3 tag and Info frame'),
      duration_ms: Count('As shown by players'),
    }),
  },
  { title: 'Certificate' },
);
export type Certificate = Static<typeof Certificate>;

export const CertificateResponse = Type.Object({
  sha256: Sha256('the certificate in canonical JSON (RFC 8785); also in the ID3 tag of the MP3'),
  certificate: Certificate,
});
export type CertificateResponse = Static<typeof CertificateResponse>;
