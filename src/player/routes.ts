import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { browserBundle } from '../build/browser-bundles.ts';
import { endpointSpec, toEndpointHook } from '../http/endpoint.ts';
import { type Asset, assetResponse } from '../http/static-assets.ts';

const scriptOperation = endpointSpec({
  summary: 'Get the player script',
  description: 'Defines the `<lectern-player>` element. Loads no other resources.',
  tag: 'Public',
  access: 'none',
  responses: {
    200: {
      description: 'The script',
      content: { type: 'text/javascript', schema: Type.String() },
    },
    304: { description: 'Not modified' },
  },
});

/** What a page needs to let a post be heard. */
export function playerRoutes() {
  let script: Promise<Asset> | undefined;
  return new Elysia({ name: 'player' }).get(
    '/v1/public/player.js',
    async ({ request }) => {
      script ??= loadPlayerScript();
      return assetResponse(request, await script, 'public, max-age=300');
    },
    toEndpointHook(scriptOperation),
  );
}

async function loadPlayerScript(): Promise<Asset> {
  const { script } = await browserBundle('player');
  return { content: script, type: 'text/javascript; charset=utf-8' };
}
