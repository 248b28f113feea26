/** @param percent 0…100 */
export function Progress({ label, percent }: { readonly label: string; readonly percent: number }) {
  return (
    <span class="progress">
      <progress aria-label={label} max={100} value={percent} />
      <span>{percent}%</span>
    </span>
  );
}
