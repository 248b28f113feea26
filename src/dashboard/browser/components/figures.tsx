import type { ComponentChildren } from 'preact';

interface Figure {
  readonly name: string;
  readonly value: string;
  /** What it compares with or consists of. */
  readonly about?: ComponentChildren;
}

interface FiguresProps {
  readonly of: readonly Figure[];
  /** With `onChoose`: the figure whose chart is shown. */
  readonly chosen?: string;
  readonly onChoose?: (name: string) => void;
}

/** Figures side by side; where one can be chosen, they switch the chart below them. */
export function Figures({ of, chosen, onChoose }: FiguresProps) {
  return (
    <div class={onChoose === undefined ? 'figures' : 'figures under'}>
      {of.map((figure) =>
        onChoose === undefined ? (
          <div class="figure" key={figure.name}>
            <FigureContent figure={figure} />
          </div>
        ) : (
          <button
            key={figure.name}
            type="button"
            class="figure"
            aria-pressed={figure.name === chosen}
            onClick={() => onChoose(figure.name)}
          >
            <FigureContent figure={figure} />
          </button>
        ),
      )}
    </div>
  );
}

function FigureContent({ figure: { name, value, about } }: { readonly figure: Figure }) {
  return (
    <>
      <span>{name}</span>
      <span class="value">{value}</span>
      {about !== undefined && <span class="small">{about}</span>}
    </>
  );
}
