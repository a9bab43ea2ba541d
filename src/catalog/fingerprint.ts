export { type FingerprintedTool, fingerprint, fingerprintTool } from '../core/fingerprint.js';
