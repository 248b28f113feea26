import { type Pack, pack } from 'tar-stream';

/**
 * The bytes of a tar file, made as they are taken.
 * @param fill adds the entries; what it throws, the reader gets
 */
export async function* streamTar(fill: (archive: Pack) => Promise<void>): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const filling = fill(archive).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  try {
    yield* archive as AsyncIterable<Uint8Array>;
  } finally {
    // Where the reader has given up, the entry in hand ends too.
    archive.destroy();
    await filling;
  }
}
