/**
 * A node without an index of transactions, as far as lookups ask it: blocks of a coinbase and what
 * a test puts there.
 */
import { RpcError } from '../../../src/adapters/chains/shared/nodes/node-errors.ts';
import type { RpcNode } from '../../../src/adapters/chains/shared/nodes/rpc-node.ts';
import { doubleSha256, hashText, merkleRoot } from '../../../src/adapters/chains/utxo/codec/hashes.ts';
import { unsignedTransaction } from '../nodes/raw-transaction.ts';

export interface NodeWithoutIndex extends RpcNode {
  /** Appends blocks; those after the first are empty. Answers the height of the first. */
  mine(count: number, raws?: readonly string[]): number;
  /** Takes the last blocks away. */
  pop(count: number): void;
  /** How many blocks were read whole since the last call. */
  blocksRead(): number;
}

interface Block {
  readonly hash: string;
  readonly parent: string | undefined;
  readonly header: Buffer;
  readonly raws: readonly string[];
  readonly ids: readonly string[];
}

/** `unspent`: an output's height and value in UTXOs, or null. Transactions have no witness. */
export function nodeWithoutIndex(
  options: { unspent?: (txid: string, vout: number) => { value: string; height: number } | null } = {},
): NodeWithoutIndex {
  const { unspent = () => null } = options;
  const chain: Block[] = [];
  let blocksMade = 0;
  let blocksRead = 0;

  function append(raws: readonly string[]): void {
    const parent = chain.at(-1)?.hash;
    const all = [coinbase(++blocksMade), ...raws];
    const names = all.map((raw) => hashText(doubleSha256(Buffer.from(raw, 'hex'))));
    const header = Buffer.alloc(80);
    if (parent !== undefined) header.set(Buffer.from(parent, 'hex').reverse(), 4);
    header.set(merkleRoot(names.map((name) => Buffer.from(name, 'hex').reverse())), 36);
    chain.push({ hash: hashText(doubleSha256(header)), parent, header, raws: all, ids: names });
  }

  function answer(method: string, [first, second]: readonly unknown[]): unknown {
    const height = chain.findIndex(({ hash }) => hash === first);
    const { parent, header, raws, ids: names } = chain[Math.max(0, height)]!;
    switch (method) {
      case 'getblockcount':
        return chain.length - 1;
      case 'getbestblockhash':
        return chain.at(-1)!.hash;
      case 'getblockhash':
        return chain[Number(first)]!.hash;
      case 'getblockheader':
        return second === false ? header.toString('hex') : { height };
      case 'getblock':
        if (second === true) return { previousblockhash: parent, tx: names };
        blocksRead += 1;
        return `${header.toString('hex')}0${raws.length}${raws.join('')}`;
      case 'gettxout': {
        const coin = unspent(String(first), Number(second));
        if (coin === null) return null;
        return {
          bestblock: chain.at(-1)!.hash,
          confirmations: chain.length - coin.height,
          value: coin.value,
        };
      }
      default:
        throw new RpcError(-5, 'No such mempool transaction. Use -txindex');
    }
  }

  return {
    label: 'node 1',
    call: async (method, ...params) => answer(method, params),
    outcomes: async (calls) => calls.map(({ method, params }) => ({ result: answer(method, params) })),
    batch: async (calls) => calls.map(({ method, params }) => answer(method, params)),
    mine(count, raws = []) {
      const first = chain.length;
      for (let mined = 0; mined < count; mined++) append(mined === 0 ? raws : []);
      return first;
    },
    pop(count) {
      chain.splice(chain.length - count);
    },
    blocksRead() {
      const read = blocksRead;
      blocksRead = 0;
      return read;
    },
  };
}

function coinbase(number: number): string {
  const input = { txid: '00'.repeat(32), vout: 0xffffffff };
  return unsignedTransaction(
    [input],
    [{ script: Uint8Array.of(0x51, number & 255, number >> 8), units: 1n }],
  );
}
