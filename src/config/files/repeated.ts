/**
 * Names of entries that the parser has dropped without a word: one name given twice, or in a member that is itself given twice.
 * The last one counts, as in every client. `text` is valid JSON, an object; without `member` its own names are the entries'.
 */
export function findRepeated(text: string, member: string | undefined): readonly string[] {
  const repeated = new Set<string>();
  const names = new Set<string>();
  const level = member === undefined ? 1 : 2;
  let inside = member === undefined;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (char !== '"') continue;
    const end = endOfString(text, at);
    if (depth <= level && isName(text, end)) {
      const name: string = JSON.parse(text.slice(at, end));
      if (member !== undefined && depth === 1) {
        inside = name === member;
        if (inside) moveAll(names, repeated);
      } else if (inside && depth === level) {
        if (names.has(name)) repeated.add(name);
        names.add(name);
      }
    }
    at = end - 1;
  }
  return [...repeated];
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (/\s/.test(text[at] ?? '')) at += 1;
  return text[at] === ':';
}

function moveAll(from: Set<string>, to: Set<string>): void {
  for (const each of from) to.add(each);
  from.clear();
}
