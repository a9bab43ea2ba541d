/** What `${…}` of a text stands for: a value, or why there is none. */
export type Lookup = (name: string) => string | Unset;

export interface Unset {
  /** How a message may name it; never a value. */
  readonly unset: string;
}

export type Expanded = { readonly text: string } | Unset;

const REFERENCE = /\$\{([^{}]*)\}/g;

/** Replaces each `${…}` once: what comes in by it is not looked at again (T6). */
export function expand(text: string, lookup: Lookup): Expanded {
  let missing: Unset | undefined;
  const expanded = text.replace(REFERENCE, (_, name: string) => {
    const found = lookup(name);
    if (typeof found === 'string') return found;
    missing ??= found;
    return '';
  });
  return missing ?? { text: expanded };
}

const PLAIN = /^(?:[a-z]{1,16}:)?[\w./][\w./-]{0,63}$/;

/** A reference in a message. What is no plain name may be anything, a secret among it. */
export function unset(name: string): Unset {
  return { unset: PLAIN.test(name) ? `\${${name}}` : 'a variable' };
}
