import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { type ApiError, useOffline } from '../api.ts';
import { formatDateTime, formatNumber, formatRelativeTime } from '../format.ts';
import type { Query } from '../query.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

interface PageProps {
  /** The parent page. */
  readonly back?: { readonly to: string; readonly title: string };
  readonly title: string;
  /** The title is the paper's: a headline. */
  readonly isHeadline?: boolean;
  /** Language of the title. */
  readonly lang?: string | undefined;
  /** One line below the title. */
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Layout of a page: title, actions, content. */
export function Page({ back, title, isHeadline = false, lang, about, actions, children }: PageProps) {
  return (
    <>
      <header class="page-head">
        <div>
          {back !== undefined && <BackLink {...back} />}
          <Heading title={title} look={isHeadline ? 'serif' : ''} lang={lang} />
          {about !== undefined && <p class="sub">{about}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** Leads to the parent page. */
export function BackLink({ to, title }: { readonly to: string; readonly title: string }) {
  return (
    <a class="back" href={`#${to}`}>
      <Icon name="arrow-left" />
      {title}
    </a>
  );
}

interface HeadingProps {
  readonly title: string;
  readonly look?: '' | 'serif' | 'unseen';
  readonly lang?: string | undefined;
}

/** The heading of a page, also in the title of the window. */
export function Heading({ title, look = '', lang }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Lectern`;
  }, [title]);
  // Tells screen readers that the page has changed, without taking the focus from a field.
  useEffect(() => {
    if (document.querySelector(':is(main, dialog) :focus') === null) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} class={look} lang={lang}>
      {title}
    </h1>
  );
}

export interface CardProps {
  readonly title?: string;
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** The content reaches the edges: rows, a list, figures. */
  readonly isFlush?: boolean;
  readonly children: ComponentChildren;
}

/** A part of a page with a heading. */
export function Card({ title, about, actions, isFlush = false, children }: CardProps) {
  const id = useId();
  return (
    <section class="card" {...(title === undefined ? {} : { 'aria-labelledby': id })}>
      {title !== undefined && (
        <header>
          <div>
            <h2 id={id}>{title}</h2>
            {about !== undefined && <p class="sub small">{about}</p>}
          </div>
          {actions !== undefined && <div class="actions">{actions}</div>}
        </header>
      )}
      {isFlush ? children : <div class="body">{children}</div>}
    </section>
  );
}

export interface EmptyProps {
  readonly title: string;
  /** Why, or what comes next. */
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** Shown instead of an empty list: what to do next. */
export function EmptyState({ title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children !== undefined && <div>{typeof children === 'string' ? <p>{children}</p> : children}</div>}
      {action !== undefined && <div class="actions">{action}</div>}
    </div>
  );
}

interface NoticeProps {
  readonly kind?: 'info' | 'success' | 'warning' | 'problem';
  /** A button at the end. */
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}

const looks = { info: 'note', success: 'note good', warning: 'note warn', problem: 'note bad' };

/** A message about a page or a form. */
export function Notice({ kind = 'info', action, children }: NoticeProps) {
  return (
    <div class={looks[kind]} role={kind === 'problem' ? 'alert' : 'status'}>
      <div class="grow">{children}</div>
      {action}
    </div>
  );
}

interface ProblemNoticeProps {
  readonly problem: ApiError | undefined;
  /** Fields that show their own problems. */
  readonly shown?: readonly string[] | undefined;
  /** Loads again; an unreachable server is tried again anyway, and the frame says so. */
  readonly onRetry?: () => void;
}

/** In the page, or in the dialog that is open. */
const firstWrong =
  ':is(dialog:modal, body:not(:has(dialog:modal))) :is(:not(fieldset)[aria-invalid=true], fieldset[aria-invalid=true] input)';

/** The error of a request; empty without an error, or if the fields show all problems. The first of them gets the focus. */
export function ErrorNotice({ problem, shown = [], onRetry }: ProblemNoticeProps) {
  const isOffline = useOffline();
  useEffect(() => {
    if (problem !== undefined && shown.length > 0) document.querySelector<HTMLElement>(firstWrong)?.focus();
  }, [problem]);
  if (problem === undefined || (isOffline && onRetry !== undefined)) return null;
  const fields = problem.without(shown);
  if (fields.length === 0 && Object.keys(problem.fields).length > 0) return null;
  return (
    <Notice kind="problem" action={onRetry && <Button isCompact label="Try again" onClick={onRetry} />}>
      <p>{problem.message}</p>
      {fields.length > 0 && (
        <ul role="list">
          {fields.map(([field, problems]) => (
            <li key={field}>
              <strong>{field}</strong> {problems.join('; ')}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

interface QueryViewProps<T> {
  readonly of: Query<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows the value of a query, its loading state or its error. */
export function QueryView<T>({ of, children }: QueryViewProps<T>) {
  if (of.problem?.status === 404) {
    return <EmptyState title={of.problem.message}>It was deleted, or the address is incomplete.</EmptyState>;
  }
  return (
    <>
      <ErrorNotice problem={of.problem} onRetry={of.reload} />
      {of.value !== undefined && children(of.value)}
      {of.value === undefined && of.isLoading && (
        <p class="waiting" role="status">
          Loading…
        </p>
      )}
    </>
  );
}

export interface TabOption {
  readonly value: string;
  readonly label: string;
  readonly count?: number | undefined;
  /** Shown in red while the count is not 0. */
  readonly isBad?: boolean;
}

interface TabsProps {
  readonly label: string;
  readonly options: readonly TabOption[];
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** Parts of a page or a list, with counts. */
export function Tabs({ label, options, value, onValue }: TabsProps) {
  if (options.length === 0) return null;
  return (
    <nav class="tabs" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-current={option.value === value ? 'page' : undefined}
          class={option.isBad === true && (option.count ?? 0) > 0 ? 'bad' : ''}
          onClick={() => onValue(option.value)}
        >
          {/* In one text: else the name of the button is without the space. */}
          {`${option.label} `}
          {option.count !== undefined && <span>{formatNumber(option.count)}</span>}
        </button>
      ))}
    </nav>
  );
}

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
