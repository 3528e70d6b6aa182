/**
 * A chain's data from an Esplora server (HTTP API of Blockstream's electrs), for merchants without a node of their own. Only
 * consensus bytes and yes-or-no answers are taken from it; amounts are never read from its JSON.
 */

import type { Outpoint } from '../../../../domain/chains/outpoint.ts';
import { mulDiv, parseDecimal } from '../../../../domain/money/decimal.ts';
import type { BlockRef, TransactionStatus } from '../../../../ports/chains/chain-scanner.ts';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { bridged, type Lag } from '../../shared/nodes/lagging.ts';
import { NodeError, NodeLagging } from '../../shared/nodes/node-errors.ts';
import { type BlockBackend, decoded, type Spender } from '../backend.ts';
import { decodeHeader } from '../codec/raw-block.ts';
import { decodeTransaction } from '../codec/transaction.ts';
import type { UtxoNetwork } from '../network.ts';
import { waitingPaying } from '../read/owed.ts';
import { readBlock, spendingIn } from '../read/read-block.ts';
import { hashIn, isTxid, wholeNumber } from '../rpc/answers.ts';
import type { EsploraHttp } from './http.ts';

/** What nodes relay by default; the API does not tell. */
const RELAY_MINIMUM = 1_000n;

export function esploraBackend({
  network,
  server,
  lag = {},
}: {
  network: UtxoNetwork;
  server: EsploraHttp;
  lag?: Lag;
}): BlockBackend {
  const { label } = server;

  async function hashAt(height: number): Promise<string | null> {
    const text = await server.text(`block-height/${height}`);
    return text === null ? null : hashIn(text);
  }

  /** A block that it is asked for by its hash it told of: each of its machines has it soon. */
  function ofBlock<T>(blockHash: string, ask: () => Promise<T | null>): Promise<T> {
    return bridged(async () => {
      const answer = await ask();
      if (answer === null) throw new NodeLagging(`has no block ${blockHash}`);
      return answer;
    }, lag);
  }

  async function header(blockHash: string, height: number): Promise<BlockRef> {
    const hex = await ofBlock(blockHash, () => server.text(`block/${blockHash}/header`));
    const fieldsOfHeader = decoded(label, () => decodeHeader(Buffer.from(hex, 'hex')));
    if (fieldsOfHeader.hash !== blockHash)
      throw new NodeError(`${label}: answered another header than asked`);
    return { height, ...fieldsOfHeader };
  }

  async function rawTransaction(txid: string): Promise<Uint8Array | null> {
    const hex = await server.text(`tx/${txid}/hex`);
    return hex === null ? null : Buffer.from(hex, 'hex');
  }

  /**
   * A server keeps the bytes of transactions that a reorganisation removed, and says of any id that it is not confirmed. What
   * waits is told where one asks who spends the outputs that it spends.
   */
  async function waits(txid: string): Promise<boolean> {
    const bytes = await rawTransaction(txid);
    if (bytes === null) return false;
    const [input] = decoded(label, () => decodeTransaction(network, bytes)).inputs();
    if (input === undefined) return false;
    const spending = await server.json(`tx/${input.txid}/outspend/${input.vout}`);
    return spending !== null && fields(spending, 'outspend').txid === txid;
  }

  async function place(txid: string): Promise<TransactionStatus> {
    if (!isTxid(txid)) return { state: 'unknown' };
    const answer = await server.json(`tx/${txid}/status`);
    if (answer === null) return { state: 'unknown' };
    const status = fields(answer, 'status');
    if (status.confirmed !== true) return { state: (await waits(txid)) ? 'pending' : 'unknown' };
    const mined = { height: wholeNumber(status.block_height), blockHash: hashIn(status.block_hash) };
    if ((await hashAt(mined.height)) !== mined.blockHash)
      throw new NodeLagging('was reorganised while a transaction was looked up');
    return { state: 'mined', ...mined };
  }

  async function rawBlock(blockHash: string): Promise<Uint8Array> {
    return ofBlock(blockHash, () => server.bytes(`block/${blockHash}/raw`));
  }

  /** That somebody else spent our UTXOs ends payouts, which may then be made anew: the block has to have that transaction. */
  async function spenderOf(outpoint: Outpoint): Promise<Spender | null> {
    const spending = await server.json(`tx/${outpoint.txid}/outspend/${outpoint.vout}`);
    if (spending === null || !spentInBlock(spending)) return null;
    const txid = hashIn(fields(spending, 'outspend').txid);
    const at = await place(txid);
    if (at.state !== 'mined') return null;
    const block = await readBlock(network, { label, rawBlock }, at.blockHash);
    if (spendingIn(block, [outpoint])?.txid() !== txid)
      throw new NodeError(`${label}: names a spender that its block does not have`);
    return { txid, block: { height: at.height, hash: at.blockHash } };
  }

  const shown = {
    mempool: {
      ofAddress: async (address: string) => {
        const transactions = await server.json(`address/${address}/txs/mempool`);
        return list(transactions, 'waiting transactions').map((item) =>
          hashIn(fields(item, 'transaction').txid),
        );
      },
    },
    rawTransactions: async (txids: readonly string[]) => {
      const raws: (Uint8Array | null)[] = [];
      for (const txid of txids) raws.push(await rawTransaction(txid));
      return raws;
    },
  };

  return {
    label,
    place,
    rawBlock,
    hashesAt: async (heights) => {
      const hashes: (string | null)[] = [];
      for (const height of heights) hashes.push(await hashAt(height));
      return hashes;
    },
    headerAt: async (height) => {
      const blockHash = await hashAt(height);
      return blockHash === null ? null : header(blockHash, height);
    },
    tip: async () => {
      const blockHash = hashIn(await server.text('blocks/tip/hash'));
      const told = await ofBlock(blockHash, () => server.json(`block/${blockHash}/status`));
      const status = fields(told, 'status');
      if (status.in_best_chain !== true) throw new NodeLagging('was reorganised while its tip was read');
      return header(blockHash, wholeNumber(status.height));
    },
    ...shown,
    unspent: async ({ txid, vout }) => {
      const at = await place(txid);
      if (at.state !== 'mined') return null;
      const spending = await server.json(`tx/${txid}/outspend/${vout}`);
      const bytes = await rawTransaction(txid);
      if (spending === null || bytes === null || spentInBlock(spending)) return null;
      const output = decoded(label, () => decodeTransaction(network, bytes)).outputs[vout];
      return output === undefined ? null : { height: at.height, units: output.units };
    },
    waitingPaying: (owed) => waitingPaying(network, shown, owed),
    spentByWaiting: async ({ txid, vout }) => {
      const spending = await server.json(`tx/${txid}/outspend/${vout}`);
      return spending !== null && fields(spending, 'outspend').spent === true && !spentInBlock(spending);
    },
    spender: async (outpoints) => {
      for (const outpoint of outpoints) {
        const spender = await spenderOf(outpoint);
        if (spender !== null) return spender;
      }
      return null;
    },
    feeRate: async (blocks) => {
      const rates = Object.entries(fields(await server.json('fee-estimates'), 'fee estimates'));
      const fitting = rates.filter(([target]) => Number(target) <= blocks);
      const [, rate] = fitting.toSorted(([a], [b]) => Number(b) - Number(a))[0] ?? [];
      return rate === undefined ? null : perThousand(rate);
    },
    minimumFeeRate: async () => RELAY_MINIMUM,
    broadcast: async (raw) => {
      const transaction = decodeTransaction(network, Buffer.from(raw, 'hex'));
      const answer = await server.post('tx', raw);
      if ((await place(transaction.txid())).state !== 'unknown') return { kind: 'accepted' };
      for (const { txid, vout } of transaction.inputs()) {
        const spending = await server.json(`tx/${txid}/outspend/${vout}`);
        const gone = spending === null || (await place(txid)).state === 'unknown';
        if (gone || spentInBlock(spending)) return { kind: 'sequence_used' };
      }
      return { kind: 'refused', reason: 'refused' in answer ? answer.refused : 'the server did not keep it' };
    },
  };
}

function spentInBlock(answer: unknown): boolean {
  const { spent, status } = fields(answer, 'outspend');
  return spent === true && fields(status, 'status').confirmed === true;
}

/** Base units per virtual byte, as a number's text or a whole number; rounded up, since less might not be relayed. */
function perThousand(rate: unknown): bigint {
  const decimal = parseDecimal(String(rate));
  if (decimal === null) throw unusable('fee rate');
  return mulDiv(decimal.digits, 1_000n, 10n ** BigInt(decimal.scale), 'ceil');
}
