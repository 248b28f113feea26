/** Runs work without waiting for it. A failure is reported like any error of the page. */
export function runInBackground(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    setTimeout(() => {
      throw error;
    });
  });
}
