import { describe, expect, it } from 'vitest';
import { McpConfigError } from '../../../src/core/errors.js';
import { createSqliteMcpConnectionStore } from '../../../src/stores/sqlite.js';
import { joinText, nameGeneration, splitText } from '../../../src/stores/texts.js';
import { rowOf } from '../../../src/testing/stores/sample.js';
import { expectNoSecrets, SECRETS } from '../../support/canaries.js';

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

describe('a database that is none', () => {
  it.each([
    ['nothing', () => undefined],
    ['itself, as a driver that chains', () => ({ exec: () => undefined })],
    ['a promise, as a driver that waits', () => Promise.resolve([])],
    ['a text', () => 'done'],
    ['rows that are arrays', () => [['value']]],
  ])('S9 an `exec` that gives %s is refused, and how it should be is said', (_, exec) => {
    const store = createSqliteMcpConnectionStore({ exec } as never);
    for (const work of [
      () => store.list(),
      () => store.save(rowOf('a')),
      () => store.get('a'),
      () => store.remove('a'),
    ]) {
      expect(work).toThrow(McpConfigError);
      expect(work).toThrow('database.prepare(query).all(...bindings)');
    }
  });

  it.each([undefined, null, {}, { exec: 'text' }])('S9 %j is refused at once', (sql) => {
    expect(() => createSqliteMcpConnectionStore(sql as never)).toThrow(McpConfigError);
  });

  it('S9 one that never gives the rows of RETURNING is given up', () => {
    let statements = 0;
    const exec = () => {
      statements += 1;
      return [];
    };
    expect(() => createSqliteMcpConnectionStore({ exec }).save(rowOf('a'))).toThrow('RETURNING');
    expect(statements).toBeLessThan(200);
  });

  it('S1 what it says of a statement is not passed on', () => {
    const store = createSqliteMcpConnectionStore({
      exec: () => {
        throw Object.assign(new Error(SECRETS.token), { code: 'SQLITE_FULL' });
      },
    });
    try {
      store.list();
      expect.fail();
    } catch (error) {
      expect(error).toMatchObject({ code: 'config', cause: { name: 'Error', code: 'SQLITE_FULL' } });
      expectNoSecrets(error);
    }
  });
});

describe('texts', () => {
  it.each([
    '',
    'a',
    'aaaaaaa',
    'aaaaaaaa',
    'aaaaaaaaa',
    'é'.repeat(9),
    '漢'.repeat(7),
    '😀'.repeat(5),
    'a😀'.repeat(9),
    'aaaaaaa😀',
  ])('S9 %j is split into pieces that fit, and no character is cut', (text) => {
    const pieces = splitText(text, 8);
    expect(pieces.join('')).toBe(text);
    expect(Math.max(...pieces.map(bytesOf))).toBeLessThanOrEqual(8);
    expect(pieces.every((piece) => !/[\ud800-\udbff]$/.test(piece))).toBe(true);
    expect(pieces.length).toBeLessThanOrEqual(1 + Math.ceil(bytesOf(text) / 5));
  });

  it('S3 a text of which a piece is missing, or there are too many, is none', () => {
    const row = (position: unknown, text: unknown = 'x') => ({ position, text });
    expect(joinText([row(1, 'b'), row(0, 'a')])).toBe('ab');
    for (const rows of [
      [],
      [row(1)],
      [row(0), row(2)],
      [row(0), row(0)],
      [row(0), row(1, null)],
      [row(-1)],
      [row('x')],
    ]) {
      expect(joinText(rows)).toBeUndefined();
    }
  });

  it('S9 a generation that began later has a later name', () => {
    const random = () => Uint8Array.of(255, 0);
    const names = [0, 5, 35, 36, 1_700_000_000_000, 4_000_000_000_000].map((now) => nameGeneration(now, random));
    expect([...names].sort()).toEqual(names);
    expect(new Set(names.map(({ length }) => length)).size).toBe(1);
  });
});
