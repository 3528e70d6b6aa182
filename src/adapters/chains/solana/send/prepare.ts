/**
 * Unsigned transactions. What is to be signed was tried before, on the chain's present state: a transaction that the
 * chain would undo, whose money would be lost, or that the wallets cannot pay, is refused here, when refusing is still free.
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
import { type Facts, readFacts } from '../facts.ts';
import { associatedAccount, TOKEN_PROGRAM } from '../programs.ts';
import type { ListedToken } from '../tokens.ts';
import { offeredPrice, readPrice } from './fee-market.ts';
import { latestBlockhash } from './lifetime.ts';
import { recipientFault } from './recipients.ts';
import { AssetUnfit, ownWallet, type Sending } from './sending.ts';
import { triedUnits } from './simulate.ts';

/** More than any payment uses that is to be measured. */
const TRIED_UNITS = 200_000;

export async function prepare(
  sending: Sending,
  order: SendingOrder,
  replaces: { raw: string } | null,
): Promise<UnsignedTransaction> {
  if (order.voids) throw new Error('nonces of Solana need not be used up: nothing is ever made void');
  const replaced = replaces === null ? null : storedTransaction(replaces.raw);
  return preparedOn(sending, (node) => prepareOn(sending, node, order, replaced));
}

async function prepareOn(
  { assets, chain, fees, pool }: Sending,
  node: RpcNode,
  order: SendingOrder,
  replaced: SignedSolanaTransaction | null,
): Promise<UnsignedTransaction> {
  const wallet = ownWallet(order.wallet);
  const feePayer = ownWallet(order.feePayer ?? order.wallet);
  const { to: recipient, units, extraGas = null } = onlyPayment(order);
  if (normalizeSolanaAddress(recipient) === null)
    throw new SendingRefused('undone', `${recipient} is not a Solana address`);
  const token = await fitToken(assets, order.asset, node);
  const facts = await readFacts(node, { wallet, feePayer, recipient, token });
  refuseLost({ recipient, units, token }, facts);
  refuseUnpayable({ wallet, feePayer, units, token }, facts);

  const paysRent = extraGas === null || extraGas >= facts.accountRent;
  if (facts.lacksAccount && !paysRent)
    throw new SendingRefused(
      'cost',
      `${recipient} lacks its token account, and ${extraGas} of its ${facts.accountRent} lamports were quoted`,
    );

  const creates = token !== null && paysRent;
  // The program that makes accounts would refuse it.
  if (token !== null && !creates && facts.accountHolder !== recipient)
    throw new SendingRefused('undone', `the token account of ${recipient} belongs to somebody else`);

  const { blockhash, lastValidBlockHeight } = await latestBlockhash({ pool }, node);
  const draft: SolanaPayment = {
    ...{ feePayer, wallet, units, creates },
    // What was quoted without rent makes no account, also when the recipient ends his meanwhile.
    recipient: token === null || creates ? recipient : associatedAccount(recipient, token),
    token: token && { mint: token.mint, program: token.program, decimals: token.decimals },
    closes: order.feePayer !== null && canClose(token) && facts.heldUnits === units,
    tag: tagOf(order.nonce),
    unitLimit: TRIED_UNITS,
    unitPrice: 0n,
  };
  const unitLimit = await triedUnits(node, draft, blockhash);
  const market = await readPrice(node, [feePayer, recipient], fees);
  const signatures = signersOf(draft).length;
  const unitPrice = offeredPrice(
    { market, replaced: replaced?.unitPrice ?? null, unitLimit, signatures },
    fees,
  );
  if (unitPrice === null)
    throw new SendingRefused('fees', `${chain}: the fee would be above the configured ceiling`);
  const payment = { ...draft, unitLimit, unitPrice };
  const maxFeeUnits = feeOf(payment) + (creates ? facts.accountRent : 0n);
  refusePoor(payment, {
    facts,
    leavingUnits: feeOf(payment) + (facts.lacksAccount ? facts.accountRent : 0n),
  });
  return {
    payload: writeUnsigned(payment, blockhash),
    maxFeeUnits,
    validUntil: BigInt(lastValidBlockHeight),
  };
}

/**
 * An account that still holds something is not ended: it may be of a payment that is not decided. Nor is one of Token-2022, which
 * may keep withheld transfer fees that only the mint's owner can take out.
 */
function canClose(token: ListedToken | null): boolean {
  return token?.program === TOKEN_PROGRAM;
}

async function fitToken(
  assets: Sending['assets'],
  asset: string,
  node: RpcNode,
): Promise<ListedToken | null> {
  try {
    return await assets.checked(asset, node);
  } catch (error) {
    throw error instanceof AssetUnfit ? new SendingRefused('unclear', error.message) : error;
  }
}

function refuseLost(
  { recipient, units, token }: { recipient: string; units: bigint; token: ListedToken | null },
  facts: Facts,
): void {
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
  {
    wallet,
    feePayer,
    units,
    token,
  }: { wallet: string; feePayer: string; units: bigint; token: ListedToken | null },
  { heldUnits, walletRent }: Facts,
): void {
  const lacks = (what: string): SendingRefused => new SendingRefused('money', `${wallet} ${what}`);
  if (heldUnits < units) throw lacks(`has ${heldUnits} base units where ${units} are to leave`);
  if (token !== null || wallet === feePayer) return;
  const left = heldUnits - units;
  if (left > 0n && left < walletRent)
    throw lacks(`would keep ${left} lamports, less than an account must hold`);
}

/** The fee payer keeps its rent exemption: without it, it could not pay the next fee. */
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
