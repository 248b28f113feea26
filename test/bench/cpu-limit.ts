import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = '/sys/fs/cgroup';
const periodUs = 100_000;

/**
 * Limits the CPU time of a command and all its processes, as root on Linux: a slow machine on a part of a core.
 * @param share of one core
 * @returns the command before that command
 */
export function limitCpu(name: string, share: number): string[] {
  const quotaUs = Math.round(share * periodUs);
  const isVersion1 = existsSync(join(root, 'cpu/cpu.cfs_quota_us'));
  const group = join(root, isVersion1 ? 'cpu' : '', name);
  mkdirSync(group, { recursive: true });
  if (isVersion1) {
    writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodUs));
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quotaUs));
  } else {
    writeFileSync(join(root, 'cgroup.subtree_control'), '+cpu');
    writeFileSync(join(group, 'cpu.max'), `${quotaUs} ${periodUs}`);
  }
  return ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs')];
}
