declare module 'workerd' {
  /** Path of the runtime's program for this system. */
  const path: string;
  export default path;
}
