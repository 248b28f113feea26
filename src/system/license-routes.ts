import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import notices from '../../THIRD-PARTY-NOTICES.md' with { type: 'text' };
import { type Asset, assetAnswer } from '../http/asset.ts';
import { described } from '../http/operation.ts';
import type { SessionAccess } from '../users/session-access.ts';

const licenses: Asset = { content: notices, type: 'text/plain; charset=utf-8' };

const licensesOperation = described({
  summary: 'What is inside, and under which licences',
  description: 'What `lectern licenses` prints.',
  tag: 'System',
  access: 'session',
  answers: {
    200: {
      description: 'Markdown',
      content: { type: 'text/plain', schema: Type.String() },
    },
    304: { description: 'Unchanged' },
  },
});

/** The licences of everything that is built in, for whoever is signed in. */
export function licenseRoutes({ bySession }: { readonly bySession: SessionAccess }) {
  return new Elysia({ name: 'licenses' }).get(
    '/v1/system/licenses',
    async ({ request }) => {
      await bySession.user(request);
      return assetAnswer(request, licenses);
    },
    licensesOperation,
  );
}
