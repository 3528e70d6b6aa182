/**
 * Unsigned transactions. Each is tried on the chain's present state before it is signed. A
 * transaction that the chain would undo, whose money would be lost, or that the wallets cannot pay
 * is refused here: a refusal costs nothing yet.
 */
import {
  type SendingOrder,
  SendingRefused,
  type UnsignedTransaction,
} from '../../../../ports/sending/chain-sender.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { onlyPayment } from '../../shared/send/only-payment.ts';
import { preparedOn } from '../../shared/send/prepared.ts';
import { normalizeSolanaAddress } from '../address.ts';
import type { SolanaPayment } from '../codec/payment.ts';
import {
  feeOf,
  type SignedSolanaTransaction,
  signersOf,
  storedTransaction,
  tagOf,
  writeUnsigned,
} from '../codec/transaction.ts';
import { type Facts, readFactsInRound } from '../facts.ts';
import { associatedAccount, TOKEN_PROGRAM } from '../programs.ts';
import type { ListedToken } from '../tokens.ts';
import { offeredPrice, readPriceInRound } from './fee-market.ts';
import { latestBlockhash } from './lifetime.ts';
import { recipientFault } from './recipients.ts';
import { AssetUnfit, ownWallet, type SolanaSending } from './sending.ts';
import { triedUnits } from './simulate.ts';

/** The limit of a trial: more than any payment uses. */
const TRIED_UNITS = 200_000;

interface SolanaTransfer {
  readonly wallet: string;
  readonly feePayer: string;
  /** The wallet of who is paid. */
  readonly recipient: string;
  readonly units: bigint;
  /** Null: the coin. */
  readonly token: ListedToken | null;
}

/**
 * Throws SendingRefused for an order that must not be signed, ChainUnavailable when no node can
 * tell.
 */
export async function prepare(
  sending: SolanaSending,
  order: SendingOrder,
  replaces: { raw: string } | null,
): Promise<UnsignedTransaction> {
  if (order.voids) throw new Error('nonces of Solana need not be used up: nothing is ever made void');
  const replaced = replaces === null ? null : storedTransaction(replaces.raw);
  return preparedOn(sending, (node) => prepareOn(sending, node, order, replaced));
}

async function prepareOn(
  sending: SolanaSending,
  node: RpcNode,
  order: SendingOrder,
  replaced: SignedSolanaTransaction | null,
): Promise<UnsignedTransaction> {
  const transfer = await transferOf(sending, node, order);
  const moment = sending.pool.rounds.moment(node);
  const facts = await readFactsInRound(moment, node, transfer);
  refuseLost(transfer, facts);
  refuseUnpayable(transfer, facts);
  const creates = createsAccount(transfer, facts, onlyPayment(order).extraGas ?? null);
  const { blockhash, lastValidBlockHeight } = await moment.once('blockhash', () =>
    latestBlockhash(sending, node),
  );
  const draft = draftOf(transfer, order, { creates, facts });
  const accounts = [transfer.feePayer, transfer.recipient];
  const market = await readPriceInRound(moment, node, accounts, sending.fees);
  const unitLimit = await triedUnits(node, draft, blockhash);
  const unitPrice = priceOf(sending, { ...draft, unitLimit }, { market, replaced });
  const payment = { ...draft, unitLimit, unitPrice };
  refusePoor(payment, {
    facts,
    leavingUnits: feeOf(payment) + (facts.lacksAccount ? facts.accountRent : 0n),
  });
  return {
    payload: writeUnsigned(payment, blockhash),
    maxFeeUnits: feeOf(payment) + (creates ? facts.accountRent : 0n),
    validUntil: BigInt(lastValidBlockHeight),
  };
}

async function transferOf(
  { assets }: SolanaSending,
  node: RpcNode,
  order: SendingOrder,
): Promise<SolanaTransfer> {
  const wallet = ownWallet(order.wallet);
  const feePayer = ownWallet(order.feePayer ?? order.wallet);
  const { to: recipient, units } = onlyPayment(order);
  if (normalizeSolanaAddress(recipient) === null)
    throw new SendingRefused('undone', `${recipient} is not a Solana address`);
  return { wallet, feePayer, recipient, units, token: await fitToken(assets, order.asset, node) };
}

/**
 * Whether the transaction makes the recipient's token account where it lacks one. `quotedUnits`:
 * the lamports that were quoted for this recipient beyond an ordinary payment; null: as many as it
 * takes.
 */
function createsAccount(
  { recipient, token }: SolanaTransfer,
  { accountRent, accountHolder, lacksAccount }: Facts,
  quotedUnits: bigint | null,
): boolean {
  if (token === null) return false;
  if (quotedUnits === null || quotedUnits >= accountRent) return true;
  if (lacksAccount)
    throw new SendingRefused(
      'cost',
      `${recipient} lacks its token account, and ${quotedUnits} of its ${accountRent} lamports were quoted`,
    );
  // Only the program that makes accounts would refuse this, and it does not run here.
  if (accountHolder !== recipient)
    throw new SendingRefused('undone', `the token account of ${recipient} belongs to somebody else`);
  return false;
}

/** The payment before its trial, without a price. */
function draftOf(
  { wallet, feePayer, recipient, units, token }: SolanaTransfer,
  order: SendingOrder,
  { creates, facts }: { creates: boolean; facts: Facts },
): SolanaPayment {
  return {
    feePayer,
    wallet,
    units,
    creates,
    // A payment to the account itself makes none, even if the recipient closes it meanwhile.
    recipient: token === null || creates ? recipient : associatedAccount(recipient, token),
    token: token && { mint: token.mint, program: token.program, decimals: token.decimals },
    // An account that keeps something stays: the rest may be of a payment that is not decided.
    closes: order.feePayer !== null && canClose(token) && facts.heldUnits === units,
    tag: tagOf(order.nonce),
    unitLimit: TRIED_UNITS,
    unitPrice: 0n,
  };
}

/** Micro-lamports for a compute unit. Throws SendingRefused above the configured ceiling. */
function priceOf(
  { chain, fees }: SolanaSending,
  payment: SolanaPayment,
  { market, replaced }: { market: bigint; replaced: SignedSolanaTransaction | null },
): bigint {
  const { unitLimit } = payment;
  const signatures = signersOf(payment).length;
  const offer = { market, replaced: replaced?.unitPrice ?? null, unitLimit, signatures };
  const unitPrice = offeredPrice(offer, fees);
  if (unitPrice === null)
    throw new SendingRefused('fees', `${chain}: the fee would be above the configured ceiling`);
  return unitPrice;
}

/**
 * An account of Token-2022 stays: it may hold withheld fees, which only the mint's owner can take
 * out.
 */
function canClose(token: ListedToken | null): boolean {
  return token?.program === TOKEN_PROGRAM;
}

async function fitToken(
  assets: SolanaSending['assets'],
  asset: string,
  node: RpcNode,
): Promise<ListedToken | null> {
  try {
    return await assets.checked(asset, node);
  } catch (error) {
    throw error instanceof AssetUnfit ? new SendingRefused('unclear', error.message) : error;
  }
}

function refuseLost({ recipient, units, token }: SolanaTransfer, facts: Facts): void {
  const fault = recipientFault(recipient, facts.recipient);
  if (fault !== null) throw new SendingRefused('undone', fault);
  const held = (facts.recipient?.lamports ?? 0n) + units;
  if (token === null && held < facts.walletRent)
    throw new SendingRefused(
      'undone',
      `a new account must get ${facts.walletRent} lamports at least: rent exemption`,
    );
}

function refuseUnpayable(
  { wallet, feePayer, units, token }: SolanaTransfer,
  { heldUnits, walletRent }: Facts,
): void {
  const lacks = (what: string): SendingRefused => new SendingRefused('money', `${wallet} ${what}`);
  if (heldUnits < units) throw lacks(`has ${heldUnits} base units where ${units} are to leave`);
  if (token !== null || wallet === feePayer) return;
  const left = heldUnits - units;
  if (left > 0n && left < walletRent)
    throw lacks(`would keep ${left} lamports, less than an account must hold`);
}

/** The fee payer keeps its rent exemption. Without it, it could not pay the next fee. */
function refusePoor(
  { feePayer, wallet, units, token }: SolanaPayment,
  { facts, leavingUnits }: { facts: Facts; leavingUnits: bigint },
): void {
  const leaving = leavingUnits + (token === null && feePayer === wallet ? units : 0n);
  if (facts.payerLamports - leaving < facts.walletRent)
    throw new SendingRefused(
      'money',
      `${feePayer} has not enough of the native coin for the amount and the fee`,
    );
}
