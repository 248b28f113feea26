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
