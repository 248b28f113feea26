import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

interface DropZoneProps {
  /** What the button for those who don't drag says. */
  readonly label: string;
  /** Endings of the files that are offered. */
  readonly accept: string;
  readonly isDisabled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ComponentChildren;
}

/** Takes files that are dropped onto it or chosen. */
export function DropZone({ label, accept, isDisabled, onFiles, children }: DropZoneProps) {
  const [isOver, setIsOver] = useState(false);
  const id = useId();
  return (
    <section
      class={isOver ? 'drop-zone over' : 'drop-zone'}
      aria-label="Files"
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(!isDisabled);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        if (!isDisabled) onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {children}
      <p>
        <input
          id={id}
          class="unseen"
          type="file"
          multiple
          accept={accept}
          disabled={isDisabled}
          onChange={({ currentTarget }) => {
            onFiles([...(currentTarget.files ?? [])]);
            // So that the same file can be chosen again after it was mended.
            currentTarget.value = '';
          }}
        />
        <label for={id} class="button secondary">
          {label}
        </label>
      </p>
    </section>
  );
}
