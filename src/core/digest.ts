import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * SHA-256 of the text's UTF-8, as 64 lower-case hex digits. Synchronous on every runtime.
 *
 * UTF-8 has no form for a lone surrogate, so two different ones hash alike. Hash JSON text, which escapes them, wherever
 * the text may be ill-formed (S4, N2).
 */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
