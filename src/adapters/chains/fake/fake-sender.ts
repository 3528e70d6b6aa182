/**
 * The ChainSender port over a fake chain. Its mempool takes and refuses transactions as an EVM
 * node's does, or they expire as on other chains.
 */

import { larger } from '../../../domain/money/larger.ts';
import { spendableUnits } from '../../../domain/sending/own-money.ts';
import { ChainUnavailable } from '../../../ports/chains/chain-scanner.ts';
import {
  type BroadcastOutcome,
  type ChainSender,
  type ReportedNonces,
  type SendingOrder,
  type SendingOutcome,
  SendingRefused,
  type UnsignedTransaction,
} from '../../../ports/sending/chain-sender.ts';
import type { RecipientPricing } from '../../../ports/sending/recipient-pricing.ts';
import type { SendingCapabilities } from '../../../ports/sending/sending-capabilities.ts';
import { finalizedByConfirmations } from '../shared/read/finality.ts';
import { onlyPayment } from '../shared/send/only-payment.ts';
import type { ChainState, FakeTransaction } from './chain-state.ts';
import { VALID_BLOCKS } from './fake-capabilities.ts';
import type { FakeMoney } from './fake-money.ts';
import { type FakeSending, payloadOf, readSigned } from './fake-sending.ts';

/**
 * `refuse`: the node does not take them. `lose`: it says that it took them, and did not.
 * `time_out`: it takes them, and does not answer.
 */
export type BroadcastFault = 'refuse' | 'lose' | 'time_out';

interface SenderOptions {
  readonly chain: string;
  readonly capabilities: SendingCapabilities;
  readonly confirmations: number;
  readonly state: ChainState;
  readonly money: FakeMoney;
  /** The normalized form; throws for what is no address of the chain. */
  readonly addressOf: (text: string) => string;
  readonly failing: () => boolean;
  /** Newest blocks that the sender's node lacks. */
  readonly missing: () => number;
  readonly broadcastFault: () => BroadcastFault | null;
}

export function fakeSender(options: SenderOptions): ChainSender {
  const { chain, capabilities, state, money, failing } = options;
  const { nativeAsset } = money;
  return {
    chain,
    nativeAsset,
    capabilities,
    utxos: null,
    reserveUnits: async () => 0n,
    price: async ({ asset }) => {
      reach(options);
      money.checkAsset(asset);
      const { weight, baseFee, tip } = money.fees({ asset, voids: false });
      const { feeCap } = feeFields(money, { asset, voids: false }, null);
      return { expectedUnits: weight * (baseFee + tip), maxUnits: weight * feeCap };
    },
    recipients: recipientsOf(options),
    nextNonce: async (wallet, at) => {
      reach(options);
      return isCounted(options) ? money.nonceAt(wallet, at?.height ?? tipHeight(options)) : 0n;
    },
    ...(isCounted(options) ? { reportedNonces: async (wallet) => reportedNonces(options, wallet) } : {}),
    prepare: async (order, replaces) => prepare(options, order, replaces),
    broadcast: async (raw) => broadcast(options, raw),
    outcome: async (sent) => outcome(options, sent),
    onChain: async ({ height, hash }) => {
      if (failing()) return null;
      return height <= tipHeight(options) && state.blocks[height]?.hash === hash;
    },
    balances: async (wallet, assets, at) => {
      reach(options);
      const block = state.blocks[at?.height ?? tipHeight(options)];
      if (block === undefined || block.height > tipHeight(options))
        throw new ChainUnavailable(`${chain}: the chain ends at ${tipHeight(options)}`);
      return {
        block: { height: block.height, hash: block.hash },
        units: new Map(assets.map((asset) => [asset, money.balanceAt(wallet, asset, block.height)])),
      };
    },
    close: async () => undefined,
  };
}

const isCounted = ({ capabilities }: SenderOptions): boolean => capabilities.nonces === 'counted';

const tipHeight = ({ state, missing }: SenderOptions): number => state.blocks.length - 1 - missing();

const finalizedHeight = (options: SenderOptions): number =>
  finalizedByConfirmations(tipHeight(options), options.confirmations);

function reach({ chain, failing }: SenderOptions): void {
  if (failing()) throw new ChainUnavailable(`${chain}: the fake node was told to fail`);
}

function recipientsOf(options: SenderOptions): RecipientPricing {
  const { money, failing } = options;
  const extraOf = ({ asset, to }: { asset: string; to: string }): bigint =>
    money.extraWeight({ asset, to, voids: false });
  return {
    concern: (asset) => asset === money.nativeAsset,
    price: async (_wallet, payments) => {
      if (failing()) return payments.map(() => null);
      return payments.map((payment) => {
        const { weight, baseFee, tip } = money.fees({ asset: payment.asset, voids: false });
        const extraGas = extraOf(payment);
        const price = baseFee + tip;
        return { extraGas, extraUnits: extraGas * price, ordinaryUnits: weight * price };
      });
    },
    runCode: async (payments) => {
      reach(options);
      return payments.map((payment) => extraOf(payment) > 0n);
    },
  };
}

function reportedNonces(options: SenderOptions, wallet: string): ReportedNonces {
  reach(options);
  const { state, money } = options;
  const waiting = new Set(
    state.mempool.map(({ sending }) => (sending?.wallet === wallet ? sending.nonce : null)),
  );
  let told = money.nonceAt(wallet, tipHeight(options));
  while (waiting.has(told)) told += 1n;
  return { lowest: told, highest: told, complete: true };
}

function prepare(
  options: SenderOptions,
  order: SendingOrder,
  replaces: { raw: string } | null,
): UnsignedTransaction {
  reach(options);
  const { chain, money } = options;
  const sending = sendingOf(options, order, replaces);
  const { wallet, asset, to, units, voids, validUntil } = sending;
  const held = money.balanceAt(wallet, asset, tipHeight(options));
  if (lacksMoney(options, sending) || held < units || exceedsOwn(options, sending, order))
    throw new SendingRefused('money', `${wallet} lacks the money on ${chain}`);
  if (!voids && money.refuses(to)) throw new SendingRefused('undone', `${to} refuses payments`);
  return { payload: payloadOf(sending), maxFeeUnits: maxFee(options, sending), validUntil };
}

/** What is to be signed for the order. Throws SendingRefused where its cost does not fit. */
function sendingOf(
  options: SenderOptions,
  order: SendingOrder,
  replaces: { raw: string } | null,
): FakeSending {
  const { chain, capabilities, money } = options;
  const { wallet, nonce, voids, feePayer } = order;
  money.checkAsset(order.asset);
  const payment = onlyPayment(order);
  options.addressOf(payment.to);
  const moved = voids
    ? { asset: money.nativeAsset, to: wallet, units: 0n, voids }
    : { asset: order.asset, to: payment.to, units: payment.units, voids };
  const fees = bidOf(options, moved, replaces);
  const extra = money.extraWeight(moved);
  if (payment.extraGas != null && extra > payment.extraGas)
    throw new SendingRefused('cost', `${moved.to} takes ${extra} where ${payment.extraGas} were quoted`);
  const validUntil = capabilities.expires ? BigInt(tipHeight(options) + VALID_BLOCKS) : null;
  return { chain, wallet, feePayer: feePayer ?? wallet, nonce, ...moved, extra, ...fees, validUntil };
}

/** The fees that a transaction offers. Where transactions expire, none is replaced. */
function bidOf(
  { capabilities, money }: SenderOptions,
  moved: { asset: string; voids: boolean },
  replaces: { raw: string } | null,
): Pick<FakeSending, 'feeCap' | 'tip'> {
  if (capabilities.expires || replaces === null) return feeFields(money, moved, null);
  const replaced = readSigned(replaces.raw)?.sending ?? null;
  if (replaced?.voids === moved.voids && outbids(replaced, money.fees(moved)))
    throw new SendingRefused('enough', 'the waiting transaction offers twice the present price already');
  return feeFields(money, moved, replaced);
}

/** Present fees; above those of `replaced`, as its waiting place asks for. */
function feeFields(
  money: FakeMoney,
  moved: { asset: string; voids: boolean },
  replaced: FakeSending | null,
): Pick<FakeSending, 'feeCap' | 'tip'> {
  const { baseFee, tip } = money.fees(moved);
  const feeCap = 2n * baseFee + tip;
  return replaced === null
    ? { feeCap, tip }
    : { feeCap: larger(feeCap, raised(replaced.feeCap)), tip: larger(tip, raised(replaced.tip)) };
}

const maxFee = ({ money }: SenderOptions, sending: FakeSending): bigint =>
  (money.fees(sending).weight + sending.extra) * sending.feeCap;

const lacksMoney = (options: SenderOptions, sending: FakeSending): boolean =>
  options.money.lacksMoney(sending, maxFee(options, sending), tipHeight(options));

/** Whether the wallet would pay with coins that are not its own to spend. */
function exceedsOwn(options: SenderOptions, sending: FakeSending, { own }: SendingOrder): boolean {
  const { money } = options;
  const { wallet, feePayer, asset, units } = sending;
  if (own === undefined || feePayer !== wallet) return false;
  const held = money.balanceAt(wallet, money.nativeAsset, tipHeight(options));
  const coins = asset === money.nativeAsset ? units : 0n;
  return spendableUnits(held, own) < maxFee(options, sending) + coins;
}

const isUsed = (
  options: SenderOptions,
  { wallet, nonce }: Pick<FakeSending, 'wallet' | 'nonce'>,
  height: number,
): boolean => isCounted(options) && options.money.nonceAt(wallet, height) > nonce;

function broadcast(options: SenderOptions, raw: string): BroadcastOutcome {
  reach(options);
  const fault = options.broadcastFault();
  if (fault === 'refuse') return refused('the fake node was told to refuse');
  if (fault === 'lose') return { kind: 'accepted' };
  const taken = take(options, raw);
  if (fault === 'time_out')
    throw new ChainUnavailable(`${options.chain}: the fake node was told not to answer`);
  return taken;
}

function take(options: SenderOptions, raw: string): BroadcastOutcome {
  const { chain, state, money } = options;
  const signed = readSigned(raw);
  if (signed === null || signed.sending.chain !== chain)
    return refused('these bytes are not signed for this chain');
  const { sending, txid } = signed;
  if (state.find(txid) !== null) return { kind: 'accepted' };
  if (isUsed(options, sending, tipHeight(options))) return { kind: 'nonce_used' };
  if (sending.validUntil !== null && sending.validUntil <= BigInt(tipHeight(options)))
    return refused('expired');
  if (lacksMoney(options, sending)) return refused('insufficient funds');
  const rival = rivalOf(options, sending);
  if (rival?.sending) {
    const { feeCap, tip } = rival.sending;
    if (sending.feeCap < raised(feeCap) || sending.tip < raised(tip))
      return refused('replacement transaction underpriced');
    state.evict(rival.txid);
  }
  state.submit(money.waiting(sending, txid));
  return { kind: 'accepted' };
}

/** The waiting transaction of the same nonce. */
function rivalOf(options: SenderOptions, sending: FakeSending): FakeTransaction | undefined {
  const { state, addressOf } = options;
  if (!isCounted(options)) return undefined;
  return state.mempool.find(
    (waiting) =>
      waiting.sending?.nonce === sending.nonce &&
      addressOf(waiting.sending.wallet) === addressOf(sending.wallet),
  );
}

function outcome(
  options: SenderOptions,
  { wallet, nonce, transactions }: Parameters<ChainSender['outcome']>[0],
): SendingOutcome {
  reach(options);
  const finalHeight = finalizedHeight(options);
  const found = transactions.flatMap(({ txid }) => options.state.find(txid) ?? []);
  for (const { transaction, block } of found) {
    if (block === null || block.height > tipHeight(options) || !transaction.receipt) continue;
    const { feeUnits, effect } = transaction.receipt;
    const { sending } = transaction;
    const hotPays = sending !== undefined && sending.feePayer !== sending.wallet;
    return {
      kind: 'mined',
      txid: transaction.txid,
      block: { height: block.height, hash: block.hash },
      feeUnits,
      ...(hotPays ? { hotFeeUnits: feeUnits } : {}),
      effects: [effect],
      final: block.height <= finalHeight,
    };
  }
  if (isUsed(options, { wallet, nonce }, finalHeight)) return { kind: 'superseded' };
  const [waiting] = found;
  if (waiting) return { kind: 'waiting', txid: waiting.transaction.txid };
  const dead = transactions.every(({ validUntil }) => validUntil != null && validUntil <= finalHeight);
  return { kind: dead && transactions.length > 0 ? 'expired' : 'unseen' };
}

function outbids({ tip, feeCap }: FakeSending, market: { baseFee: bigint; tip: bigint }): boolean {
  return tip >= 2n * market.tip && feeCap >= 2n * market.baseFee + market.tip;
}

/** What a replacement must offer at least: a tenth more, rounded up. */
function raised(fee: bigint): bigint {
  return (fee * 11n + 9n) / 10n;
}

function refused(reason: string): BroadcastOutcome {
  return { kind: 'refused', reason };
}
