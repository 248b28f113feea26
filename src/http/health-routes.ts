import { Elysia } from 'elysia';
import { AppError } from '../errors.ts';
import { envelope } from './envelope.ts';

/** Whether the parts the main job needs work; each check gives a plain reason when one doesn't. */
export type HealthChecks = Record<string, () => Promise<string | undefined>>;

/** `/healthz`: the process answers. `/readyz`: the main job can be done. */
export function healthRoutes(checks: HealthChecks) {
  return new Elysia({ name: 'health' })
    .get('/healthz', () => envelope('OK', {}), {
      detail: { summary: 'Whether the process answers', tags: ['operation'] },
    })
    .get(
      '/readyz',
      async () => {
        const problems = await findProblems(checks);
        if (Object.keys(problems).length === 0) return envelope('Ready', {});
        throw new AppError('not_ready', 'Not ready', problems);
      },
      { detail: { summary: 'Whether posts can be spoken', tags: ['operation'] } },
    );
}

async function findProblems(checks: HealthChecks): Promise<Record<string, string[]>> {
  const found = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<[string, string[]][]> => {
      const problem = await check().catch(() => 'the check failed');
      return problem === undefined ? [] : [[name, [problem]]];
    }),
  );
  return Object.fromEntries(found.flat());
}
