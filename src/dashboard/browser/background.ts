/** Lets work go on that nobody waits for. A failure is reported like any error of the page. */
export function runInBackground(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    setTimeout(() => {
      throw error;
    });
  });
}
