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

/** Every value of the entry's own `env`, and those arguments that are named like a secret: `--api-key=…`, `--token …`. */
export function createRedact({ env = {}, args = [] }: Given): Redact {
  // A value of several lines may be printed line by line, and a header without its scheme.
  const parts = [
    ...Object.values(env).flatMap((value) => [value, ...value.split(/\r?\n/)]),
    ...secretArguments(args).flatMap((value) => [value, ...value.split(/\s+/)]),
  ];
  const secrets = [...new Set(parts)].filter(({ length }) => length >= LEAST_CHARACTERS);
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
