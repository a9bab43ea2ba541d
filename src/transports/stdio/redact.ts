import { quietly } from '../../core/quietly.js';
import { isSecretName } from '../../guard/secret-query.js';

/** Takes what a process was given in confidence out of what it prints (S1). */
export interface Redact {
  text(printed: string): string;
  /** Bytes of the longest secret. */
  readonly longest: number;
}

interface Given {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly args?: readonly string[] | undefined;
}

/** What is shorter would take ordinary words out. */
const LEAST_CHARACTERS = 4;

/**
 * Every value of the entry's own `env`; of its arguments those that are named like a secret: `--api-key=…`, `--token …`; and of
 * URLs in either the password and the parameters that are.
 */
export function createRedact({ env = {}, args = [] }: Given): Redact {
  // A value of several lines may be printed line by line, and a header without its scheme.
  const parts = [
    ...Object.values(env).flatMap((value) => [value, ...value.split(/\r?\n/)]),
    ...[...secretArguments(args), ...[...args, ...Object.values(env)].flatMap(urlSecrets)].flatMap((value) => [
      value,
      ...value.split(/\s+/),
    ]),
  ];
  const known = parts.filter(({ length }) => length >= LEAST_CHARACTERS);
  const secrets = [...new Set(known.flatMap(formsOf))];
  // The longest first: one may be a part of another.
  secrets.sort((a, b) => b.length - a.length);
  return {
    longest: Math.max(0, ...secrets.map((secret) => new TextEncoder().encode(secret).byteLength)),
    text: (printed) => secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), printed),
  };
}

function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const [, name = '', value] = /^(?:--?|\/)?([^=:\s]+)(?:[=:](.+))?$/s.exec(argument) ?? [];
    if (!isSecretName(name)) return [];
    const next = argument.startsWith('-') ? args[index + 1] : undefined;
    return [value?.trim() ?? next].filter((secret) => secret !== undefined);
  });
}

/** The password and the secret parameters of a URL that is the whole text, or what follows a name: `--url=…`. */
function urlSecrets(given: string): string[] {
  const text = /(?:^|=)([a-z][a-z\d+.-]*:\/\/.*)$/is.exec(given)?.[1] ?? '';
  const url = quietly(() => new URL(text));
  if (url === undefined) return [];
  const { password, searchParams } = url;
  const parameters = [...searchParams].filter(([name]) => isSecretName(name)).map(([, value]) => value);
  return [password, quietly(() => decodeURIComponent(password)) ?? '', ...parameters];
}

/** How programs print a text: as it is, within a JSON or JavaScript string, within a URL. */
function formsOf(text: string): string[] {
  const quoted = JSON.stringify(text).slice(1, -1);
  const inUrl = quietly(() => encodeURIComponent(text)) ?? text;
  const inForm = new URLSearchParams({ '': text }).toString().slice(1);
  return [text, quoted, quoted.replaceAll('\\"', '"'), inUrl, inForm];
}
