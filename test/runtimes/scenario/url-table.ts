import type { mcpTools as McpTools } from 'mcp-toolset';

/*
 * Which URLs the guard lets through, with each of a few lists of hosts. Nothing here needs a certain runtime, nor is anything
 * of the library imported: the function at the end judges the entry point that it is given, sources or built files.
 */

/** The lists, in the order of the marks in the table. The first is none. */
const LISTS: readonly (readonly string[] | undefined)[] = [
  undefined,
  [],
  ['api.example.com'],
  ['*.example.com'],
  ['api.example.com:8443'],
  ['API.Example.com.:*'],
  ['127.0.0.1:*', '[0:0:0:0:0:0:0:1]:*', 'localhost:*'],
  ['169.254.169.254', '10.0.0.5:8080', 'vault.internal'],
];

/**
 * One mark for each list: `+` is requested, `-` is refused, `!` is no URL at all and a mistake in the configuration. `#` is one
 * of the last two, where the runtimes' own parsers differ: nothing is requested either way.
 */
const API = '+-++-+--';
const API_8443 = '+---++--';
const ELSEWHERE = '+-------';
const BELOW = '+--+----';
const LOOPBACK = '+-----+-';
const OPTED_IN = '-------+';
const NEVER = '--------';
const NO_URL = '!!!!!!!!';
const NO_URL_OR_NEVER = '########';

const TABLE: Readonly<Record<string, readonly string[]>> = {
  [API]: [
    'https://api.example.com/mcp',
    'http://api.example.com/mcp',
    'https://api.example.com./',
    'https://API.Example.COM/',
    'https://ａｐｉ.example.com/',
    'https://api。example。com/',
    'https://a\u00adpi.example.com/',
    'https://a\u200bpi.example.com/',
    'https://ap\ti.example.com/',
    'https://ap\ni.example.com/',
    '  https://api.example.com/  ',
    'https://api.example.com:443/',
    'https://api.example.com:0443/',
    'https://api.example.com:/',
    'http://api.example.com:80/',
    // What a parser makes of these is the host all the same.
    'https://api.example.com\\.evil.com/',
    'https:\\\\api.example.com\\mcp',
    'https:api.example.com/mcp',
    'https:///api.example.com',
    'https://api%2eexample%2ecom/',
  ],
  [API_8443]: ['https://api.example.com:8443/', 'http://api.example.com:8443/'],
  '+----+--': ['https://api.example.com:8444/', 'https://api.example.com:80/', 'http://api.example.com:443/'],
  [BELOW]: [
    'https://b.example.com/',
    'https://a.b.example.com./',
    'https://x.api.example.com/',
    // A Cyrillic letter, and what it is in ASCII.
    'https://аpi.example.com/',
    'https://xn--pi-6kc.example.com/',
    'https://-api.example.com/',
    'https://api_1.example.com/',
    'https://*.example.com/',
  ],
  [ELSEWHERE]: [
    'https://evil.com#@api.example.com/',
    'https://evil.com?@api.example.com/',
    'https://evil.com/@api.example.com/',
    'https://evil.com\\@api.example.com/',
    'https://example.com/',
    'https://b.example.com:8443/',
    'https://evil-example.com/',
    'https://notexample.com/',
    'https://evil-api.example.com.evil.com/',
    'https://example.com.evil.com/',
    'https://api.example.com.evil.com/',
    'https://api.example.com%2eevil.com/',
    'https://api_example.com/',
    'https://faß.de/',
    'https://xn--fa-hia.de/',
    'http://8.8.8.8/',
    'http://[2606:4700:4700::1111]/',
    // Only a resolver could tell that these lead inside.
    'http://127.0.0.1.nip.io/',
    'http://1.1.1.1.nip.io/',
    // This machine by another name or address than those that are listed.
    'http://x.localhost/',
    'http://127.0.0.2/',
  ],
  [LOOPBACK]: [
    'http://127.0.0.1/',
    'http://127.0.0.1:3000/',
    'http://127.0.0.1./',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://①②⑦.⓪.⓪.①/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]:8080/',
    'http://[::0.0.0.1]/',
    'http://localhost/',
    'http://LOCALHOST.:1/',
    'https://ｌｏｃａｌｈｏｓｔ/',
  ],
  [OPTED_IN]: [
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://10.0.0.5:8080/',
    'http://0xa000005:8080/',
    'https://vault.internal/',
    'https://VAULT.internal./',
  ],
  [NEVER]: [
    'https://api.example.com@evil.com/',
    'https://api.example.com:pw@evil.com/',
    'https://evil.com:443@api.example.com/',
    'https://user@api.example.com/',
    'https://:pw@api.example.com/',
    'http://user@127.0.0.1/',
    'https://api.example.com../',
    'https://.api.example.com/',
    'https://.example.com/',
    'https://api..example.com/',
    'http://10.0.0.5/',
    'http://10.0.0.6:8080/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://0/',
    'http://0.0.0.0/',
    'http://100.64.0.1/',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://192.0.2.1/',
    'http://198.18.0.1/',
    'http://198.51.100.1/',
    'http://203.0.113.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://168.63.129.16/',
    'http://0xa83f8110/',
    'http://[::]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::169.254.169.254]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:0:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[64:ff9b:1::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[2001:0:a9fe:a9fe::1]/',
    'http://[2001:db8::1]/',
    'http://[100::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://metadata.google.internal/',
    'http://metadata.google.internal./',
    'http://metadata.goog/',
    'http://metadata/',
    'http://intranet/',
    'http://printer.local/',
    'http://db.INTERNAL/',
    // The scheme alone decides, whatever origin a URL seems to have.
    'blob:https://api.example.com/x',
    'javascript:alert(1)//api.example.com',
    'data:text/plain,api.example.com',
    'file:///etc/passwd',
    'file://api.example.com/x',
    'ftp://api.example.com/',
    'ws://api.example.com/',
    'wss://api.example.com/',
    's3://api.example.com/',
    'unix:///var/run/docker.sock',
  ],
  [NO_URL]: [
    '',
    'api.example.com/mcp',
    '//api.example.com/mcp',
    '/mcp',
    'https://',
    'https://api.example.com%00.evil.com/',
    'https://api.example.com%2f.evil.com/',
    'https://api.example.com／.evil.com/',
    'https://api.example.com℀.evil.com/',
    'http://[fe80::1%25eth0]/',
    'http://[fe80::1%eth0]/',
    'http://[::1/',
    'https://api.example.com:65536/',
    'https://api.example.com:x/',
    'http://256.256.256.256/',
    'http://1.2.3.4.5/',
    'http://0x7f.0.0.0.1/',
    'http://127.0.0.0x100/',
  ],
  // workerd takes a label for what it says, also where it encodes nothing.
  [NO_URL_OR_NEVER]: ['https://xn--/'],
};

/** Entries that are no hosts: giving one is a mistake in the configuration (G2, W3). */
const NO_HOSTS: readonly string[] = [
  '',
  '*',
  '*.com',
  '*.*.example.com',
  'api.*.example.com',
  '*example.com',
  '*.example.com:443',
  '*.10.0.0.1',
  '.example.com',
  'api..example.com',
  'api.example.com..',
  '-api.example.com',
  'api-.example.com',
  'api_1.example.com',
  `${'a'.repeat(64)}.example.com`,
  'https://api.example.com',
  '//api.example.com',
  'api.example.com/mcp',
  'api.example.com\\mcp',
  'user@api.example.com',
  'api.example.com%2eevil.com',
  ' api.example.com',
  'api.\texample.com',
  'api.example.com:0',
  'api.example.com:65536',
  'api.example.com:443:1',
  '::1',
  '[fe80::1%25eth0]',
  '256.256.256.256',
];

/** An entry in any spelling, and a URL that it names. */
const SAME_HOSTS: readonly (readonly [entry: string, url: string])[] = [
  ['faß.de', 'https://xn--fa-hia.de/'],
  ['xn--fa-hia.de', 'https://faß.de/'],
  ['ａｐｉ.example.com', 'https://api.example.com/'],
  ['2130706433:*', 'http://127.0.0.1:1/'],
  ['0x7f.1:80', 'http://127.1/'],
  ['[::ffff:10.0.0.8]', 'http://[0:0:0:0:0:ffff:a00:8]/'],
];

type Mark = '+' | '-' | '!' | '#';
interface Judged {
  readonly code?: unknown;
}

/** What becomes of a server with this URL: whether anything would be sent, and to where it belongs. */
async function judge(mcpTools: typeof McpTools, url: string, list: readonly string[] | undefined): Promise<Mark | '?'> {
  let sent = 0;
  const fetch = () => {
    sent += 1;
    return Promise.reject(new TypeError('No request leaves this test'));
  };
  const given = list === undefined ? {} : { allowedHosts: list };
  const server = { name: 's', type: 'http', url, protocol: 'modern' } as const;
  try {
    const toolset = await mcpTools([server], { ...given, fetch, onDiagnostic() {} });
    const { code } = (toolset.servers[0]?.error ?? {}) as Judged;
    await toolset.close();
    if (sent > 0) return '+';
    return code === 'host-denied' ? '-' : '?';
  } catch (error) {
    return (error as Judged).code === 'config' && sent === 0 ? '!' : '?';
  }
}

/** Every line of the tables against the library, in this runtime. `wrong` is empty where it judges as everywhere else (G2, G3). */
export async function checkUrlTable(
  mcpTools: typeof McpTools,
): Promise<{ readonly judged: number; readonly wrong: readonly string[] }> {
  const wrong: string[] = [];
  let judged = 0;
  const expectMark = async (expected: Mark, url: string, list: readonly string[] | undefined) => {
    const mark = await judge(mcpTools, url, list);
    judged += 1;
    const isRight = mark === expected || (expected === '#' && (mark === '-' || mark === '!'));
    if (!isRight) wrong.push(`${JSON.stringify(url)} with ${JSON.stringify(list)}: ${mark}, not ${expected}`);
  };
  for (const [marks, urls] of Object.entries(TABLE)) {
    for (const url of urls) {
      for (const [index, list] of LISTS.entries()) await expectMark(marks[index] as Mark, url, list);
    }
  }
  for (const entry of NO_HOSTS) await expectMark('!', 'https://api.example.com/', [entry]);
  for (const [entry, url] of SAME_HOSTS) await expectMark('+', url, [entry]);
  return { judged, wrong };
}
