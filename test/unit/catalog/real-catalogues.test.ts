import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { admitTool, findDuplicates } from '../../../src/catalog/admit.js';
import { fingerprint, fingerprintTool } from '../../../src/catalog/fingerprint.js';
import { isLegalName, projectNames } from '../../../src/catalog/names.js';
import { scanParamHeaders } from '../../../src/catalog/param-headers.js';
import { catalogTokens, estimateTokens } from '../../../src/catalog/tokens.js';

// What published servers answered to `tools/list`. The texts are their authors', so they stay outside the repository.
const FOLDER = new URL('../../../../shared/catalogues/', import.meta.url);
const BOUNDS = { schemaDepth: 64, schemaNodes: 10_000 };

interface Catalogue {
  readonly server: string;
  readonly tools: readonly unknown[];
}

function readCatalogues(): Catalogue[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return files.map((file) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Catalogue);
}

const isPresent = existsSync(FOLDER);
if (!isPresent) console.log('The real catalogues are not beside the repository; their tests are skipped.');

describe.skipIf(!isPresent)('real catalogues', () => {
  const catalogues = isPresent ? readCatalogues() : [];
  const admissions = catalogues.flatMap(({ server, tools }) =>
    tools.map((entry) => ({ server, entry, admission: admitTool(entry, BOUNDS) })),
  );
  const tools = admissions.flatMap(({ server, entry, admission }) =>
    admission.ok ? [{ server, entry, ...admission.tool }] : [],
  );

  it('L1 every tool is admitted', () => {
    expect(catalogues.length).toBeGreaterThanOrEqual(42);
    expect(admissions.filter(({ admission }) => !admission.ok)).toEqual([]);
    expect(tools.length).toBeGreaterThan(2_000);
  });

  it('L3 no server publishes a name twice', () => {
    for (const { server, tools } of catalogues) {
      const names = tools.map((tool) => (tool as { name: string }).name);
      expect([server, ...findDuplicates(names).keys()]).toEqual([server]);
    }
  });

  it('N3 over all of them at once, names are legal, unique and verbatim where they can be', () => {
    const projected = projectNames(tools.map(({ server, name }) => ({ server, identity: `id ${server}`, tool: name })));
    expect(projected.every(({ name }) => isLegalName(name))).toBe(true);
    expect(new Set(projected.map(({ name }) => name)).size).toBe(tools.length);
    for (const { wanted, rewritten } of projected) expect(rewritten).toBe(!isLegalName(wanted));
  });

  it('S4 the fingerprint of an entry is that of the admitted tool', async () => {
    for (const tool of tools) {
      await expect(fingerprintTool(tool.entry as never)).resolves.toBe(fingerprint(tool));
    }
  });

  it('L6 none declares a parameter header', () => {
    for (const tool of tools) expect(scanParamHeaders(tool.inputSchema)).toEqual({ valid: true, declarations: [] });
  });

  it('D1 the floor is below the full figure of each catalogue', () => {
    for (const { server } of catalogues) {
      const own = tools.filter((tool) => tool.server === server);
      const full = own.reduce((sum, { name, description, inputSchema }) => {
        return sum + estimateTokens({ name, description, inputSchema });
      }, 0);
      expect(catalogTokens(own)).toBeLessThan(full);
      expect(catalogTokens(own)).toBeGreaterThan(0);
    }
  });
});
