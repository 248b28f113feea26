/** The mark of Lectern: a reading desk seen from the side, sound rising from it. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" fill="none" stroke-linecap="round" stroke-linejoin="round">
      <path d="M5.5 18.5 26.5 12.5M16 15.8V27M10 27.5h12" stroke="var(--accent)" stroke-width="3" />
      <path d="M9.5 12.2v-2.4M14.5 10.8V5.2M19.5 9.2V2.8M24.2 7.6V5.6" stroke="var(--lamp)" stroke-width="2.6" />
    </svg>
  );
}
