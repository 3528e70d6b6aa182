/**
 * What became of a seqno: every node is asked whether the wallet has used it, for which of our
 * requests, and how far the money went. A final outcome is reported only when all nodes that answer
 * agree (safety.md A3 and "Paid once").
 */
import { type BlockRef, ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { OutcomeQuery, SendingOutcome } from '../../../../ports/sending/chain-sender.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import { combineNodeViews, type NodeView } from '../../shared/nodes/node-views.ts';
import { accountAt, seqnoOf } from '../accounts.ts';
import { normalizeTonAddress } from '../address.ts';
import { type StoredExternal, storedExternal } from '../codec/external.ts';
import type { WalletMessage } from '../codec/wallet-request.ts';
import { arrivals, arrivedBy } from '../read/arrivals.ts';
import { masterBlock, masterTip } from '../read/blocks.ts';
import { blockOf } from '../read/placing.ts';
import { type ArrivalOf, spentBy, type Trace, traceOf } from '../read/trace.ts';
import type { TonNode } from '../toncenter.ts';
import { ownWallet, type TonSending } from './sending.ts';
import { type SentRequest, sentRequest } from './sent-request.ts';

/**
 * Blocks of a shard may refer to an older masterchain block than the one that includes them: so
 * long after its end (seconds) a request is certainly dead.
 */
const EXPIRY_MARGIN = 60;

/**
 * A node that refuses a request of this age (seconds) has not kept it: it has no say, and does not
 * block the others.
 */
const KEPT_SECONDS = 3_600;

class NotKept extends Error {}

interface TonCandidate {
  readonly stored: StoredExternal;
  /** Whether it matches the order; a voiding request does not. */
  readonly fulfils: boolean;
}

interface TonOutcomeQuery {
  readonly sending: TonSending;
  readonly wallet: string;
  readonly query: OutcomeQuery;
  readonly candidates: readonly TonCandidate[];
}

export async function outcomeOf(sending: TonSending, query: OutcomeQuery): Promise<SendingOutcome> {
  const wallet = ownWallet(sending, query.wallet);
  const candidates = query.transactions.map(({ txid, raw, voids }) => {
    const stored = storedExternal(raw);
    if (stored.txid !== txid || stored.wallet !== wallet || stored.request.seqno !== query.nonce)
      throw new Error(`the stored bytes of ${txid} are of another transaction, seqno or wallet`);
    return { stored, fulfils: !voids && saysTheOrder(stored, query.order, sending) };
  });
  const asked = { sending, wallet, query, candidates };
  const lastTxid = candidates.at(-1)?.stored.txid ?? null;
  const pool = { every: keepingNodes(sending) };
  return combineNodeViews({ ...sending, pool }, { what: `seqno ${query.nonce}`, lastTxid }, (node) =>
    readView(node, asked),
  );
}

/**
 * NodePool.every without the nodes that no longer keep the data; ChainUnavailable when none does.
 */
function keepingNodes({ chain, pool }: TonSending): TonSending['pool']['every'] {
  return async <T>(work: (node: TonNode) => Promise<T>, unclear?: (problem: string) => T) => {
    const asked = async (node: TonNode): Promise<{ readonly told: T } | NotKept> => {
      try {
        return { told: await work(node) };
      } catch (error) {
        if (error instanceof NotKept) return error;
        throw error;
      }
    };
    const answers = await pool.every(asked, unclear && ((problem) => ({ told: unclear(problem) })));
    const told = answers.flatMap((answer) => (answer instanceof NotKept ? [] : [answer.told]));
    const silent = answers.find((answer) => answer instanceof NotKept);
    if (told.length === 0 && silent !== undefined)
      throw new ChainUnavailable(`${chain}: no node keeps such old data: ${silent.message}`);
    return told;
  };
}

function saysTheOrder(
  { request }: StoredExternal,
  order: OutcomeQuery['order'],
  { network, nativeAsset }: TonSending,
): boolean {
  const native = order.asset === nativeAsset;
  return (
    request.messages.length === order.payments.length &&
    request.messages.every(({ to, coins, jettons }, position) => {
      const payment = order.payments[position]!;
      const said = native ? { to, units: coins } : jettons;
      return (
        (jettons === null) === native &&
        said?.units === payment.units &&
        said.to === normalizeTonAddress(network, payment.to)
      );
    })
  );
}

async function readView(node: TonNode, asked: TonOutcomeQuery): Promise<NodeView> {
  const tip = await masterTip(node);
  const query = { name: nameOf(asked), tip: tip.hash };
  return asked.sending.pool.waiting.at(node, query, () => readViewAt(node, asked, tip));
}

/** All that a node's answer depends on, beside its chain. */
function nameOf({ wallet, query, candidates }: TonOutcomeQuery): string {
  const { nonce, order, asOf, toOurs } = query;
  const paid = order.payments.map(({ to, units }) => `${to} ${units}`);
  const sent = candidates.map(({ stored, fulfils }) => `${stored.txid} ${fulfils}`);
  return [wallet, nonce, asOf, toOurs, order.asset, ...paid, ...sent].join();
}

async function readViewAt(node: TonNode, asked: TonOutcomeQuery, tip: BlockRef): Promise<NodeView> {
  const { wallet, query, candidates, sending } = asked;
  const state = await accountAt(node, wallet, tip.height);
  const final = await finalBlock(node, tip, sending.confirmations);
  const isUsedFinally = async (): Promise<boolean> => {
    const seen = final.height === tip.height ? state : await accountAt(node, wallet, final.height);
    return seqnoOf(seen) > query.nonce;
  };
  if (seqnoOf(state) <= query.nonce) {
    const dead = candidates.every(
      ({ stored }) => final.time >= Number(stored.request.validUntil) + EXPIRY_MARGIN,
    );
    return { kind: candidates.length > 0 && dead && !(await isUsedFinally()) ? 'expired' : 'unseen' };
  }
  const stored = candidates.map((candidate) => candidate.stored);
  const search = { candidates: stored, lastLt: state.lastLt, memory: sending.searches };
  try {
    const found = await sentRequest(node, wallet, search);
    if (found === null) return { kind: 'used', final: await isUsedFinally() };
    return await minedView(node, asked, { found, tip, final });
  } catch (error) {
    const end = Math.max(...stored.map(({ request }) => Number(request.validUntil)));
    if (error instanceof RpcError && tip.time > end + KEPT_SECONDS) throw new NotKept(error.message);
    throw error;
  }
}

async function finalBlock(node: TonNode, tip: BlockRef, confirmations: number): Promise<BlockRef> {
  return confirmations <= 1 ? tip : masterBlock(node, Math.max(0, tip.height - confirmations + 1));
}

async function minedView(
  node: TonNode,
  { sending, wallet, query, candidates }: TonOutcomeQuery,
  { found, tip, final }: { found: SentRequest; tip: BlockRef; final: BlockRef },
): Promise<NodeView> {
  const { hotWallet } = sending;
  const { sent } = found;
  const { stored, fulfils } = candidates[found.position]!;
  const { messages } = stored.request;
  const block = await blockOf(node, { account: wallet, read: sent, tip });
  const jettonsOut = messages.find(({ jettons }) => jettons !== null)?.to ?? null;
  const known = arrivals(node, {
    ...{ wallet, sent, busy: jettonsOut, tip },
    ...{ memory: sending.memory, finalTime: final.time },
  });
  const { asOf: height, toOurs = false } = query;
  const ours = toOurs ? null : new Set([wallet, hotWallet, jettonsOut]);
  const traced = (of: readonly WalletMessage[], arrivalOf: ArrivalOf) =>
    traceOf(sent, of, { wallet, hotWallet, toOurs, arrivalOf });
  const isFinalNow = ({ ended, lastTime }: Trace): boolean =>
    ended && block.height <= final.height && lastTime <= final.time;
  const arrivalOf = height === undefined ? known : arrivedBy(node, known, { height, ours });
  // A batch is final as a whole: while its last message is not, no other is looked up.
  const isAllToBeRead =
    height !== undefined ||
    (block.height <= final.height && isFinalNow(await traced(messages.slice(-1), known)));
  const trace = await traced(messages, isAllToBeRead ? arrivalOf : async () => null);
  const paidCoins = messages.reduce(
    (units, { coins, jettons }, position) =>
      jettons === null && trace.paid[position] ? units + coins : units,
    0n,
  );
  const feeUnits = spentBy(sent) - paidCoins - trace.back.toWallet - trace.back.toHot;
  const hotFees = wallet === hotWallet ? {} : { hotFeeUnits: -trace.back.toHot };
  const effects = query.order.payments.map((_, position) => fulfils && trace.paid[position] === true);
  return {
    kind: 'mined',
    tipHeight: tip.height,
    mined: {
      kind: 'mined',
      txid: stored.txid,
      block: { height: block.height, hash: block.hash },
      feeUnits,
      feeShares: sharesOf(feeUnits, query.order.payments.length, trace.costs),
      ...hotFees,
      effects,
      unfunded: effects.map((_, position) => fulfils && trace.unsent[position] === true),
      left: effects.map((paid, position) => paid && trace.underway[position] !== 'ordered'),
      arrived: effects.map((paid, position) => paid && trace.underway[position] === null),
      final: isFinalNow(trace),
    },
  };
}

/**
 * What each payment took, and an equal part of the wallet's own fees; the first also has the
 * remainder of the division.
 */
function sharesOf(feeUnits: bigint, payments: number, costs: readonly bigint[]): readonly bigint[] {
  const common = costs.reduce((left, cost) => left - cost, feeUnits);
  const each = common / BigInt(payments);
  return Array.from({ length: payments }, (_, position) => {
    const rest = position === 0 ? common - each * BigInt(payments) : 0n;
    return (costs[position] ?? 0n) + each + rest;
  });
}
