import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

/** A proxy that can drop all data in both directions, and open again for new connections. */
export async function openProxy(target: URL) {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const proxy = createServer((incoming) => {
    const outgoing = connect(Number(target.port || 5432), target.hostname);
    sockets.add(incoming).add(outgoing);
    for (const socket of [incoming, outgoing]) socket.on('error', () => {});
    incoming.on('data', (data) => !isSilent && outgoing.write(data));
    outgoing.on('data', (data) => !isSilent && incoming.write(data));
    outgoing.on('close', () => !isSilent && incoming.destroy());
    incoming.on('close', () => outgoing.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = new URL(target);
  // It is a TCP server, which has a port.
  const listening = proxy.address();
  address.host = `127.0.0.1:${typeof listening === 'object' ? listening?.port : ''}`;
  return {
    url: address.href,
    /** Open connections stay silent permanently. */
    fallSilent: () => {
      for (const socket of sockets) socket.pause().removeAllListeners('data');
    },
    /** Nothing new gets through either. */
    cut: () => {
      isSilent = true;
    },
    mend: () => {
      isSilent = false;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      if (!proxy.listening) return;
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
