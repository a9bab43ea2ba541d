/** What the set-up of a project of tests has seen since the running test began; the set-up itself is in files of its own. */
const lines: string[] = [];
const errors: unknown[] = [];

export const watched = { lines, errors };
