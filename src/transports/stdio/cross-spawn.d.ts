/**
 * The parts of cross-spawn 7 that are used, and of the process that it gives, by their shape. Its own
 * declarations would bring Node's types into every file of the library.
 */
declare module 'cross-spawn' {
  export interface SpawnOptions {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly stdio: readonly ['pipe', 'pipe', 'pipe'];
    /** A process group of its own, which can be signalled as a whole. */
    readonly detached: boolean;
    readonly windowsHide: boolean;
    readonly shell: false;
  }

  interface Stream {
    on(event: 'error', listener: (error: Error) => void): this;
    destroy(): void;
  }

  interface ReadableStream extends Stream {
    pause(): void;
    resume(): void;
    on(event: 'data', listener: (chunk: Uint8Array) => void): this;
    on(event: 'end', listener: () => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
  }

  interface WritableStream extends Stream {
    write(text: string, done: (error?: Error | null) => void): boolean;
    end(): void;
  }

  export interface ChildProcess {
    readonly pid?: number;
    readonly exitCode: number | null;
    readonly signalCode: string | null;
    readonly stdin: WritableStream;
    readonly stdout: ReadableStream;
    readonly stderr: ReadableStream;
    on(event: 'spawn', listener: () => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    on(event: 'exit' | 'close', listener: (code: number | null, signal: string | null) => void): this;
  }

  export default function spawn(file: string, args: readonly string[], options: SpawnOptions): ChildProcess;
}
