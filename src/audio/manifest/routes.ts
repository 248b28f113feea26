import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { KeyAccess } from '../../auth/api-keys.ts';
import type { SessionAccess } from '../../auth/sessions.ts';
import type { Database, Queries } from '../../database/open.ts';
import { AppError } from '../../errors.ts';
import { described, envelope } from '../../http/endpoint.ts';
import { conditionalAnswer } from '../../http/static-assets.ts';
import { readQuery } from '../../http/validation.ts';
import type { Catalog } from '../../voices/catalog.ts';
import { askedLanguage } from '../choose-voice.ts';
import { SitePostParams } from '../posts/schema.ts';
import { PostParams, StatusQuery } from '../schema.ts';
import { buildCertificate, isMade } from './build.ts';
import { CertificateAnswer } from './schema.ts';
import { type AskedAudio, findAsked, findVersion, listSegments } from './store.ts';

const cacheControl = 'private, no-cache';

export interface CertificateDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly byKey: KeyAccess;
  readonly bySession: SessionAccess;
}

/** Without a language: English. */
const SessionQuery = Type.Object({
  ...StatusQuery.properties,
  voice_id: Type.Optional(
    Type.Integer({ description: 'A further voice of the text; without it the main one' }),
  ),
});

const sha256 = '5f0c6e3c9f3f4f6f0d0b3c1f6f7a9b6f1f8f4c2b7d6e5a4938271605f4e3d2c1';
const answers = {
  200: {
    description: 'The certificate of the version that is served',
    message: 'OK',
    data: CertificateAnswer,
    example: {
      sha256,
      certificate: {
        format: 1,
        site_id: 1,
        post_id: 'news/4711',
        language: 'en',
        audio_id: 1,
        version: 1,
        made_at: '2026-11-02T08:15:20.000Z',
        program: '0.1.0',
        engine: 2,
        speed: 1,
        voices: [
          {
            id: 1,
            name: 'Alder',
            content_sha256: sha256,
            speaker: 0,
            gain_db: 2.4,
            license: 'CC0-1.0',
          },
        ],
        source: [{ field: 'content', length: 75, sha256 }],
        coverage: {
          kept_characters: 58,
          silent_characters: 0,
          spoken_characters: 58,
          spoken_sha256: sha256,
        },
        left_out: [],
        segments: [
          {
            index: 0,
            kind: 'paragraph',
            field: 'content',
            start: 3,
            end: 71,
            text_sha256: sha256,
            spoken_sha256: sha256,
            voice_id: 1,
            phonemes: 53,
            ms_per_phoneme: 71,
            start_ms: 0,
            end_ms: 4_292,
            pause_ms: 600,
            frames: 121,
            bytes: 34_848,
            sha256,
          },
        ],
        sound: {
          sample_rate_hz: 16_000,
          bit_rate_kbps: 64,
          frames: 121,
          bytes: 34_848,
          duration_ms: 4_292,
        },
      },
    },
  },
  304: { description: 'Unchanged since the ETag that was sent' },
};
const summary = 'What an audio is, to the last sentence';
const description =
  'Proof that nothing of the text is missing: which stretch of it is spoken when, by which voice, with a SHA-256 of the words and of the MP3 frames; what is left out, and why. `docs/proof.md` says how to check it.';

const keyOperation = described({
  summary,
  description,
  tag: 'Audio',
  access: 'key',
  params: PostParams,
  query: StatusQuery,
  answers,
  errors: ['post_not_found', 'certificate_not_found'],
});

const sessionOperation = described({
  summary,
  description,
  tag: 'Posts',
  access: 'session',
  params: SitePostParams,
  query: SessionQuery,
  answers,
  errors: ['not_found', 'post_not_found', 'certificate_not_found'],
});

/** Certificates, for whoever has a key of the site, and for its people. */
export function certificateRoutes({ database, catalog, byKey, bySession }: CertificateDeps) {
  const { read } = database;
  return new Elysia({ name: 'certificate' })
    .get(
      '/v1/audio/:post_id/certificate',
      async ({ request, params }) => {
        const site = await byKey(request);
        const language = await askedLanguage(catalog, readQuery(StatusQuery, request));
        const asked = { siteId: site.id, postId: params.post_id, language };
        return conditionalAnswer(request, await certificateAnswer(read, asked), cacheControl);
      },
      keyOperation,
    )
    .get(
      '/v1/sites/:site/posts/:post_id/certificate',
      async ({ request, params }) => {
        const { site } = await bySession.site(request, params.site, 'viewer');
        const query = readQuery(SessionQuery, request);
        const language = await askedLanguage(catalog, query);
        const asked = {
          siteId: site.id,
          postId: params.post_id,
          language,
          furtherVoiceId: query.voice_id,
        };
        return conditionalAnswer(request, await certificateAnswer(read, asked), cacheControl);
      },
      sessionOperation,
    );
}

async function certificateAnswer(db: Queries, asked: AskedAudio) {
  const audio = await findAsked(db, asked);
  if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
  const version = audio.version_id === null ? undefined : await findVersion(db, audio.version_id);
  if (version === undefined) {
    throw new AppError('certificate_not_found', 'This audio has not been ready yet');
  }
  if (!isMade(version)) {
    throw new AppError(
      'certificate_not_found',
      'This audio was made before there were certificates; have the post made again to have one',
    );
  }
  const certificate = buildCertificate(version, await listSegments(db, version.id));
  return envelope('OK', { sha256: version.certificate_sha256, certificate });
}
