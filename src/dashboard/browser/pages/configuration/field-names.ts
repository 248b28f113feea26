import { ApiError } from '../../api.ts';

/**
 * Maps a problem of `reading.keep.2` to the field `keep` of the form for `reading`.
 * @param whole name of the object that the form edits
 */
export function stripFieldPrefix(whole: string, problem: ApiError | undefined): ApiError | undefined {
  if (problem === undefined) return undefined;
  const fields: Record<string, string[]> = {};
  for (const [path, problems] of Object.entries(problem.fields)) {
    const inside = path.startsWith(`${whole}.`) ? path.slice(whole.length + 1) : path;
    const name = inside.replace(/\.\d+$/, '');
    fields[name] = [...(fields[name] ?? []), ...problems];
  }
  return new ApiError(problem.status, problem.message, fields);
}
