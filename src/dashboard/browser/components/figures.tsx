import type { ComponentChildren } from 'preact';

interface FiguresProps {
  readonly of: readonly {
    readonly name: string;
    readonly value: string;
    /** What it is of, or what became of it. */
    readonly about?: ComponentChildren;
  }[];
}

/** A few figures at a glance. */
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
