/**
 * Saves a file of another origin; a plain link would open it.
 * @param name without extension
 */
export async function download(url: string, name: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${answer.status}`);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = `${name}.mp3`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Opens the sharing of the system, else copies the address. */
export async function share(url: string, title: string): Promise<'copied' | 'shared'> {
  if (navigator.share !== undefined) {
    await navigator.share({ url, title });
    return 'shared';
  }
  await navigator.clipboard.writeText(url);
  return 'copied';
}
