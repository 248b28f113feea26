import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { browserBundle } from '../build/browser-bundles.ts';
import { AppError } from '../errors.ts';
import { endpointSpec } from '../http/endpoint.ts';
import { allowAnyOrigin } from '../http/request-context.ts';
import { type Asset, assetResponse } from '../http/static-assets.ts';
import type { Services } from '../services.ts';
import { getTexts, supportedLanguages } from '../texts.ts';

const scriptSpec = endpointSpec({
  summary: 'Get the player script',
  description:
    'Defines the `<lectern-player>` element. Loads its texts from `player-texts/{language}` if they are not English, and a second script from `player-extras/` when playback starts.',
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

const cacheControl = 'public, max-age=300';
const textAssets = new Map<string, Asset>(
  supportedLanguages.map((language) => [
    language,
    { content: JSON.stringify(getTexts(language).texts.player), type: 'application/json' },
  ]),
);

/** The script that a page embeds for its player, its second script, and its texts. */
export function playerRoutes({ endpoint }: Services) {
  let script: Promise<Asset> | undefined;
  let extras: Promise<Asset> | undefined;
  return (
    new Elysia({ name: 'player' })
      .get(
        '/v1/public/player.js',
        ...endpoint(scriptSpec, async ({ request }) => {
          script ??= loadScript('player');
          return assetResponse(request, await script, cacheControl);
        }),
      )
      // The name changes with the content. Pages that are still open get the current script.
      .get('/v1/public/player-extras/:file', async ({ request }) => {
        // A module is always requested with CORS.
        allowAnyOrigin(request);
        extras ??= loadScript('playerExtras');
        return assetResponse(request, await extras, cacheControl);
      })
      .get('/v1/public/player-texts/:language', ({ request, params }) => {
        allowAnyOrigin(request);
        const asset = textAssets.get(params.language);
        if (asset === undefined) throw new AppError('not_found', 'Player texts not found');
        return assetResponse(request, asset, cacheControl);
      })
  );
}

async function loadScript(part: 'player' | 'playerExtras'): Promise<Asset> {
  const { script } = await browserBundle(part);
  return { content: script, type: 'text/javascript; charset=utf-8' };
}
