/**
 * A tiny HTTP CONNECT proxy on loopback that records what it is asked and leads every tunnel to one
 * local port.
 */
import { connect } from 'node:net';
import { onRequest, startTcpServer } from './tcp-server.ts';

export interface ConnectProxy {
  readonly port: number;
  /** The heads of the requests received, as text. */
  readonly requests: readonly string[];
  readonly stop: () => Promise<void>;
}

/** @param options.answer sends this text instead of opening a tunnel */
export async function startConnectProxy(options: {
  destinationPort: number;
  answer?: string;
}): Promise<ConnectProxy> {
  const requests: string[] = [];
  const server = await startTcpServer((client) =>
    onRequest(client, (head) => {
      requests.push(head);
      if (options.answer !== undefined) {
        client.end(options.answer);
        return;
      }
      const upstream = connect({ host: '127.0.0.1', port: options.destinationPort });
      upstream.on('error', () => client.destroy());
      upstream.once('connect', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        client.pipe(upstream).pipe(client);
      });
      client.on('close', () => upstream.destroy());
    }),
  );
  return { port: server.port, requests, stop: server.stop };
}
