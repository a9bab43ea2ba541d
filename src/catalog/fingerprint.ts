export { fingerprint, fingerprintTool } from '../core/fingerprint.js';
