// Installs what `package-lock.json` names, unless the last installation was of the very same file.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const lock = readFileSync(`${folder}package-lock.json`, 'utf8');
const installed = `${folder}node_modules/.installed-lock.json`;
if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lock) {
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  // `npm ci` begins by removing the folder, so that an installation that broke off leaves no such file.
  writeFileSync(installed, lock);
}
