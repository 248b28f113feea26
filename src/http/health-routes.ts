import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { AppError } from '../errors.ts';
import { envelope } from './envelope.ts';
import { described } from './operation.ts';

/** Whether the parts the main job needs work; each check gives a plain reason when one doesn't. */
export type HealthChecks = Record<string, () => Promise<string | undefined>>;

const healthOperation = described({
  summary: 'Whether the process answers',
  tag: 'Operation',
  access: 'none',
  answers: { 200: { description: 'It does', message: 'OK', data: Type.Object({}), example: {} } },
});
const readyOperation = described({
  summary: 'Whether posts can be spoken',
  tag: 'Operation',
  access: 'none',
  answers: {
    200: { description: 'They can', message: 'Ready', data: Type.Object({}), example: {} },
  },
  errors: ['not_ready'],
});

/** `/healthz`: the process answers. `/readyz`: the main job can be done. */
export function healthRoutes(checks: HealthChecks) {
  return new Elysia({ name: 'health' })
    .get('/healthz', () => envelope('OK', {}), healthOperation)
    .get(
      '/readyz',
      async () => {
        const problems = await findProblems(checks);
        if (Object.keys(problems).length === 0) return envelope('Ready', {});
        throw new AppError('not_ready', 'Not ready', problems);
      },
      readyOperation,
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
