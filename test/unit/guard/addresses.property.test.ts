import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { judgeUrl } from '../../../src/guard/verdict.js';

/** What is not the public Internet, by the registries of special-purpose addresses; apart from this machine. */
const DENIED_4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16
  198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32`;
const DENIED_6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20';
const denied = new BlockList();
for (const range of DENIED_4.split(/\s+/)) denied.addSubnet(range.split('/')[0]!, Number(range.split('/')[1]), 'ipv4');
for (const range of DENIED_6.split(/\s+/)) denied.addSubnet(range.split('/')[0]!, Number(range.split('/')[1]), 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

type Bytes = readonly [number, number, number, number];
const dotted = (bytes: Bytes) => bytes.join('.');
const numberOf = ([a, b, c, d]: Bytes) => ((a * 256 + b) * 256 + c) * 256 + d;
const pair = (a: number, b: number) => (a * 256 + b).toString(16);
const hex = ([a, b, c, d]: Bytes) => `${pair(a, b)}:${pair(c, d)}`;

/** Near the edges of every range, and anywhere. */
const edges = DENIED_4.split(/\s+/).flatMap((range) => {
  const [from, bits] = range.split('/') as [string, string];
  const start = numberOf(from.split('.').map(Number) as unknown as Bytes);
  const size = 2 ** (32 - Number(bits));
  return [start - 1, start, start + size - 1, start + size].filter((value) => value >= 0 && value < 2 ** 32);
});
const bytesOf = (value: number): Bytes => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const address = fc.oneof(
  fc.constantFrom(...edges),
  fc.nat({ max: 2 ** 32 - 1 }),
  fc.constantFrom(0x7f000001, 0xa9fea9fe, 0x64646464, 0xa83f8110),
);

const part = (base: 'decimal' | 'octal' | 'hex', value: number) =>
  base === 'decimal' ? String(value) : base === 'octal' ? `0${value.toString(8)}` : `0x${value.toString(16)}`;
const wide = (text: string) =>
  [...text].map((char) => (/[0-9a-z]/.test(char) ? String.fromCharCode(char.charCodeAt(0) + 0xfee0) : char)).join('');

/** One IPv4 address in any spelling that a URL parser takes: 1 to 4 parts, three bases, a dot at the end, wide digits. */
const spelled = fc
  .record({
    value: address,
    parts: fc.integer({ min: 1, max: 4 }),
    bases: fc.array(fc.constantFrom('decimal' as const, 'octal' as const, 'hex' as const), {
      minLength: 4,
      maxLength: 4,
    }),
    dot: fc.boolean(),
    isWide: fc.boolean(),
  })
  .map(({ value, parts, bases, dot, isWide }) => {
    const bytes = bytesOf(value);
    const last = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
    const numbers = [...bytes.slice(0, parts - 1), last];
    const text = numbers.map((number, index) => part(bases[index]!, number)).join('.');
    return { value, host: (isWide ? wide(text) : text) + (dot ? '.' : '') };
  });

/** An IPv4 address inside an IPv6 address: mapped, compatible, translated, NAT64, 6to4, Teredo; some written with dots. */
const embedded = fc
  .tuple(
    address.map(bytesOf),
    fc.constantFrom<(bytes: Bytes) => string>(
      (bytes) => `::ffff:${dotted(bytes)}`,
      (bytes) => `::ffff:${hex(bytes)}`,
      (bytes) => `0:0:0:0:0:FFFF:${hex(bytes)}`,
      (bytes) => `::${dotted(bytes)}`,
      (bytes) => `::${hex(bytes)}`,
      (bytes) => `::ffff:0:${hex(bytes)}`,
      (bytes) => `64:ff9b::${dotted(bytes)}`,
      (bytes) => `64:ff9b:1::${hex(bytes)}`,
      (bytes) => `2002:${hex(bytes)}::1`,
      (bytes) => `2001:0:${hex(bytes)}:0:0:0:1`,
      (bytes) => `2001::${hex(bytes)}`,
    ),
  )
  .map(([bytes, write]) => `[${write(bytes)}]`);

const allowed = (host: string): URL | undefined => {
  for (const scheme of ['http', 'https']) {
    const text = `${scheme}://${host}/`;
    if (URL.canParse(text) && judgeUrl(new URL(text), undefined).allowed) return new URL(text);
  }
  return undefined;
};

const RUNS = { numRuns: 3_000 };

it('G3 no spelling of an IPv4 address gets through that is not public or this machine, and each of those does', () => {
  fc.assert(
    fc.property(spelled, ({ value, host }) => {
      const canonical = dotted(bytesOf(value));
      const isLoopback = loopback.check(canonical, 'ipv4');
      const expected = isLoopback || !denied.check(canonical, 'ipv4');
      expect([host, canonical, allowed(host) !== undefined]).toEqual([host, canonical, expected]);
      if (expected) expect(allowed(host)?.hostname).toBe(canonical);
    }),
    RUNS,
  );
});

it('G3 no IPv6 address gets through that holds an IPv4 address, whatever that is', () => {
  fc.assert(
    fc.property(embedded, (host) => {
      const through = allowed(host);
      // `::1` is also written as `::0.0.0.1`.
      expect([host, through?.hostname ?? '[::1]']).toEqual([host, '[::1]']);
    }),
    RUNS,
  );
});

it('G3 no IPv6 address gets through but global unicast ones and this machine', () => {
  const group = fc.oneof(
    fc.nat({ max: 0xffff }),
    fc.constantFrom(0, 1, 0x2000, 0x2001, 0x2002, 0x3fff, 0xdb8, 0xfe80, 0xfc00, 0xff02, 0x64, 0xff9b, 0xffff),
  );
  const ipv6 = fc
    .array(group, { minLength: 8, maxLength: 8 })
    .map((groups) => groups.map((one) => one.toString(16)).join(':'));
  fc.assert(
    fc.property(ipv6, (text) => {
      const isPublic = global6.check(text, 'ipv6') && !denied.check(text, 'ipv6');
      const isLoopback = loopback.check(text, 'ipv6');
      if (allowed(`[${text}]`) !== undefined) expect([text, isPublic || isLoopback]).toEqual([text, true]);
      if (isLoopback) expect(allowed(`[${text}]`)).toBeDefined();
      expect(allowed(`[${text}%25eth0]`)).toBeUndefined();
    }),
    RUNS,
  );
});

it('G3 no name gets through that only this network knows', () => {
  const label = fc.stringMatching(/^[a-zA-Z]([a-zA-Z0-9-]{0,8}[a-zA-Z0-9])?$/).filter((text) => !/^xn--/i.test(text));
  const name = fc.record({
    labels: fc.array(label, { maxLength: 3 }),
    last: fc.constantFrom('internal', 'local', 'INTERNAL', 'Local', 'ｌｏｃａｌ', 'metadata', 'intranet', ''),
    dots: fc.constantFrom('', '.', '..'),
  });
  fc.assert(
    fc.property(name, ({ labels, last, dots }) => {
      const host = [...labels, last].join('.') + dots;
      const isLocal = last !== '' && (!['metadata', 'intranet'].includes(last) || labels.length === 0);
      if (isLocal || dots === '..' || (last === '' && labels.length < 2)) {
        const through = allowed(host);
        expect([host, through === undefined || /(^|\.)localhost\.?$/.test(through.hostname)]).toEqual([host, true]);
      }
    }),
    RUNS,
  );
});
