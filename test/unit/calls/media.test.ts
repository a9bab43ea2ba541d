import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodedBytes, isBase64 } from '../../../src/calls/media.js';

it('R2 whatever encodes bytes is taken, and its size is exact', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(isBase64(text)).toBe(true);
      expect(decodedBytes(text)).toBe(bytes.length);
    }),
  );
});

it('R2 text is taken only where the strict decoder of the platform takes it too', () => {
  const char = fc.constantFrom(...'AZaz09+/=-_ \n\u00c4\ud800');
  fc.assert(
    fc.property(fc.string({ unit: char, maxLength: 12 }), (text) => {
      if (!isBase64(text)) return;
      expect(() => atob(text)).not.toThrow();
      expect(text).toMatch(/^[A-Za-z0-9+/]*={0,2}$/);
      expect(text.length % 4).toBe(0);
    }),
  );
});

it.each(['=', '==', '====', 'A===', 'AA=A', 'AAA', 'AAAA=', 'AA-_', 'AAA\n', ' AAA', 'AAA\u00c4', 'AAA\ud800'])(
  'R2 %j is not base64',
  (text) => {
    expect(isBase64(text)).toBe(false);
  },
);

it('R2 the size of malformed text is never negative, nor above what it could hold', () => {
  for (const text of ['', '=', '==', 'A', 'A=', 'A==', 'AAAAA'])
    expect(decodedBytes(text)).toBeLessThanOrEqual(Math.ceil((text.length * 3) / 4));
});
