/** bitcoind (Bitcoin Knots) and litecoind in regtest, with a wallet that mines and pays. */

import { freePort } from '../../../src/adapters/embedded-postgres/free-port.ts';
import { formatUnits } from '../../../src/domain/money/decimal.ts';
import { nodeProgram } from './installed.ts';
import { nodeRpc } from './json-rpc.ts';
import { startNode } from './process.ts';
import { type RegtestNode, regtestNode } from './regtest.ts';

const PROGRAM = { bitcoin: 'bitcoind', litecoin: 'litecoind' } as const;

export function coreNodeAvailable(family: keyof typeof PROGRAM): boolean {
  return nodeProgram(PROGRAM[family]) !== null;
}

/** A node of its own. `txindex: false` and further `arguments` as a user may run it. */
export async function startCoreNode(
  family: keyof typeof PROGRAM,
  options: { txindex?: boolean; arguments?: readonly string[] } = {},
): Promise<RegtestNode> {
  const program = nodeProgram(PROGRAM[family]);
  if (program === null) throw new Error(`${PROGRAM[family]} is not installed`);
  const port = freePort();
  const url = `http://tester:a-long-password@127.0.0.1:${port}`;
  const start = nodeRpc(url);
  // A test may open further wallets: then the node asks which one is meant.
  const rpc = nodeRpc(`${url}/wallet/miner`);
  const process = await startNode({
    name: PROGRAM[family],
    ready: () => start('getblockcount'),
    command: (folder) => [
      program,
      '-regtest',
      `-datadir=${folder}`,
      '-server=1',
      '-listen=0',
      '-connect=0',
      '-dnsseed=0',
      '-discover=0',
      '-printtoconsole=0',
      '-rpcbind=127.0.0.1',
      '-rpcallowip=127.0.0.1',
      `-rpcport=${port}`,
      '-rpcuser=tester',
      '-rpcpassword=a-long-password',
      `-txindex=${options.txindex === false ? 0 : 1}`,
      '-keypool=10',
      ...(options.arguments ?? []),
    ],
  });
  await start('createwallet', 'miner');
  const ownAddress = await rpc<string>('getnewaddress', '', 'bech32');
  return regtestNode({
    family,
    url,
    rpc,
    ownAddress,
    coins: async () => {
      const coins = await rpc<{ txid: string; vout: number; amount: number; scriptPubKey: string }[]>(
        'listunspent',
        1,
      );
      return coins.map(({ txid, vout, amount, scriptPubKey }) => ({
        txid,
        vout,
        units: BigInt(amount.toFixed(8).replace('.', '')),
        script: scriptPubKey,
      }));
    },
    signed: async (unsigned, spent) => {
      const { hex, complete } = await rpc<{ hex: string; complete: boolean }>(
        'signrawtransactionwithwallet',
        unsigned,
        spent.map(({ txid, vout, units, script }) => ({
          txid,
          vout,
          scriptPubKey: script,
          amount: formatUnits(units, 8),
        })),
      );
      if (!complete) throw new Error('the wallet could not sign');
      return hex;
    },
    send: (raw) => rpc<string>('sendrawtransaction', raw),
    stop: () => process.stop(),
  });
}
