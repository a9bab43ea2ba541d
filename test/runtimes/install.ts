import { installRuntimes } from './setup/install.js';

await installRuntimes();
