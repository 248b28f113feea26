const width = 30;

/** A bar that is redrawn in place on a terminal, and says nothing elsewhere. */
export interface ProgressBar {
  /** @param share 0…1 */
  show(share: number, text: string): void;
  /** Ends the line. */
  done(): void;
}

export function progressBar(stream: NodeJS.WriteStream = process.stderr): ProgressBar {
  let shown = '';
  return {
    show: (share, text) => {
      const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
      const percent = `${Math.floor(share * 100)}`.padStart(3);
      const line = `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${percent} %  ${text}`;
      if (!stream.isTTY || line === shown) return;
      stream.write(`\r\x1b[K${line}`);
      shown = line;
    },
    done: () => {
      if (stream.isTTY && shown !== '') stream.write('\n');
      shown = '';
    },
  };
}
