import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Lets one process run at a time. Nobody runs before `count` of them have come, so that nothing is measured while they start;
 * then each gets a byte when the ones before it are gone.
 */
export async function openGate(count) {
  const waiting = [];
  let missing = count;
  let busy = false;
  function next() {
    const socket = waiting.shift();
    busy = socket !== undefined;
    socket?.write('.');
  }
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('close', () => {
      const place = waiting.indexOf(socket);
      if (place === -1) next();
      else waiting.splice(place, 1);
    });
    socket.resume();
    waiting.push(socket);
    missing -= 1;
    if (missing <= 0 && !busy) next();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, close: () => server.close() };
}
