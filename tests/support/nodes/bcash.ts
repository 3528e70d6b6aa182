/** bcash (npm) in regtest, run by Node.js: a real node of Bitcoin Cash with the rules of 2019. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../src/adapters/embedded-postgres/free-port.ts';
import { nodeRpc } from './json-rpc.ts';
import { startNode } from './process.ts';
import type { Utxo } from './raw-transaction.ts';
import { type RegtestNode, regtestNode } from './regtest.ts';

const PACKAGE = join(import.meta.dir, '../../../node_modules/bcash/package.json');

export function bcashAvailable(): boolean {
  return existsSync(PACKAGE) && Bun.which('node') !== null;
}

export async function startBcash(): Promise<RegtestNode> {
  const port = freePort();
  const url = `http://tester:a-long-password@127.0.0.1:${port}`;
  const rpc = nodeRpc(url);
  const process = await startNode({
    name: 'bcash',
    ready: () => rpc('getblockcount'),
    command: (folder) => [
      Bun.which('node') ?? 'node',
      join(import.meta.dir, 'bcash.cjs'),
      `--prefix=${folder}`,
      '--http-host=127.0.0.1',
      `--http-port=${port}`,
      '--api-key=a-long-password',
      '--log-level=warning',
    ],
  });
  return regtestNode({
    family: 'bitcoincash',
    url,
    rpc,
    ownAddress: await rpc<string>('ownaddress'),
    coins: async () => {
      const coins = await rpc<(Omit<Utxo, 'units'> & { units: string })[]>('coins');
      return coins.map((coin) => ({ ...coin, units: BigInt(coin.units) }));
    },
    signed: (unsigned, coins) =>
      rpc<string>(
        'sign',
        unsigned,
        coins.map((coin) => ({ ...coin, units: coin.units.toString() })),
      ),
    send: (raw) => rpc<string>('send', raw),
    stop: () => process.stop(),
  });
}
