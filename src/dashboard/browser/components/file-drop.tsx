import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

export interface FileDropProps {
  /** Text of the file button. */
  readonly label: string;
  readonly accept: string;
  readonly isDisabled: boolean;
  readonly onFiles: (files: readonly File[]) => unknown;
  readonly children: ComponentChildren;
}

/** Accepts dropped or selected files. */
export function FileDrop({ label, accept, isDisabled, onFiles, children }: FileDropProps) {
  const [isOver, setIsOver] = useState(false);
  const id = useId();
  return (
    <section
      class={isOver ? 'drop over' : 'drop'}
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
            // Allows the same file to be selected again after a correction.
            currentTarget.value = '';
          }}
        />
        <label for={id} class="button">
          {label}
        </label>
      </p>
    </section>
  );
}

interface PageDropProps extends Pick<FileDropProps, 'isDisabled' | 'onFiles' | 'children'> {}

/** A part of a page that accepts dropped files anywhere; a button does the same. */
export function PageDrop({ isDisabled, onFiles, children }: PageDropProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: whoever cannot drop files uses the button
    <div
      onDrop={(event) => {
        const files = [...(event.dataTransfer?.files ?? [])];
        if (!isDisabled && files.length > 0) onFiles(files);
      }}
    >
      {children}
    </div>
  );
}
