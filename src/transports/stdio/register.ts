import { registerTransport } from '../registry.js';
import { stdio } from './stdio.js';

// Whoever imports the entry for Node has stdio; its manifest names this as a side effect (T1).
registerTransport(stdio);

export { stdio };
