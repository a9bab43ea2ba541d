import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/core/digest.js';

describe('sha256Hex', () => {
  it('S4 gives the digests of FIPS 180-4', () => {
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('S4 hashes the UTF-8 of any text as another implementation does', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.constant('é😀'.repeat(40)));
    fc.assert(
      fc.property(texts, (text) => {
        expect(sha256Hex(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
      }),
    );
  });
});
