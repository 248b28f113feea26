/**
 * A body whose rest is made while it is sent, a little ahead of what the client has taken.
 * @param first goes out at once
 * @param onEnd told once: with the error when the rest broke off, else when it is whole or the client has gone
 */
export function growingBody(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array, undefined>,
  chunksAhead: number,
  onEnd: (error?: unknown) => void,
): ReadableStream<Uint8Array> {
  let isOver = false;
  const end = (error?: unknown): void => {
    if (isOver) return;
    isOver = true;
    onEnd(error);
  };
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(first),
      pull: async (controller) => {
        try {
          const { done, value } = await rest.next();
          if (isOver) return;
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (error) {
          if (isOver) return;
          end(error);
          // Cuts the connection, so that nobody takes it for the end; a reason would only be printed.
          controller.error();
        }
      },
      cancel: () => end(),
    },
    { highWaterMark: chunksAhead },
  );
}
