import type { ComponentChildren } from 'preact';
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
  readonly tone?: 'plain' | 'accent' | 'good' | 'warn' | 'bad';
  readonly children: ComponentChildren;
}

/** A short word about a thing: a language, a role. */
export function Chip({ tone = 'plain', children }: ChipProps) {
  return <span class={`chip ${tone}`}>{children}</span>;
}
