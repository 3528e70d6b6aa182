/**
 * What became of the UTXOs of a nonce: every node is asked where each of its signed transactions
 * is, and which others spent one of its UTXOs. A final outcome is reported only when all nodes that
 * answer agree (safety.md A3 and "Paid once").
 */
import { outpointText } from '../../../../domain/chains/outpoint.ts';
import type { BlockRef } from '../../../../ports/chains/chain-scanner.ts';
import type { OutcomeQuery, SendingOutcome } from '../../../../ports/sending/chain-sender.ts';
import type { Utxo } from '../../../../ports/sending/utxo-spending.ts';
import { combineNodeViews, type MinedOutcome, type NodeView } from '../../shared/nodes/node-views.ts';
import type { Spender, SpendingBackend } from '../backend.ts';
import { scriptOf } from '../codec/address.ts';
import { type StoredTransaction, storedTransaction } from '../codec/stored.ts';
import type { UtxoSending } from './sending.ts';

export async function outcomeOf(sending: UtxoSending, query: OutcomeQuery): Promise<SendingOutcome> {
  const { network } = sending;
  const transactions = query.transactions.map(({ txid, raw, voids }) => {
    const stored = storedTransaction(network, raw);
    const spent = spentBy(stored, query.inputs);
    if (
      stored.txid !== txid ||
      spent.length < stored.inputs.length ||
      !(voids || spent.length === query.inputs.length)
    )
      throw new Error(`the stored bytes of ${txid} are of another transaction, or spend other UTXOs`);
    return stored;
  });
  const asked: Asked = { sending, query, transactions };
  const lastTxid = transactions.at(-1)?.txid ?? null;
  return combineNodeViews(sending, { what: `nonce ${query.nonce}`, lastTxid }, (node) =>
    readView(node, asked),
  );
}

/** The UTXOs that it spends. One that voids a payment spends those that are left of it. */
function spentBy({ inputs }: StoredTransaction, utxos: readonly Utxo[]): readonly Utxo[] {
  const spent = new Set(inputs.map(outpointText));
  return utxos.filter((utxo) => spent.has(outpointText(utxo)));
}

interface Asked {
  readonly sending: UtxoSending;
  readonly query: OutcomeQuery;
  readonly transactions: readonly StoredTransaction[];
}

async function readView(node: SpendingBackend, asked: Asked): Promise<NodeView> {
  const { transactions, query } = asked;
  const tip = await node.tip();
  let waiting: string | null = null;
  for (const transaction of transactions) {
    const place = await node.place(transaction.txid, transaction.outputs.length);
    if (place.state === 'mined')
      return minedAs(asked, { transaction, tip, block: { height: place.height, hash: place.blockHash } });
    if (place.state === 'pending') waiting = transaction.txid;
  }
  if (waiting !== null) return { kind: 'waiting', txid: waiting };
  const spender = await firstSpender(node, query.inputs);
  if (spender === null) return { kind: 'unseen' };
  const own = transactions.find(({ txid }) => txid === spender.txid);
  if (own !== undefined) return minedAs(asked, { transaction: own, tip, block: spender.block });
  return { kind: 'used', final: isFinal(asked, tip, spender.block.height) };
}

/**
 * The transaction that spent one of the mined UTXOs. Waiting outputs can be spent by our own
 * transactions only.
 */
async function firstSpender(node: SpendingBackend, utxos: readonly Utxo[]): Promise<Spender | null> {
  const gone: Utxo[] = [];
  for (const utxo of utxos)
    if ((await node.unspent(utxo)) === null && (await node.place(utxo.txid)).state !== 'pending')
      gone.push(utxo);
  return gone.length === 0 ? null : node.spender(gone);
}

const isFinal = ({ sending: { confirmations } }: Asked, tip: BlockRef, height: number): boolean =>
  tip.height - height + 1 >= confirmations;

function minedAs(
  asked: Asked,
  {
    transaction,
    tip,
    block,
  }: { transaction: StoredTransaction; tip: BlockRef; block: { height: number; hash: string } },
): NodeView {
  const { network } = asked.sending;
  const { inputs, order } = asked.query;
  const spentUnits = spentBy(transaction, inputs).reduce((sum, { units }) => sum + units, 0n);
  const voids = asked.query.transactions.some(({ txid, voids: moves }) => moves && txid === transaction.txid);
  const left = voids ? [] : [...transaction.outputs];
  // Some of the payments may be missing in it: each output belongs to the first payment that it
  // matches.
  const effects = order.payments.map(({ to, units }) => {
    const script = scriptOf(network, to);
    const place = left.findIndex(
      (output) => output.units === units && script !== null && Buffer.compare(output.script, script) === 0,
    );
    if (place !== -1) left.splice(place, 1);
    return place !== -1;
  });
  const mined: MinedOutcome = {
    kind: 'mined',
    txid: transaction.txid,
    block,
    feeUnits: spentUnits - transaction.paidUnits,
    effects,
    final: isFinal(asked, tip, block.height),
  };
  return { kind: 'mined', mined, tipHeight: tip.height };
}
