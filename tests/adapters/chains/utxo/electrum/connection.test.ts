/**
 * The line to an Electrum server: framing, batches, certificates, budgets, and what comes of
 * servers that hang up or say nothing.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { nodeEndpoint } from '../../../../../src/adapters/chains/shared/nodes/node-endpoint.ts';
import { NodeLimited } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import { electrumConnection } from '../../../../../src/adapters/chains/utxo/electrum/connection.ts';
import { until } from '../../../../support/runtime/poll.ts';
import {
  startTcpServer,
  startTlsServer,
  type TcpServer,
  testAuthority,
} from '../../../../support/webhooks/tcp-server.ts';

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/**
 * Echoes the first parameter of each call; `answer` may say something else, or null for nothing.
 */
function speaking(answer?: (said: Request | readonly Request[], socket: Socket) => unknown) {
  return (socket: Socket): void => {
    let begun = '';
    socket.on('data', (chunk: Buffer) => {
      const lines = (begun + chunk.toString()).split('\n');
      begun = lines.pop() ?? '';
      for (const line of lines) {
        const said = JSON.parse(line) as Request | readonly Request[];
        const echo = ({ id, params }: Request) => ({ jsonrpc: '2.0', id, result: params[0] });
        const usual = Array.isArray(said) ? said.map(echo) : echo(said as Request);
        const isHello = !Array.isArray(said) && (said as Request).method === 'server.version';
        const answered = isHello || answer === undefined ? usual : answer(said, socket);
        if (answered !== null)
          socket.write(typeof answered === 'string' ? answered : `${JSON.stringify(answered)}\n`);
      }
    });
  };
}

async function connectedTo(
  server: TcpServer,
  options: {
    tls?: boolean;
    host?: string;
    certificateSha256?: string;
    authorities?: readonly string[];
    maxRps?: number;
    notified?: (method: string, params: readonly unknown[]) => void;
    timeoutMs?: number;
    quietMs?: number;
  } = {},
) {
  const { tls = false, host = '127.0.0.1', certificateSha256 = null, timeoutMs = 2_000, quietMs } = options;
  const endpoint = nodeEndpoint(
    { url: `tcp://user:correct-horse@${host}:${server.port}`, maxRps: options.maxRps ?? null },
    0,
    { schemes: ['tcp'] },
  );
  const closing = new AbortController();
  opened.push(() => closing.abort(), server.stop);
  return electrumConnection({
    endpoint,
    address: { host, port: server.port, tls, certificateSha256, authorities: options.authorities ?? [] },
    closed: closing.signal,
    notified: options.notified ?? (() => {}),
    timing: { timeoutMs, restMs: 0, ...(quietMs === undefined ? {} : { quietMs }) },
  });
}

const echoes = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ method: 'echo', params: [at] }));
const results = (count: number) => Array.from({ length: count }, (_, result) => ({ result }));

describe('the line to an Electrum server', () => {
  test('carries calls, batches and what the server says by itself, however the bytes are cut', async () => {
    const heard: unknown[] = [];
    const server = await startTcpServer(
      speaking((said, socket) => {
        const call = said as Request;
        const text = `${JSON.stringify({ jsonrpc: '2.0', method: 'news', params: [7] })}\n${JSON.stringify({ jsonrpc: '2.0', id: call.id, result: 'grün' })}\n`;
        for (const byte of Buffer.from(text)) socket.write(Buffer.of(byte));
        return null;
      }),
    );
    const connection = await connectedTo(server, { notified: (...said) => heard.push(said) });
    expect(await connection.call('anything')).toBe('grün');
    expect(heard).toEqual([['news', [7], 1]]);
  });

  test('sends many calls in batches, and one by one to a server that refuses batches or hangs up on them', async () => {
    const taking = await connectedTo(await startTcpServer(speaking()));
    expect(await taking.outcomes(echoes(120))).toEqual(results(120));
    const refused = { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'Invalid request' } };
    const one = (said: Request | readonly Request[]) => ({
      ...{ jsonrpc: '2.0', id: (said as Request).id, result: (said as Request).params[0] },
    });
    const refusing = await connectedTo(
      await startTcpServer(speaking((said) => (Array.isArray(said) ? refused : one(said)))),
    );
    expect(await refusing.outcomes(echoes(60))).toEqual(results(60));
    const cutting = await connectedTo(
      await startTcpServer(
        speaking((said, socket) => {
          if (!Array.isArray(said)) return one(said);
          socket.destroy();
          return null;
        }),
      ),
    );
    await expect(cutting.outcomes(echoes(5))).rejects.toThrow('the connection was closed');
    expect(await cutting.outcomes(echoes(5))).toEqual(results(5));
  });

  test('is opened anew when it was cut, and numbered anew', async () => {
    const sockets: Socket[] = [];
    const speak = speaking();
    const server = await startTcpServer((socket) => {
      sockets.push(socket);
      speak(socket);
    });
    const connection = await connectedTo(server);
    expect(await connection.alive()).toBe(1);
    sockets[0]!.destroy();
    await until('it is opened anew', 2_000, async () => (await connection.alive()) === 2);
    expect(sockets.length).toBe(2);
  });

  test('asks a silent server for a sign of life, and gives it up when none comes', async () => {
    const server = await startTcpServer(speaking(() => null));
    const connection = await connectedTo(server, { timeoutMs: 50, quietMs: 0 });
    await expect(connection.alive()).rejects.toThrow('timed out');
  });

  test('is cut where a server answers no JSON, and no message shows the credentials of a URL', async () => {
    const server = await startTcpServer(speaking(() => 'HTTP/1.1 400 Bad Request\n'));
    const connection = await connectedTo(server);
    await expect(connection.call('echo')).rejects.toThrow('answered no JSON-RPC');
    const telling = await connectedTo(
      await startTcpServer(
        speaking((said) => ({
          id: (said as Request).id,
          error: { code: 1, message: 'not for correct-horse' },
        })),
      ),
    );
    await expect(telling.call('echo')).rejects.toThrow('not for ***');
  });

  test('holds back for a server that finds that too much was asked', async () => {
    const server = await startTcpServer(
      speaking((said) => ({
        id: (said as Request).id,
        error: { code: -101, message: 'excessive resource usage' },
      })),
    );
    const connection = await connectedTo(server);
    await expect(connection.call('echo')).rejects.toBeInstanceOf(NodeLimited);
  });

  test('is trusted over TLS by an authority, or by the one fingerprint that was configured, and never without', async () => {
    const certificate = (name: string) =>
      Bun.file(new URL(`../../../../support/webhooks/certificates/${name}.pem`, import.meta.url)).text();
    const fingerprint = async (name: string) =>
      new X509Certificate(await certificate(name)).fingerprint256.replaceAll(':', '').toLowerCase();
    const authorities = [await testAuthority()];
    const ask = async (name: 'merchant' | 'self-signed' | 'expired', certificateSha256?: string) => {
      const server = await startTlsServer(name, speaking());
      const pin = certificateSha256 === undefined ? {} : { certificateSha256 };
      const connection = await connectedTo(server, { tls: true, authorities, ...pin });
      return connection.call('echo', 'heard').catch((error: Error) => error.message);
    };
    expect(await ask('merchant')).toBe('heard');
    expect(await ask('self-signed')).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(await ask('expired')).toContain('CERT_HAS_EXPIRED');
    expect(await ask('self-signed', await fingerprint('self-signed'))).toBe('heard');
    expect(await ask('self-signed', await fingerprint('merchant'))).toContain('another one than configured');
    expect(await ask('merchant', await fingerprint('self-signed'))).toContain('another one than configured');
  });
});
