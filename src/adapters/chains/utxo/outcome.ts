/**
 * What became of the coins of a sequence: every node is asked where each of its signed transactions is, and who else spent one of
 * its coins. What is final is told only when all nodes that answer see the same (safety.md, 2 and A3).
 */
import { type BlockRef, ChainUnavailable } from '../../../ports/chain-scanner.ts';
import type { Coin, OutcomeQuery, SendingOutcome } from '../../../ports/chain-sender.ts';
import { NodeBehind, RpcError } from '../shared/faults.ts';
import { scriptOf } from './address.ts';
import type { Spender, UtxoBackend } from './backend.ts';
import type { UtxoSending } from './sending.ts';
import { type StoredTransaction, storedTransaction } from './stored.ts';

type Mined = Extract<SendingOutcome, { kind: 'mined' }>;

/** What one node sees. `final` is this node's own opinion. */
type View =
  | { readonly kind: 'mined'; readonly mined: Mined; readonly tipHeight: number }
  | { readonly kind: 'waiting'; readonly txid: string }
  /** A transaction in a block that is none of ours spent one of the coins. */
  | { readonly kind: 'spent'; readonly final: boolean }
  | { readonly kind: 'unseen' }
  /** The node answers, but not so that it could be relied on: it lags, refuses, or is amid a reorganisation. */
  | { readonly kind: 'unclear'; readonly problem: string };

export async function outcomeOf(sending: UtxoSending, query: OutcomeQuery): Promise<SendingOutcome> {
  const { chain, pool, network } = sending;
  const transactions = query.transactions.map(({ txid, raw }) => {
    const stored = storedTransaction(network, raw);
    if (stored.txid !== txid || !spends(stored, query.inputs))
      throw new Error(`the stored bytes of ${txid} are of another transaction, or spend other coins`);
    return stored;
  });
  const asked: Asked = { sending, query, transactions };
  const views = await pool.every((node) => viewOf(node, asked));
  const problems = views.flatMap((view) => (view.kind === 'unclear' ? [view.problem] : []));
  if (problems.length === views.length)
    throw new ChainUnavailable(
      `${chain}: no node could tell what became of sequence ${query.sequence}: ${problems.join('; ')}`,
    );
  return combined(views, transactions.at(-1)?.txid ?? null);
}

function spends({ inputs }: StoredTransaction, coins: readonly Coin[]): boolean {
  return (
    inputs.length === coins.length &&
    inputs.every(({ txid, vout }, index) => coins[index]!.txid === txid && coins[index]!.vout === vout)
  );
}

/** All nodes' views as one answer; where they disagree about what is final, it is not final. */
function combined(views: readonly View[], lastTxid: string | null): SendingOutcome {
  const mined = views.filter((view) => view.kind === 'mined').toSorted((a, b) => b.tipHeight - a.tipHeight);
  const [best] = mined;
  if (best !== undefined) {
    const agreed = mined.length === views.length && mined.every((view) => sameMined(view.mined, best.mined));
    return { ...best.mined, final: agreed && mined.every((view) => view.mined.final) };
  }
  const waiting = views.find((view) => view.kind === 'waiting');
  if (waiting !== undefined) return waiting;
  if (views.every((view) => view.kind === 'spent' && view.final)) return { kind: 'superseded' };
  const spent = views.some((view) => view.kind === 'spent');
  return spent && lastTxid !== null ? { kind: 'waiting', txid: lastTxid } : { kind: 'unseen' };
}

const sameMined = (a: Mined, b: Mined): boolean => a.txid === b.txid && a.block.hash === b.block.hash;

interface Asked {
  readonly sending: UtxoSending;
  readonly query: OutcomeQuery;
  readonly transactions: readonly StoredTransaction[];
}

async function viewOf(node: UtxoBackend, asked: Asked): Promise<View> {
  try {
    return await readView(node, asked);
  } catch (error) {
    if (error instanceof RpcError || error instanceof NodeBehind)
      return { kind: 'unclear', problem: error.message };
    throw error;
  }
}

async function readView(node: UtxoBackend, asked: Asked): Promise<View> {
  const { transactions, query } = asked;
  const tip = await node.tip();
  let waiting: string | null = null;
  for (const transaction of transactions) {
    const place = await node.place(transaction.txid);
    if (place.state === 'mined')
      return minedAs(asked, { transaction, tip, block: { height: place.height, hash: place.blockHash } });
    if (place.state === 'pending') waiting = transaction.txid;
  }
  if (waiting !== null) return { kind: 'waiting', txid: waiting };
  const spender = await firstSpender(node, query.inputs);
  if (spender === null) return { kind: 'unseen' };
  const own = transactions.find(({ txid }) => txid === spender.txid);
  if (own !== undefined) return minedAs(asked, { transaction: own, tip, block: spender.block });
  return { kind: 'spent', final: isFinal(asked, tip, spender.block.height) };
}

/** Who spent one of the coins, which are in a block; what waits is there for nobody else yet. */
async function firstSpender(node: UtxoBackend, coins: readonly Coin[]): Promise<Spender | null> {
  const gone: Coin[] = [];
  for (const coin of coins)
    if ((await node.unspent(coin)) === null && (await node.place(coin.txid)).state !== 'pending')
      gone.push(coin);
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
): View {
  const { network } = asked.sending;
  const { inputs, order } = asked.query;
  const spentUnits = inputs.reduce((sum, { units }) => sum + units, 0n);
  const effects = order.payments.map(({ to, units }, index) => {
    const output = transaction.outputs[index];
    const script = scriptOf(network, to);
    return output?.units === units && script !== null && Buffer.compare(output.script, script) === 0;
  });
  const mined: Mined = {
    kind: 'mined',
    txid: transaction.txid,
    block,
    feeUnits: spentUnits - transaction.paidUnits,
    effects,
    final: isFinal(asked, tip, block.height),
  };
  return { kind: 'mined', mined, tipHeight: tip.height };
}
