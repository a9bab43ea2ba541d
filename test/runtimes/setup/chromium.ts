import { existsSync } from 'node:fs';
import { mustRun } from './command.js';

const DEBIAN = '/usr/bin/chromium';
const APT_MS = 240_000;

/** Path of Chromium. Where it is missing, root on a Debian installs it; everybody else is told to. */
export async function findChromium(): Promise<string> {
  const given = process.env.CHROMIUM;
  if (given !== undefined && existsSync(given)) return given;
  if (given !== undefined) throw new Error(`There is no Chromium at ${given}, where CHROMIUM points`);
  if (existsSync(DEBIAN)) return DEBIAN;
  const help = 'Chromium is missing: `apt-get install chromium` on Debian, or set CHROMIUM to the path of one';
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) throw new Error(help);
  const options = { timeoutMs: APT_MS, env: { PATH: process.env.PATH ?? '', DEBIAN_FRONTEND: 'noninteractive' } };
  try {
    await mustRun('apt-get', ['update'], options);
    await mustRun('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], options);
  } catch (error) {
    throw new Error(`${help}. Installing it failed: ${String(error)}`);
  }
  if (!existsSync(DEBIAN)) throw new Error(help);
  return DEBIAN;
}
