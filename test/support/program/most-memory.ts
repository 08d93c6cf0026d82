import { existsSync, readFileSync } from 'node:fs';

/** The most memory that this program had, in MB. On Linux of it alone: the other figure begins with what its parent had. */
export function mostMegabytes(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const [, kilobytes = process.resourceUsage().maxRSS] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
  return Number(kilobytes) / 1024;
}
