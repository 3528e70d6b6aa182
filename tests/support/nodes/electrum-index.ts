/**
 * What an Electrum server knows of its node's chain and mempool: headers, who pays and spends each
 * script, and where it is in its block.
 */

import { doubleSha256, hashText } from '../../../src/adapters/chains/utxo/codec/hashes.ts';
import { decodeBlock } from '../../../src/adapters/chains/utxo/codec/raw-block.ts';
import {
  decodeTransaction,
  type RawTransaction,
} from '../../../src/adapters/chains/utxo/codec/transaction.ts';
import { scriptHashOf } from '../../../src/adapters/chains/utxo/electrum/client.ts';
import { type Outpoint, outpointText } from '../../../src/domain/chains/outpoint.ts';
import type { RegtestNode } from './regtest.ts';

export interface Entry {
  readonly txid: string;
  readonly height: number;
}

export interface ChainIndex {
  readonly tip: { readonly height: number; readonly hex: string };
  header(height: number): string | undefined;
  /** Of blocks in their order, then what waits: 0, or -1 where it spends what waits. */
  historyOf(scriptHash: string): readonly Entry[];
  branch(txid: string, height: number): { position: number; hashes: readonly string[] } | null;
}

interface Block {
  readonly hash: string;
  readonly hex: string;
  readonly transactions: readonly RawTransaction[];
}

export function chainIndex(node: RegtestNode): { now(): Promise<ChainIndex> } {
  const { network } = node;
  const blocks: Block[] = [];
  const waiting = new Map<string, RawTransaction>();
  /** Who is paid by an output of any transaction that was ever seen. */
  const paidBy = new Map<string, string>();
  let state: ChainIndex | null = null;
  let seen = '';

  const note = (transaction: RawTransaction): RawTransaction => {
    for (const [vout, { script }] of transaction.outputs.entries())
      paidBy.set(outpointText({ txid: transaction.txid(), vout }), scriptHashOf(script));
    return transaction;
  };

  async function followBlocks(tip: string): Promise<void> {
    const fresh: Block[] = [];
    for (let hash = tip; ; ) {
      const known = blocks.findLastIndex((block) => block.hash === hash);
      if (known !== -1 || /^0+$/.test(hash)) {
        blocks.splice(known + 1, blocks.length, ...fresh.reverse());
        return;
      }
      const bytes = Buffer.from(await node.rpc<string>('getblock', hash, false), 'hex');
      const { transactions, parentHash } = decodeBlock(network, bytes);
      for (const transaction of transactions) note(transaction);
      fresh.push({ hash, hex: bytes.subarray(0, 80).toString('hex'), transactions });
      hash = parentHash;
    }
  }

  async function followMempool(txids: readonly string[]): Promise<void> {
    const present = new Set(txids);
    for (const txid of waiting.keys()) if (!present.has(txid)) waiting.delete(txid);
    for (const txid of txids) {
      if (waiting.has(txid)) continue;
      const hex = await node.rpc<string>('getrawtransaction', txid, false).catch(() => null);
      if (hex !== null) waiting.set(txid, note(decodeTransaction(network, Buffer.from(hex, 'hex'))));
    }
  }

  function read(): ChainIndex {
    const histories = new Map<string, Entry[]>();
    const add = (transaction: RawTransaction, height: number): void => {
      const txid = transaction.txid();
      const spent = transaction.inputs().map((input: Outpoint) => paidBy.get(outpointText(input)));
      const touched = new Set([...spent, ...transaction.outputs.map(({ script }) => scriptHashOf(script))]);
      for (const scriptHash of touched)
        if (scriptHash !== undefined)
          histories.set(scriptHash, [...(histories.get(scriptHash) ?? []), { txid, height }]);
    };
    for (const [height, { transactions }] of blocks.entries())
      for (const transaction of transactions) add(transaction, height);
    for (const transaction of waiting.values())
      add(transaction, transaction.inputs().some(({ txid }) => waiting.has(txid)) ? -1 : 0);
    return {
      tip: { height: blocks.length - 1, hex: blocks.at(-1)!.hex },
      header: (height) => blocks[height]?.hex,
      historyOf: (scriptHash) => histories.get(scriptHash) ?? [],
      branch: (txid, height) => branchOf(blocks[height]?.transactions ?? [], txid),
    };
  }

  return {
    async now() {
      const tip = await node.rpc<string>('getbestblockhash');
      const txids = await node.rpc<string[]>('getrawmempool');
      const looked = `${tip} ${txids.join(' ')}`;
      if (state !== null && looked === seen) return state;
      await followBlocks(tip);
      await followMempool(txids);
      seen = looked;
      state = read();
      return state;
    },
  };
}

function branchOf(transactions: readonly RawTransaction[], txid: string) {
  const position = transactions.findIndex((transaction) => transaction.txid() === txid);
  if (position === -1) return null;
  const hashes: string[] = [];
  let level = transactions.map((transaction) => transaction.hash());
  for (let at = position; level.length > 1; at = Math.floor(at / 2)) {
    hashes.push(hashText(level[at % 2 === 0 ? at + 1 : at - 1] ?? level[at]!));
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, pair) =>
      doubleSha256(level[2 * pair]!, level[2 * pair + 1] ?? level[2 * pair]!),
    );
  }
  return { position, hashes };
}
