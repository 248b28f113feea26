import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { browserBundle } from '../build/browser-bundles.ts';
import { endpointSpec } from '../http/endpoint.ts';
import { type Asset, assetResponse } from '../http/static-assets.ts';
import type { Services } from '../services.ts';

const scriptSpec = endpointSpec({
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

/** The script that a page embeds for its player. */
export function playerRoutes({ endpoint }: Services) {
  let script: Promise<Asset> | undefined;
  return new Elysia({ name: 'player' }).get(
    '/v1/public/player.js',
    ...endpoint(scriptSpec, async ({ request }) => {
      script ??= loadPlayerScript();
      return assetResponse(request, await script, 'public, max-age=300');
    }),
  );
}

async function loadPlayerScript(): Promise<Asset> {
  const { script } = await browserBundle('player');
  return { content: script, type: 'text/javascript; charset=utf-8' };
}
