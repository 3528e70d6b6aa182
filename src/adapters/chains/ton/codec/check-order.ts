/** Checks a request against its order before it is signed. */
import type { SigningTerms } from '../../../../ports/sending/family-signing.ts';
import { type SigningOrder, type SigningPayment, SigningRefused } from '../../../../ports/sending/signer.ts';
import { parseTonAddress, rawAddress, type TonAddress } from '../address.ts';
import type { TonNetwork } from '../network.ts';
import { possibleJettonWallets } from '../read/jetton-wallets.ts';
import { JETTON_COINS, mostCost } from '../send/costs.ts';
import type { CellId } from './cell-hash.ts';
import { readPayload } from './payload.ts';
import type { JettonOrder, WalletMessage } from './wallet-request.ts';

interface CheckedTonOrder {
  readonly network: TonNetwork;
  readonly order: SigningOrder;
  readonly terms: SigningTerms;
  /** Raw. */
  readonly hotWallet: string;
}

/**
 * Throws SigningRefused unless payload and order agree in everything. Returns the most nanotons
 * that it can cost.
 */
export function checkOrder(checked: CheckedTonOrder): { readonly maxFeeUnits: bigint } {
  const { order, terms } = checked;
  const read = readPayload(order.payload);
  if (read === null) throw new SigningRefused('the payload is no request of a kind that is signed');
  const { request, code } = read;
  if (request.seqno !== order.nonce) throw new SigningRefused('the payload has another seqno than the order');
  if (request.validUntil !== order.validUntil)
    throw new SigningRefused('the payload is valid for another time than the order says');
  if (order.inputs.length > 0 || order.feePayer !== null)
    throw new SigningRefused('the order has fields that TON does not have');
  const payments = order.voids ? [] : order.payments;
  if (request.messages.length !== payments.length)
    throw new SigningRefused('the payload makes another number of payments');
  const native = order.voids || terms.contract === null;
  if ((code === null) !== native) throw new SigningRefused("the payload does not move the order's asset");
  const fault =
    code === null ? coinFault(checked, request.messages) : jettonFault(checked, request.messages, code);
  if (fault !== null) throw new SigningRefused(fault.message, { transferId: fault.transferId });
  return { maxFeeUnits: mostCost(code === null ? 'coins' : 'jettons', payments.length) };
}

interface TonOrderFault {
  readonly message: string;
  /** The payment at fault; null when it is the whole order. */
  readonly transferId: string | null;
}

function coinFault(checked: CheckedTonOrder, messages: readonly WalletMessage[]): TonOrderFault | null {
  return firstFault(messages, checked, ({ to, bounce, coins, jettons }, payment, recipient) => {
    if (jettons !== null) return "the payload does not move the order's asset";
    if (to !== recipient.address) return "the payload does not pay the order's recipient";
    if (coins !== payment.units) return 'the payload moves another amount';
    return bounce && recipient.bounceable === false ? 'the payload bounces where the address does not' : null;
  });
}

function jettonFault(
  checked: CheckedTonOrder,
  messages: readonly WalletMessage[],
  code: CellId,
): TonOrderFault | null {
  const { network, order, terms, hotWallet } = checked;
  const [owner, master] = [order.wallet, terms.contract ?? ''].map((text) => parseTonAddress(network, text));
  if (owner == null || master == null)
    return { message: 'the order names no TON wallet or jetton', transferId: null };
  const wallets = possibleJettonWallets({ owner: owner.hash, master: master.hash, code }).map((hash) =>
    rawAddress({ workchain: 0, hash }),
  );
  const own = messages[0]?.to;
  return firstFault(messages, checked, ({ to, bounce, coins, jettons }, payment, recipient, position) => {
    if (jettons === null || to !== own || !wallets.includes(to))
      return "the payload does not go to the wallet's own jettons";
    if (coins !== JETTON_COINS || !bounce) return 'the payload sends other gas along than is usual';
    return transferFault(jettons, payment, {
      recipient: recipient.address,
      hotWallet,
      queryId: order.nonce * 256n + BigInt(position),
    });
  });
}

function transferFault(
  transfer: JettonOrder,
  { units }: SigningPayment,
  expected: { recipient: string; hotWallet: string; queryId: bigint },
): string | null {
  if (transfer.to !== expected.recipient) return "the payload does not pay the order's recipient";
  if (transfer.units !== units) return 'the payload moves another amount';
  if (transfer.response !== expected.hotWallet) return 'the remaining gas goes to another address';
  if (transfer.queryId !== expected.queryId || transfer.forwardCoins > 1n)
    return 'the payload says more than a transfer does';
  return null;
}

/** The first payment with a fault. */
function firstFault(
  messages: readonly WalletMessage[],
  { network, order }: CheckedTonOrder,
  faultOf: (
    message: WalletMessage,
    payment: SigningPayment,
    recipient: TonAddress & { readonly address: string },
    position: number,
  ) => string | null,
): TonOrderFault | null {
  for (const [position, message] of messages.entries()) {
    const payment = order.payments[position]!;
    const { transferId } = payment;
    const parsed = parseTonAddress(network, payment.to);
    if (parsed === null || payment.units <= 0n)
      return { message: 'the order names an invalid address or amount', transferId };
    // The recipient is named, so that the other payments go on without it. Outside the basechain
    // everything costs more, and jettons have no owners.
    if (parsed.workchain !== 0) return { message: 'the recipient is not in the basechain', transferId };
    const recipient = { ...parsed, address: rawAddress(parsed) };
    const found = faultOf(message, payment, recipient, position);
    if (found !== null) return { message: found, transferId };
  }
  return null;
}
