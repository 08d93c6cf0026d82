import { spawn } from 'node:child_process';

/** The program that opens a file as a double click would; undefined where there is no desktop. */
export function openerOf(platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): string | undefined {
  if (platform === 'darwin') return 'open';
  if (platform === 'win32') return 'explorer.exe';
  const { DISPLAY, WAYLAND_DISPLAY } = environment;
  return DISPLAY || WAYLAND_DISPLAY ? 'xdg-open' : undefined;
}

/** Opens a file where a desktop is, and does not wait for it. Never throws. */
export function openOnDesktop(file: string): void {
  const opener = openerOf(process.platform, process.env);
  if (opener === undefined) return;
  const child = spawn(opener, [file], { stdio: 'ignore', detached: true });
  // Without such a program the path that was printed is enough.
  child.on('error', () => undefined);
  child.unref();
}
