declare module 'cloudflare:workers' {
  /** The Worker's bindings; here they are all text. */
  export const env: Readonly<Record<string, string>>;
}
