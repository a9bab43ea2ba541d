/** A token of RFC 9110, section 5.6.2. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Runtimes differ in what they refuse and some name the value when they do, so the check is our own (G12). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

/** Whether a header can hold this text: no line break, nothing beyond Latin-1. */
export function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && VALUE.test(value);
}
