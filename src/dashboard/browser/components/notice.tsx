import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api.ts';

interface NoticeProps {
  readonly kind?: 'info' | 'success' | 'warning' | 'problem';
  readonly children: ComponentChildren;
}

const looks = { info: 'note', success: 'note good', warning: 'note warn', problem: 'note bad' };

/** A message about a page or a form. */
export function Notice({ kind = 'info', children }: NoticeProps) {
  return (
    <div class={looks[kind]} role={kind === 'problem' ? 'alert' : 'status'}>
      <div class="grow">{children}</div>
    </div>
  );
}

interface ProblemNoticeProps {
  readonly problem: Pick<ApiError, 'message' | 'fields'> | undefined;
  /** Fields that show their own problems. */
  readonly shown?: readonly string[] | undefined;
  /** Default: the message of the problem. */
  readonly children?: ComponentChildren;
}

/** The error of a request; empty without an error, or if the fields show all problems. */
export function ErrorNotice({ problem, shown = [], children }: ProblemNoticeProps) {
  if (problem === undefined) return null;
  const all = Object.entries(problem.fields);
  const fields = all.filter(([field]) => !shown.includes(field));
  if (all.length > 0 && fields.length === 0) return null;
  return (
    <Notice kind="problem">
      <p>{children ?? problem.message}</p>
      {fields.length > 0 && (
        <ul>
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
