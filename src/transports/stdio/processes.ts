/** One process of the machine, as its kernel tells. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** It has ended, and nobody has asked how. */
  readonly isZombie: boolean;
  /** With the id this names one process for ever: ids are given again. */
  readonly startedAt: string;
}

/** The part of `node:fs` that is used. */
export interface ProcFiles {
  readdirSync(path: string): string[];
  readFileSync(path: string, encoding: 'latin1'): string;
}

/** All processes, where the system shows them as files (Linux); undefined elsewhere. */
export function readProcesses(files: ProcFiles): readonly ProcessEntry[] | undefined {
  let names: string[];
  try {
    names = files.readdirSync('/proc');
  } catch {
    return undefined;
  }
  const entries = names.filter((name) => /^\d+$/.test(name)).flatMap((name) => readEntry(files, name) ?? []);
  return entries.length === 0 ? undefined : entries;
}

function readEntry(files: ProcFiles, name: string): ProcessEntry | undefined {
  let line: string;
  try {
    line = files.readFileSync(`/proc/${name}/stat`, 'latin1');
  } catch {
    // It has ended since.
    return undefined;
  }
  // The second field is the program's name in parentheses, and may hold spaces and parentheses itself.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  const startedAt = fields[19];
  if (startedAt === undefined) return undefined;
  return { pid: Number(name), parent: Number(parent), group: Number(group), isZombie: state === 'Z', startedAt };
}

/** Those below a process, in any group. */
export function descendantsOf(root: number, all: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const found = new Map<number, ProcessEntry>();
  const next = [root];
  for (let parent = next.pop(); parent !== undefined; parent = next.pop()) {
    for (const entry of all) {
      if (entry.parent !== parent || found.has(entry.pid)) continue;
      found.set(entry.pid, entry);
      next.push(entry.pid);
    }
  }
  return [...found.values()];
}
