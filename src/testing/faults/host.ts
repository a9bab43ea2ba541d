import { settleWithin } from '../../core/deadline.js';
import {
  loadHttp,
  type NodeHttp,
  type NodeRequest,
  type NodeResponse,
  type NodeServer,
  type NodeSocket,
} from './node-http.js';

/** How long closing waits for sockets that do not say that they are gone. */
const CLOSE_MS = 2_000;
/** Clients reuse connections for as long as they like; an idle close in the middle would be a fault of no plan. */
const KEEP_ALIVE_MS = 60_000;
const ADDRESS = '127.0.0.1';

export type Handle = (request: NodeRequest, response: NodeResponse) => void;

/** A listening server that can go away and come back on its port. */
export interface Host {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly origin: string;
  /** Sockets that are open now, idle ones included. */
  openSockets(): number;
  /** Cuts every connection and accepts none for `downMs`. Resolves when it listens again, or is closed for good. */
  restart(downMs: number): Promise<void>;
  /** Cuts every connection. Idempotent, takes at most 2 s. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1. Port 0 is one that the system chooses. */
export async function openHost(handle: Handle, port: number): Promise<Host> {
  const http = await loadHttp();
  const sockets = new Set<NodeSocket>();
  let server: NodeServer | undefined = await listen(http, handle, port, sockets);
  const address = server.address() as { readonly port: number };
  let closing: Promise<void> | undefined;
  let restarting: Promise<void> | undefined;
  let wake: (() => void) | undefined;

  const stop = async (): Promise<void> => {
    const stopped = server;
    server = undefined;
    if (stopped !== undefined) await end(stopped, sockets);
  };
  const comeBack = async (downMs: number): Promise<void> => {
    await stop();
    if (closing !== undefined) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, downMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    if (closing === undefined) server = await listen(http, handle, address.port, sockets);
  };
  return {
    origin: `http://${ADDRESS}:${address.port}`,
    openSockets: () => sockets.size,
    restart(downMs) {
      restarting ??= comeBack(downMs).finally(() => {
        restarting = undefined;
      });
      return restarting;
    },
    close() {
      closing ??= (async () => {
        wake?.();
        await restarting?.catch(() => {});
        await stop();
      })();
      return closing;
    },
  };
}

function listen(http: NodeHttp, handle: Handle, port: number, sockets: Set<NodeSocket>): Promise<NodeServer> {
  const server = http.createServer(handle);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('connection', (socket) => {
    sockets.add(socket);
    // A socket that a client resets is part of what is tested.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, ADDRESS, () => resolve(server));
  });
}

function end(server: NodeServer, sockets: ReadonlySet<NodeSocket>): Promise<void> {
  const gone = [...sockets].map((socket) => new Promise<void>((resolve) => socket.on('close', resolve)));
  const closed = new Promise<void>((resolve) => server.close(resolve));
  for (const socket of sockets) socket.destroy();
  server.closeAllConnections();
  return settleWithin(Promise.all([closed, ...gone]), CLOSE_MS);
}
