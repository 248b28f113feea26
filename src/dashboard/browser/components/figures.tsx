import type { ComponentChildren } from 'preact';

interface FiguresProps {
  readonly of: readonly {
    readonly name: string;
    readonly value: string;
    /** Reference value or change. */
    readonly about?: ComponentChildren;
  }[];
}

/** A row of key figures. */
export function Figures({ of }: FiguresProps) {
  return (
    <dl class="figures">
      {of.map(({ name, value, about }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="value">{value}</dd>
          {about !== undefined && <dd class="figure-about">{about}</dd>}
        </div>
      ))}
    </dl>
  );
}
