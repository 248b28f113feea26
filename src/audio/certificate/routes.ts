import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { RequireApiKey } from '../../auth/api-keys.ts';
import type { RequireSession } from '../../auth/sessions.ts';
import type { Database, Queries } from '../../database/open.ts';
import { AppError } from '../../errors.ts';
import { endpointSpec, envelope, toEndpointHook } from '../../http/endpoint.ts';
import { conditionalJsonResponse } from '../../http/static-assets.ts';
import { parseQuery } from '../../http/validation.ts';
import type { Catalog } from '../../voices/catalog.ts';
import { requestedLanguage } from '../choose-voice.ts';
import { SitePostParams } from '../posts/schema.ts';
import { PostParams, StatusQuery } from '../schema.ts';
import { buildCertificate, isReadyVersion } from './build.ts';
import { CertificateResponse } from './schema.ts';
import { type AudioQuery, findAudioByQuery, findVersion, listSegments } from './store.ts';

const cacheControl = 'private, no-cache';

export interface CertificateDeps {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly requireApiKey: RequireApiKey;
  readonly requireSession: RequireSession;
}

/** Without a language: English. */
const SessionQuery = Type.Object({
  ...StatusQuery.properties,
  voice_id: Type.Optional(Type.Integer({ description: 'An extra voice of the post; default: the main voice' })),
});

const sha256 = '5f0c6e3c9f3f4f6f0d0b3c1f6f7a9b6f1f8f4c2b7d6e5a4938271605f4e3d2c1';
const responses = {
  200: {
    description: 'The certificate of the current version',
    message: 'OK',
    data: CertificateResponse,
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
  304: { description: 'Not modified' },
};
const summary = 'Get the certificate of an audio';
const description =
  'Proves that no text is missing: for each segment the source range, time, voice, and the SHA-256 of its words and MP3 frames; and the excluded text with its reason. See `docs/proof.md` for how to verify it.';

const keyOperation = endpointSpec({
  summary,
  description,
  tag: 'Audio',
  access: 'key',
  params: PostParams,
  query: StatusQuery,
  responses,
  errors: ['post_not_found', 'certificate_not_found'],
});

const sessionOperation = endpointSpec({
  summary,
  description,
  tag: 'Posts',
  access: 'session',
  params: SitePostParams,
  query: SessionQuery,
  responses,
  errors: ['not_found', 'post_not_found', 'certificate_not_found'],
});

/** Certificates, for whoever has a key of the site, and for its people. */
export function certificateRoutes({ database, catalog, requireApiKey, requireSession }: CertificateDeps) {
  const { read } = database;
  return new Elysia({ name: 'certificate' })
    .get(
      '/v1/audio/:post_id/certificate',
      async ({ request, params }) => {
        const site = await requireApiKey(request);
        const language = await requestedLanguage(catalog, parseQuery(StatusQuery, request));
        const asked = { siteId: site.id, postId: params.post_id, language };
        return conditionalJsonResponse(request, await buildCertificateResponse(read, asked), cacheControl);
      },
      toEndpointHook(keyOperation),
    )
    .get(
      '/v1/sites/:site/posts/:post_id/certificate',
      async ({ request, params }) => {
        const { site } = await requireSession.site(request, params.site, 'viewer');
        const query = parseQuery(SessionQuery, request);
        const language = await requestedLanguage(catalog, query);
        const asked = {
          siteId: site.id,
          postId: params.post_id,
          language,
          furtherVoiceId: query.voice_id,
        };
        return conditionalJsonResponse(request, await buildCertificateResponse(read, asked), cacheControl);
      },
      toEndpointHook(sessionOperation),
    );
}

async function buildCertificateResponse(db: Queries, asked: AudioQuery) {
  const audio = await findAudioByQuery(db, asked);
  if (audio === undefined) throw new AppError('post_not_found', 'Post not found');
  const version = audio.version_id === null ? undefined : await findVersion(db, audio.version_id);
  if (version === undefined) {
    throw new AppError('certificate_not_found', 'No finished audio yet');
  }
  if (!isReadyVersion(version)) {
    throw new AppError(
      'certificate_not_found',
      'No certificate for this audio: it was generated by an older version of Lectern. Regenerate the post.',
    );
  }
  const certificate = buildCertificate(version, await listSegments(db, version.id));
  return envelope('OK', { sha256: version.certificate_sha256, certificate });
}
