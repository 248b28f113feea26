import { browserBundle } from '../../src/build/browser-bundles.ts';
import { assetResponse } from '../../src/http/static-assets.ts';
import type { Figure } from './figure.ts';

/** Compressed size of the files that every reader loads. */
export const playerSize: Figure = {
  name: 'player-size',
  measure: async () => {
    const { script } = await browserBundle('player');
    const request = new Request('http://127.0.0.1/', { headers: { 'accept-encoding': 'gzip' } });
    const response = assetResponse(request, { content: script, type: 'text/javascript' });
    const { byteLength } = await response.arrayBuffer();
    const name = 'Player: script as it is sent, compressed';
    return [{ name, unit: 'KB', values: [byteLength / 1000], target: 15 }];
  },
};
