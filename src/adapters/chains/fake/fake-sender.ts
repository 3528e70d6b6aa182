/** The ChainSender port over a fake chain: its mempool takes and refuses transactions as an EVM node's does, or they expire as on other chains. */
import { ChainUnavailable } from '../../../ports/chains/chain-scanner.ts';
import {
  type BroadcastOutcome,
  type ChainSender,
  SendingRefused,
} from '../../../ports/sending/chain-sender.ts';
import type { SendingCapabilities } from '../../../ports/sending/sending-capabilities.ts';
import { finalizedByConfirmations } from '../shared/read/finality.ts';
import { onlyPayment } from '../shared/send/only-payment.ts';
import type { ChainState } from './chain-state.ts';
import type { FakeMoney } from './fake-money.ts';
import { type FakeSending, payloadOf, readSigned } from './fake-sending.ts';
import { VALID_BLOCKS } from './fake-ways.ts';

/** `refuse`: answers that it does not take them. `lose`: says that it took them, and did not. `time_out`: takes them, and does not answer. */
export type BroadcastFault = 'refuse' | 'lose' | 'time_out';

export function fakeSender(options: {
  chain: string;
  ways: SendingCapabilities;
  confirmations: number;
  state: ChainState;
  money: FakeMoney;
  /** The normalized form; throws for what is no address of the chain. */
  addressOf: (text: string) => string;
  failing: () => boolean;
  /** Newest blocks that the sender's node does not have yet. */
  missing: () => number;
  broadcastFault: () => BroadcastFault | null;
}): ChainSender {
  const { chain, ways, confirmations, state, money, addressOf, failing, missing, broadcastFault } = options;
  const { nativeAsset } = money;
  const tipHeight = (): number => state.blocks.length - 1 - missing();
  const finalizedHeight = (): number => finalizedByConfirmations(tipHeight(), confirmations);

  function reach(): void {
    if (failing()) throw new ChainUnavailable(`${chain}: the fake node was told to fail`);
  }

  const counted = ways.nonces === 'counted';
  const balance = (address: string, asset: string): bigint => money.balanceAt(address, asset, tipHeight());
  const maxFee = (sending: FakeSending): bigint =>
    (money.fees(sending).weight + sending.extra) * sending.feeCap;
  const lacksUtxos = (sending: FakeSending): boolean =>
    money.lacksMoney(sending, maxFee(sending), tipHeight());
  const used = ({ wallet, nonce }: Pick<FakeSending, 'wallet' | 'nonce'>, height: number): boolean =>
    counted && money.nonceAt(wallet, height) > nonce;

  /** Present fees; above those of `replaces`, as its waiting place asks for. */
  function feeFields(order: { asset: string; voids: boolean }, replaces: FakeSending | null) {
    const { baseFee, tip } = money.fees(order);
    const feeCap = 2n * baseFee + tip;
    return replaces === null
      ? { feeCap, tip }
      : { feeCap: higher(feeCap, raised(replaces.feeCap)), tip: higher(tip, raised(replaces.tip)) };
  }

  function take(raw: string): BroadcastOutcome {
    const signed = readSigned(raw);
    if (signed === null || signed.sending.chain !== chain)
      return refused('these bytes are not signed for this chain');
    const { sending, txid } = signed;
    if (state.find(txid) !== null) return { kind: 'accepted' };
    if (used(sending, tipHeight())) return { kind: 'sequence_used' };
    if (sending.validUntil !== null && sending.validUntil <= BigInt(tipHeight())) return refused('expired');
    if (lacksUtxos(sending)) return refused('insufficient funds');
    const rival = state.mempool.find(
      (waiting) =>
        counted &&
        waiting.sending?.nonce === sending.nonce &&
        addressOf(waiting.sending.wallet) === addressOf(sending.wallet),
    );
    if (rival?.sending) {
      const { feeCap, tip } = rival.sending;
      if (sending.feeCap < raised(feeCap) || sending.tip < raised(tip))
        return refused('replacement transaction underpriced');
      state.evict(rival.txid);
    }
    state.submit(money.waiting(sending, txid));
    return { kind: 'accepted' };
  }

  return {
    chain,
    nativeAsset,
    ways,
    utxos: null,
    reserveUnits: async () => 0n,
    price: async ({ asset }) => {
      reach();
      money.checkAsset(asset);
      const { weight, baseFee, tip } = money.fees({ asset, voids: false });
      const { feeCap } = feeFields({ asset, voids: false }, null);
      return { expectedUnits: weight * (baseFee + tip), maxUnits: weight * feeCap };
    },
    recipients: {
      concern: (asset) => asset === nativeAsset,
      price: async (_wallet, payments) => {
        if (failing()) return payments.map(() => null);
        return payments.map(({ asset, to }) => {
          const { weight, baseFee, tip } = money.fees({ asset, voids: false });
          const extraGas = money.extraWeight({ asset, to, voids: false });
          const price = baseFee + tip;
          return { extraGas, extraUnits: extraGas * price, ordinaryUnits: weight * price };
        });
      },
      runCode: async (payments) => {
        reach();
        return payments.map(({ asset, to }) => money.extraWeight({ asset, to, voids: false }) > 0n);
      },
    },
    nextNonce: async (wallet, at) => {
      reach();
      if (!counted) return 0n;
      return money.nonceAt(wallet, at?.height ?? tipHeight());
    },
    ...(counted
      ? {
          reportedNonces: async (wallet: string) => {
            reach();
            const waiting = new Set(
              state.mempool.map(({ sending }) => (sending?.wallet === wallet ? sending.nonce : null)),
            );
            let told = money.nonceAt(wallet, tipHeight());
            while (waiting.has(told)) told += 1n;
            return { lowest: told, highest: told, complete: true };
          },
        }
      : {}),
    prepare: async (order, replaces) => {
      reach();
      money.checkAsset(order.asset);
      const payment = onlyPayment(order);
      addressOf(payment.to);
      const { wallet, nonce, voids } = order;
      const { asset, to, units } = voids
        ? { asset: nativeAsset, to: wallet, units: 0n }
        : { asset: order.asset, ...payment };
      const replaced = replaces === null ? null : (readSigned(replaces.raw)?.sending ?? null);
      if (!ways.expires && replaced?.voids === voids && outbids(replaced, money.fees({ asset, voids })))
        throw new SendingRefused('enough', 'the waiting transaction offers twice the present price already');
      const fees = feeFields({ asset, voids }, ways.expires ? null : replaced);
      const validUntil = ways.expires ? BigInt(tipHeight() + VALID_BLOCKS) : null;
      const feePayer = order.feePayer ?? wallet;
      const extra = money.extraWeight({ asset, to, voids });
      if (payment.extraGas != null && extra > payment.extraGas)
        throw new SendingRefused('cost', `${to} takes ${extra} where ${payment.extraGas} were quoted`);
      const moved = { asset, to, units, voids, extra };
      const sending: FakeSending = { chain, wallet, feePayer, nonce, ...moved, ...fees, validUntil };
      if (lacksUtxos(sending) || balance(wallet, asset) < units)
        throw new SendingRefused('money', `${wallet} lacks the money on ${chain}`);
      if (!voids && money.refuses(to)) throw new SendingRefused('undone', `${to} refuses payments`);
      return { payload: payloadOf(sending), maxFeeUnits: maxFee(sending), validUntil };
    },
    broadcast: async (raw) => {
      reach();
      const fault = broadcastFault();
      if (fault === 'refuse') return refused('the fake node was told to refuse');
      if (fault === 'lose') return { kind: 'accepted' };
      const outcome = take(raw);
      if (fault === 'time_out') throw new ChainUnavailable(`${chain}: the fake node was told not to answer`);
      return outcome;
    },
    outcome: async ({ wallet, nonce, transactions }) => {
      reach();
      const found = transactions.flatMap(({ txid }) => state.find(txid) ?? []);
      for (const { transaction, block } of found) {
        if (block === null || block.height > tipHeight() || !transaction.receipt) continue;
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
          final: block.height <= finalizedHeight(),
        };
      }
      if (used({ wallet, nonce }, finalizedHeight())) return { kind: 'superseded' };
      const [waiting] = found;
      if (waiting) return { kind: 'waiting', txid: waiting.transaction.txid };
      const dead = transactions.every(
        ({ validUntil }) => validUntil != null && validUntil <= finalizedHeight(),
      );
      return { kind: dead && transactions.length > 0 ? 'expired' : 'unseen' };
    },
    onChain: async ({ height, hash }) => {
      if (failing()) return null;
      return height <= tipHeight() && state.blocks[height]?.hash === hash;
    },
    balances: async (wallet, assets, at) => {
      reach();
      const block = state.blocks[at?.height ?? tipHeight()];
      if (block === undefined || block.height > tipHeight())
        throw new ChainUnavailable(`${chain}: the chain ends at ${tipHeight()}`);
      return {
        block: { height: block.height, hash: block.hash },
        units: new Map(assets.map((asset) => [asset, money.balanceAt(wallet, asset, block.height)])),
      };
    },
    close: async () => undefined,
  };
}

function outbids({ tip, feeCap }: FakeSending, market: { baseFee: bigint; tip: bigint }): boolean {
  return tip >= 2n * market.tip && feeCap >= 2n * market.baseFee + market.tip;
}

/** What a replacement must offer at least: a tenth more, rounded up. */
function raised(fee: bigint): bigint {
  return (fee * 11n + 9n) / 10n;
}

function higher(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function refused(reason: string): BroadcastOutcome {
  return { kind: 'refused', reason };
}
