/**
 * What became of a nonce. Every node is asked for the receipts of all transactions that were signed
 * for it. A final outcome is reported only when all nodes that answer agree (safety.md A3 and "Paid
 * once").
 */
import type { ChainHead } from '../../../../ports/chains/chain-scanner.ts';
import type { OutcomeQuery, SendingOutcome } from '../../../../ports/sending/chain-sender.ts';
import { NodeLagging, RpcError } from '../../shared/nodes/node-errors.ts';
import { combineNodeViews, type MinedOutcome, type NodeView } from '../../shared/nodes/node-views.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { onlyPayment } from '../../shared/send/only-payment.ts';
import { normalizeEvmAddress } from '../address.ts';
import { blockRef, type FullReceipt, fullReceipt, quantity } from '../decode.ts';
import { headerAt } from '../read/block-reader.ts';
import { tokenTransfers } from '../read/transfers.ts';
import { type EvmSending, ownWallet } from './sending.ts';
import { highestPrice, type SignedEvmTransaction, storedTransaction } from './transaction.ts';

export async function outcomeOf(sending: EvmSending, query: OutcomeQuery): Promise<SendingOutcome> {
  const wallet = ownWallet(query.wallet);
  const transactions = query.transactions.map(({ txid, raw, voids }) => {
    const signed = storedTransaction(raw);
    if (signed.txid !== txid || signed.nonce !== query.nonce || signed.from !== wallet)
      throw new Error(`the stored bytes of ${txid} are of another transaction, nonce or wallet`);
    const fulfils = !voids && saysTheOrder(signed, query.order, sending);
    return { signed, fulfils };
  });
  const asked = { nonce: query.nonce, wallet, transactions };
  const lastTxid = transactions.at(-1)?.signed.txid ?? null;
  return combineNodeViews(sending, { what: `nonce ${query.nonce}`, lastTxid }, (node) =>
    readView(sending, node, asked),
  );
}

function saysTheOrder(
  signed: SignedEvmTransaction,
  order: OutcomeQuery['order'],
  { assets }: EvmSending,
): boolean {
  const { to, units } = onlyPayment(order);
  const asset = assets.of(order.asset);
  const contract = asset.kind === 'token' ? asset.contract : null;
  const signedContract = signed.asset.kind === 'token' ? signed.asset.contract : null;
  return (
    signedContract === contract && signed.recipient === normalizeEvmAddress(to) && signed.units === units
  );
}

interface EvmOutcomeQuery {
  readonly nonce: bigint;
  readonly wallet: string;
  readonly transactions: readonly EvmCandidate[];
}

interface EvmCandidate {
  readonly signed: SignedEvmTransaction;
  /** Whether the bytes match the order. Those of a voiding transaction do not. */
  readonly fulfils: boolean;
}

async function readView(sending: EvmSending, node: RpcNode, asked: EvmOutcomeQuery): Promise<NodeView> {
  const { wallet, nonce } = asked;
  const head = await sending.readHead(node);
  const used = quantity(await node.call('eth_getTransactionCount', wallet, 'latest'), 'transaction count');
  // Read after the count: a transaction that had used the nonce by then appears here.
  const seen = await transactionView(node, { asked, head });
  if (seen !== null) return seen;
  if (used <= nonce) return { kind: 'unseen' };
  if (!(await usedFinally(node, asked, head))) return { kind: 'used', final: false };
  return (
    (await transactionView(node, { asked, head, holding: head.finalizedHeight })) ?? {
      kind: 'used',
      final: true,
    }
  );
}

/**
 * Whether the nonce is used as of the final block. A node without such old state cannot tell: then
 * it is not known to be used.
 */
async function usedFinally(
  node: RpcNode,
  { wallet, nonce }: EvmOutcomeQuery,
  head: ChainHead,
): Promise<boolean> {
  if (head.finalizedHeight < 0) return false;
  const height = `0x${head.finalizedHeight.toString(16)}`;
  try {
    return quantity(await node.call('eth_getTransactionCount', wallet, height), 'transaction count') > nonce;
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
}

/**
 * The first of the transactions that is in a block, or the last that waits; null when the node
 * knows none. With `holding` the same request asks for the block at that height, so an empty answer
 * comes from a machine that has the block, and not from one that lags behind a shared name.
 */
async function transactionView(
  node: RpcNode,
  { asked, head, holding }: { asked: EvmOutcomeQuery; head: ChainHead; holding?: number },
): Promise<Extract<NodeView, { kind: 'mined' | 'waiting' }> | null> {
  const { transactions } = asked;
  const lookUps = transactions.flatMap(({ signed }) => [
    { method: 'eth_getTransactionReceipt', params: [signed.txid] },
    { method: 'eth_getTransactionByHash', params: [signed.txid] },
  ]);
  const answers =
    holding === undefined
      ? await Promise.all(lookUps.map(({ method, params }) => node.call(method, ...params)))
      : await node.batch([
          { method: 'eth_getBlockByNumber', params: [`0x${holding.toString(16)}`, false] },
          ...lookUps,
        ]);
  const heldBlocks = holding === undefined ? 0 : 1;
  if (heldBlocks === 1) {
    if (answers[0] == null) throw new NodeLagging(`${node.label}: does not have block ${holding}`);
    blockRef(answers[0]);
  }
  let waiting: string | null = null;
  for (const [position, candidate] of transactions.entries()) {
    const [receipt, transaction] = answers.slice(heldBlocks + 2 * position, heldBlocks + 2 * position + 2);
    if (receipt != null) {
      const { txid, fees } = candidate.signed;
      const found = fullReceipt(receipt, { txid, signedGasPrice: highestPrice(fees) });
      if ((await headerAt(node, found.height))?.hash !== found.blockHash)
        throw new NodeLagging(`${node.label}: was reorganised while a transaction was looked up`);
      const final = found.height <= head.finalizedHeight;
      return { kind: 'mined', mined: { ...minedAs(candidate, found), final }, tipHeight: head.tip.height };
    }
    if (transaction != null) waiting = candidate.signed.txid;
  }
  return waiting === null ? null : { kind: 'waiting', txid: waiting };
}

function minedAs({ signed, fulfils }: EvmCandidate, found: FullReceipt): Omit<MinedOutcome, 'final'> {
  return {
    kind: 'mined',
    txid: signed.txid,
    block: { height: found.height, hash: found.blockHash },
    feeUnits: found.feeWei,
    effects: [fulfils && found.succeeded && paid(signed, found)],
  };
}

/**
 * Whether money went to the recipient (safety.md E1, E4). The bytes order the exact amount. A token
 * that keeps a part of it logs less (E3) but has moved the money: if that counted as reverted, it
 * would be paid a second time.
 */
function paid({ asset, from, recipient }: SignedEvmTransaction, { logs }: FullReceipt): boolean {
  if (asset.kind === 'native') return true;
  const transfers = tokenTransfers(logs, new Map([[asset.contract, asset.contract]]));
  return transfers.some((transfer) => transfer.from === from && transfer.to === recipient);
}
