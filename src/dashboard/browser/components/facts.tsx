import { type ComponentChildren, Fragment } from 'preact';

interface FactsProps {
  /** Name and value; `false` is left out. */
  readonly of: readonly (readonly [name: string, value: ComponentChildren] | false)[];
  readonly class?: string;
}

/** Names with their values. */
export function Facts({ of, class: more = '' }: FactsProps) {
  return (
    <dl class={`facts ${more}`.trim()}>
      {of.map(
        (fact, index) =>
          fact !== false && (
            <Fragment key={index}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}
