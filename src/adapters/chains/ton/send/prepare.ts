/**
 * Prices and unsigned requests. What a wallet cannot pay is refused here: a V5R1 wallet accepts a
 * request whose messages it cannot pay, uses up its seqno and sends nothing (safety.md, "Paid
 * once").
 */

import { larger } from '../../../../domain/money/larger.ts';
import { spendableUnits } from '../../../../domain/sending/own-money.ts';
import {
  type SendingOrder,
  type SendingPrice,
  SendingRefused,
  type UnsignedTransaction,
} from '../../../../ports/sending/chain-sender.ts';
import type { Payment } from '../../../../ports/sending/payment.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { tried } from '../../shared/send/trial.ts';
import { accountAt, jettonsAt } from '../accounts.ts';
import { parseTonAddress, rawAddress, type TonAddress } from '../address.ts';
import { writePayload } from '../codec/payload.ts';
import { MESSAGES_MAX, type WalletMessage } from '../codec/wallet-request.ts';
import { masterTip } from '../read/blocks.ts';
import type { Jetton } from '../read/jettons.ts';
import type { TonNode } from '../toncenter.ts';
import { JETTON_COINS, jettonSpent, mostCost, readPrices, type TonPaymentKind, usualCost } from './costs.ts';
import { JettonUnfit, jettonOf, jettonWallet, ownWallet, type TonSending } from './sending.ts';

/**
 * Unix seconds of the chain: long enough for a busy network, short enough for a payout that was
 * lost.
 */
const VALID_SECONDS = 180;
/**
 * Most difference between a node's newest block and our own clock (seconds): a minute of validity
 * is left, and never five.
 */
const APART_MAX = 120;
/**
 * Nanotons that the recipient of jettons gets with a notification: many wallets look only for that.
 */
const FORWARDED = 1n;

export async function priceOf(sending: TonSending, { asset }: { asset: string }): Promise<SendingPrice> {
  const kind: TonPaymentKind = asset === sending.nativeAsset ? 'coins' : 'jettons';
  const prices = await sending.pool.use(readPrices);
  const spent =
    kind === 'coins' ? 0n : jettonSpent((await sending.jettons.usable()).get(asset)?.code ?? null);
  const [usual, most] = [usualCost(kind, prices) + spent, mostCost(kind, 1)];
  return { expectedUnits: usual, maxUnits: larger(usual, most) };
}

export async function prepare(sending: TonSending, order: SendingOrder): Promise<UnsignedTransaction> {
  const { payments } = order;
  if (payments.length === 0 || payments.length > MESSAGES_MAX)
    throw new Error(`${payments.length} payments where a request makes 1 to ${MESSAGES_MAX}`);
  return sending.pool.use((node) => prepareOn(sending, node, order));
}

async function prepareOn(
  sending: TonSending,
  node: TonNode,
  order: SendingOrder,
): Promise<UnsignedTransaction> {
  const wallet = ownWallet(sending, order.wallet);
  // A voiding request needs no jetton, and must be possible whatever is wrong with the jetton.
  const jetton = order.voids ? null : await fitJetton(sending, order.asset);
  const kind: TonPaymentKind = jetton === null ? 'coins' : 'jettons';
  const tip = await masterTip(node);
  checkTime(sending, node, tip);
  const count = order.voids ? 0 : order.payments.length;
  const maxFeeUnits = mostCost(kind, count);
  await checkPrice(sending, node, { kind, count, maxFeeUnits });
  await checkMoney(node, { wallet, order, jetton, maxFeeUnits, seqno: tip.height });
  const recipients = order.voids
    ? []
    : await Promise.all(
        order.payments.map((payment, position) =>
          recipientOf(sending, node, payment, { wallet, kind, tip, position }),
        ),
      );
  const validUntil = BigInt(tip.time + VALID_SECONDS);
  const request = {
    validUntil,
    seqno: order.nonce,
    messages: recipients.map((recipient, position) =>
      messageOf(recipient, { sending, jetton, wallet, queryId: order.nonce * 256n + BigInt(position) }),
    ),
  };
  return { payload: writePayload({ request, code: jetton?.code ?? null }), maxFeeUnits, validUntil };
}

/**
 * A request must not be dead when it is sent, and must be dead after minutes, even if one node
 * reports a wrong time.
 */
function checkTime({ clock }: TonSending, { label }: TonNode, tip: { time: number }): void {
  const ahead = tip.time - Math.floor(clock.now().getTime() / 1000);
  if (Math.abs(ahead) > APART_MAX)
    throw new NodeLagging(`${label}: its newest block is ${ahead} s ahead of our clock`);
}

async function fitJetton(sending: TonSending, asset: string): Promise<Jetton | null> {
  try {
    return await jettonOf(sending, asset);
  } catch (error) {
    throw error instanceof JettonUnfit ? new SendingRefused('unclear', error.message) : error;
  }
}

/**
 * Prices above the limits mean that something is wrong with the network, or with what is known of
 * it.
 */
async function checkPrice(
  { chain, ceiling }: TonSending,
  node: TonNode,
  { kind, count, maxFeeUnits }: { kind: TonPaymentKind; count: number; maxFeeUnits: bigint },
): Promise<void> {
  const payments = BigInt(Math.max(1, count));
  const along = kind === 'jettons' ? JETTON_COINS : 0n;
  const tooDear = usualCost(kind, await readPrices(node)) + along > mostCost(kind, 1);
  if (tooDear || (ceiling !== null && maxFeeUnits > ceiling * payments))
    throw new SendingRefused('fees', `${chain}: the fee would be above the ceiling`);
}

async function checkMoney(
  node: TonNode,
  order: { wallet: string; order: SendingOrder; jetton: Jetton | null; maxFeeUnits: bigint; seqno: number },
): Promise<void> {
  const { wallet, jetton, maxFeeUnits, seqno } = order;
  const units = order.order.voids
    ? 0n
    : order.order.payments.reduce((sum, payment) => sum + payment.units, 0n);
  const refused = (held: bigint, needed: bigint, what: string): SendingRefused =>
    new SendingRefused('money', `${wallet} has ${held} base units of ${what} and must send ${needed}`);
  if (jetton !== null) {
    const held = await jettonsAt(node, jettonWallet(jetton, wallet), seqno);
    if (held < units) throw refused(held, units, jetton.asset);
  }
  const coins = spendableUnits((await accountAt(node, wallet, seqno)).coins, order.order.own);
  const needed = maxFeeUnits + (jetton === null ? units : 0n);
  if (coins < needed) throw refused(coins, needed, "the chain's coin");
}

interface TonRecipient {
  /** Raw. */
  readonly address: string;
  readonly bounce: boolean;
  readonly units: bigint;
}

/**
 * TON comes back from a contract that fails if the address asks for it. An address without a
 * contract keeps it, since most people copy the bounceable form. Jettons always come back: their
 * own wallets do that.
 */
async function recipientOf(
  { network }: TonSending,
  node: TonNode,
  { to, units }: Payment,
  on: { wallet: string; kind: TonPaymentKind; tip: { height: number }; position: number },
): Promise<TonRecipient> {
  const { wallet, kind, tip, position } = on;
  const parsed = parseTonAddress(network, to);
  if (parsed === null)
    throw new SendingRefused('undone', `${to} is no TON address of the ${network.name} network`, position);
  const address = rawAddress(parsed);
  if (kind !== 'coins' || !mayBounce(parsed)) return { address, bounce: false, units };
  const { active } = await tried({
    ...{ label: node.label, payment: position },
    ask: () => accountAt(node, address, tip.height),
    control: () => accountAt(node, wallet, tip.height),
  });
  return { address, bounce: active, units };
}

const mayBounce = ({ bounceable }: TonAddress): boolean => bounceable !== false;

function messageOf(
  { address, bounce, units }: TonRecipient,
  on: { sending: TonSending; jetton: Jetton | null; wallet: string; queryId: bigint },
): WalletMessage {
  const { sending, jetton, wallet, queryId } = on;
  if (jetton === null) return { to: address, bounce, coins: units, jettons: null };
  return {
    to: jettonWallet(jetton, wallet),
    bounce: true,
    coins: JETTON_COINS,
    jettons: {
      ...{ queryId, units, to: address },
      response: sending.hotWallet,
      // Our own hot wallet needs no notification.
      forwardCoins: address === sending.hotWallet ? 0n : FORWARDED,
    },
  };
}
