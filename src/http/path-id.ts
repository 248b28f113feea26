import { AppError } from '../errors.ts';

/**
 * A row's id out of a path.
 * @param unknown what is thrown for a text that can be no id: the same as where there is no such row
 */
export function idIn(
  param: string,
  unknown: (param: string) => AppError = () => new AppError('not_found', 'Not found'),
): number {
  if (!/^\d{1,15}$/.test(param)) throw unknown(param);
  return Number(param);
}
