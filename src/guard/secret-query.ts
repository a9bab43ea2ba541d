/** What the last word of a parameter's name is where it stands for a secret: `api_key`, `x-access-token`, `clientSecret`. */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  'apikey',
  'auth',
  'authorization',
  'key',
  'passwd',
  'password',
  'pwd',
  'secret',
  'sig',
  'signature',
  'token',
]);
/** Forms in which well-known services and JSON Web Tokens write theirs. */
const SECRET_VALUE = /^(?:(?:sk|pk|rk|gh[a-z]|xox[a-z]|glpat)[-_]|eyJ)[-_A-Za-z0-9.]{16,}/;
/** A name that can hold no secret of its own. */
const PLAIN_NAME = /^[A-Za-z][-_.A-Za-z]{0,31}$/;

/** The names of query parameters that look like a secret (G12); `?` where a name itself may be one. */
export function secretParameters({ searchParams }: URL): readonly string[] {
  const names = [...searchParams]
    .filter(([name, value]) => isSecretName(name) || [name, value].some((text) => SECRET_VALUE.test(text)))
    .map(([name]) => (PLAIN_NAME.test(name) ? name : '?'));
  return [...new Set(names)];
}

/** Whether something of that name is a secret, by its last word. */
export function isSecretName(name: string): boolean {
  return SECRET_WORDS.has(lastWord(name));
}

function lastWord(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1-$2').split(/[-_.]/);
  return words[words.length - 1]!.toLowerCase();
}
