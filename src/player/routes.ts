import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { browserBundle } from '../build/browser-bundles.ts';
import { described } from '../http/endpoint.ts';
import { type Asset, assetAnswer } from '../http/static-assets.ts';

const scriptOperation = described({
  summary: 'The player for pages',
  description: 'Defines the element `<lectern-player>`. It loads nothing else from anywhere.',
  tag: 'Public',
  access: 'none',
  answers: {
    200: {
      description: 'The script',
      content: { type: 'text/javascript', schema: Type.String() },
    },
    304: { description: 'Unchanged since the ETag that was sent' },
  },
});

/** What a page needs to let a post be heard. */
export function playerRoutes() {
  let script: Promise<Asset> | undefined;
  return new Elysia({ name: 'player' }).get(
    '/v1/public/player.js',
    async ({ request }) => {
      script ??= scriptAsset();
      return assetAnswer(request, await script, 'public, max-age=300');
    },
    scriptOperation,
  );
}

async function scriptAsset(): Promise<Asset> {
  const { script } = await browserBundle('player');
  return { content: script, type: 'text/javascript; charset=utf-8' };
}
