/**
 * A chain's data from an Esplora server (HTTP API of Blockstream's electrs), for merchants without
 * a node of their own. The server is believed for consensus bytes and yes-or-no answers only:
 * amounts are never read from its JSON.
 */

import type { Outpoint } from '../../../../domain/chains/outpoint.ts';
import { mulDiv, parseDecimal } from '../../../../domain/money/decimal.ts';
import type { BlockRef, TransactionStatus } from '../../../../ports/chains/chain-scanner.ts';
import type { BroadcastOutcome } from '../../../../ports/sending/chain-sender.ts';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { bridged, type Lag } from '../../shared/nodes/lagging.ts';
import { NodeError, NodeLagging } from '../../shared/nodes/node-errors.ts';
import { type BlockBackend, decoded, type Spender } from '../backend.ts';
import { decodeHeader } from '../codec/raw-block.ts';
import { decodeTransaction, type RawTransaction } from '../codec/transaction.ts';
import type { UtxoNetwork } from '../network.ts';
import { waitingPaying } from '../read/owed.ts';
import { readBlock, spendingIn } from '../read/read-block.ts';
import { hashIn, isTxid, wholeNumber } from '../rpc/answers.ts';
import type { EsploraHttp } from './http.ts';

/** What nodes relay by default; the API does not tell. */
const RELAY_MINIMUM = 1_000n;

interface Context {
  readonly network: UtxoNetwork;
  readonly server: EsploraHttp;
  readonly lag?: Lag;
}

export function esploraBackend(context: Context): BlockBackend {
  const { network, server } = context;
  const shown = {
    mempool: { ofAddress: (address: string) => waitingAt(server, address) },
    rawTransactions: async (txids: readonly string[]) => {
      const raws: (Uint8Array | null)[] = [];
      for (const txid of txids) raws.push(await rawTransaction(server, txid));
      return raws;
    },
  };
  return {
    label: server.label,
    ...shown,
    rawBlock: (blockHash) => rawBlock(context, blockHash),
    hashesAt: async (heights) => {
      const hashes: (string | null)[] = [];
      for (const height of heights) hashes.push(await hashAt(server, height));
      return hashes;
    },
    headerAt: async (height) => {
      const blockHash = await hashAt(server, height);
      return blockHash === null ? null : headerOf(context, blockHash, height);
    },
    tip: () => tip(context),
    place: (txid) => placeOf(context, txid),
    unspent: (outpoint) => unspent(context, outpoint),
    waitingPaying: (owed) => waitingPaying(network, shown, owed),
    spentByWaiting: async (outpoint) => {
      const spending = await outspend(server, outpoint);
      return spending?.spent === true && !isSpentInBlock(spending);
    },
    spender: async (outpoints) => {
      for (const outpoint of outpoints) {
        const spender = await spenderOf(context, outpoint);
        if (spender !== null) return spender;
      }
      return null;
    },
    feeRate: (blocks) => feeRate(server, blocks),
    minimumFeeRate: async () => RELAY_MINIMUM,
    broadcast: (raw) => broadcast(context, raw),
  };
}

async function hashAt(server: EsploraHttp, height: number): Promise<string | null> {
  const text = await server.text(`block-height/${height}`);
  return text === null ? null : hashIn(text);
}

/**
 * Asks again for a while where a machine of the server lacks the block whose hash another one told.
 */
function ofBlock<T>({ lag = {} }: Context, blockHash: string, ask: () => Promise<T | null>): Promise<T> {
  return bridged(async () => {
    const answer = await ask();
    if (answer === null) throw new NodeLagging(`has no block ${blockHash}`);
    return answer;
  }, lag);
}

async function tip(context: Context): Promise<BlockRef> {
  const { server } = context;
  const blockHash = hashIn(await server.text('blocks/tip/hash'));
  const told = await ofBlock(context, blockHash, () => server.json(`block/${blockHash}/status`));
  const status = fields(told, 'status');
  if (status.in_best_chain !== true) throw new NodeLagging('was reorganised while its tip was read');
  return headerOf(context, blockHash, wholeNumber(status.height));
}

async function headerOf(context: Context, blockHash: string, height: number): Promise<BlockRef> {
  const { server } = context;
  const hex = await ofBlock(context, blockHash, () => server.text(`block/${blockHash}/header`));
  const header = decoded(server.label, () => decodeHeader(Buffer.from(hex, 'hex')));
  if (header.hash !== blockHash) throw new NodeError(`${server.label}: answered another header than asked`);
  return { height, ...header };
}

function rawBlock(context: Context, blockHash: string): Promise<Uint8Array> {
  return ofBlock(context, blockHash, () => context.server.bytes(`block/${blockHash}/raw`));
}

async function rawTransaction(server: EsploraHttp, txid: string): Promise<Uint8Array | null> {
  const hex = await server.text(`tx/${txid}/hex`);
  return hex === null ? null : Buffer.from(hex, 'hex');
}

async function transactionOf({ network, server }: Context, txid: string): Promise<RawTransaction | null> {
  const bytes = await rawTransaction(server, txid);
  return bytes === null ? null : decoded(server.label, () => decodeTransaction(network, bytes));
}

async function waitingAt(server: EsploraHttp, address: string): Promise<string[]> {
  const transactions = await server.json(`address/${address}/txs/mempool`);
  return list(transactions, 'waiting transactions').map((item) => hashIn(fields(item, 'transaction').txid));
}

async function placeOf(context: Context, txid: string): Promise<TransactionStatus> {
  const { server } = context;
  if (!isTxid(txid)) return { state: 'unknown' };
  const answer = await server.json(`tx/${txid}/status`);
  if (answer === null) return { state: 'unknown' };
  const status = fields(answer, 'status');
  if (status.confirmed !== true) return { state: (await waits(context, txid)) ? 'pending' : 'unknown' };
  const mined = { height: wholeNumber(status.block_height), blockHash: hashIn(status.block_hash) };
  if ((await hashAt(server, mined.height)) !== mined.blockHash)
    throw new NodeLagging('was reorganised while a transaction was looked up');
  return { state: 'mined', ...mined };
}

/**
 * Asks who spends the transaction's first input. The server's other answers prove nothing: it keeps
 * the bytes of transactions that a reorganisation removed, and says of any id that it is not
 * confirmed.
 */
async function waits(context: Context, txid: string): Promise<boolean> {
  const [input] = (await transactionOf(context, txid))?.inputs() ?? [];
  if (input === undefined) return false;
  return (await outspend(context.server, input))?.txid === txid;
}

/**
 * `spent`, and with it `txid` and `status` of what spends the output; null where the server does
 * not know the transaction.
 */
type Outspend = Readonly<Record<string, unknown>>;

async function outspend(server: EsploraHttp, { txid, vout }: Outpoint): Promise<Outspend | null> {
  const answer = await server.json(`tx/${txid}/outspend/${vout}`);
  return answer === null ? null : fields(answer, 'outspend');
}

function isSpentInBlock({ spent, status }: Outspend): boolean {
  return spent === true && fields(status, 'status').confirmed === true;
}

async function unspent(
  context: Context,
  outpoint: Outpoint,
): Promise<{ height: number; units: bigint } | null> {
  const { txid, vout } = outpoint;
  const at = await placeOf(context, txid);
  if (at.state !== 'mined') return null;
  const spending = await outspend(context.server, outpoint);
  if (spending === null || isSpentInBlock(spending)) return null;
  const output = (await transactionOf(context, txid))?.outputs[vout];
  return output === undefined ? null : { height: at.height, units: output.units };
}

/**
 * The block must contain the spender that the server names: a foreign spender of our UTXOs ends
 * payouts, which may then be paid anew.
 */
async function spenderOf(context: Context, outpoint: Outpoint): Promise<Spender | null> {
  const { network, server } = context;
  const { label } = server;
  const spending = await outspend(server, outpoint);
  if (spending === null || !isSpentInBlock(spending)) return null;
  const txid = hashIn(spending.txid);
  const at = await placeOf(context, txid);
  if (at.state !== 'mined') return null;
  const source = { label, rawBlock: (blockHash: string) => rawBlock(context, blockHash) };
  const block = await readBlock(network, source, at.blockHash);
  if (spendingIn(block, [outpoint])?.txid() !== txid)
    throw new NodeError(`${label}: names a spender that its block does not have`);
  return { txid, block: { height: at.height, hash: at.blockHash } };
}

/** The estimate for the most blocks that are no more than `blocks`; null where there is none. */
async function feeRate(server: EsploraHttp, blocks: number): Promise<bigint | null> {
  const rates = Object.entries(fields(await server.json('fee-estimates'), 'fee estimates'));
  const fitting = rates.filter(([target]) => Number(target) <= blocks);
  const [, rate] = fitting.toSorted(([a], [b]) => Number(b) - Number(a))[0] ?? [];
  return rate === undefined ? null : perThousand(rate);
}

/**
 * Of base units per virtual byte, as a number's text or a whole number. Rounded up, since less
 * might not be relayed.
 */
function perThousand(rate: unknown): bigint {
  const decimal = parseDecimal(String(rate));
  if (decimal === null) throw unusable('fee rate');
  return mulDiv(decimal.digits, 1_000n, 10n ** BigInt(decimal.scale), 'ceil');
}

async function broadcast(context: Context, raw: string): Promise<BroadcastOutcome> {
  const { network, server } = context;
  const transaction = decodeTransaction(network, Buffer.from(raw, 'hex'));
  const answer = await server.post('tx', raw);
  if ((await placeOf(context, transaction.txid())).state !== 'unknown') return { kind: 'accepted' };
  for (const input of transaction.inputs()) {
    const spending = await outspend(server, input);
    const gone = spending === null || (await placeOf(context, input.txid)).state === 'unknown';
    if (gone || isSpentInBlock(spending)) return { kind: 'nonce_used' };
  }
  return { kind: 'refused', reason: 'refused' in answer ? answer.refused : 'the server did not keep it' };
}
