import { type ComponentChildren, Fragment } from 'preact';
import { formatDateTime, formatRelativeTime } from '../format.ts';
import { Icon, type IconName } from './icon.tsx';

/** How a state is meant; a word and a sign always go with it. */
export type Tone = 'bad' | 'warn' | 'good' | 'info' | 'plain';

const signs: Readonly<Record<Tone, IconName>> = {
  bad: 'circle-alert',
  warn: 'triangle-alert',
  good: 'circle-check',
  info: 'loader-circle',
  plain: 'info',
};

interface StatusProps {
  readonly tone?: Tone;
  /** Default: the sign of the tone. */
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}

/** A state in words with its sign. What is all right has none. */
export function Status({ tone = 'plain', icon = signs[tone], children }: StatusProps) {
  return (
    <span class={`status ${tone}`}>
      <Icon name={icon} isSpinning={icon === 'loader-circle'} />
      {children}
    </span>
  );
}

interface ChipProps {
  readonly tone?: 'plain' | 'accent' | 'good';
  readonly children: ComponentChildren;
}

/** A short word about a thing: a language, a role. */
export function Chip({ tone = 'plain', children }: ChipProps) {
  return <span class={`chip ${tone}`}>{children}</span>;
}

/** A relative time, with the exact time as tooltip. @param at ISO 8601; null: never */
export function RelativeTime({ at }: { readonly at: string | null }) {
  if (at === null) return <>Never</>;
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatRelativeTime(at)}
    </time>
  );
}

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
