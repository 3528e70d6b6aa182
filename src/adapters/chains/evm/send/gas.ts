/**
 * How much gas our transactions use, as nodes estimate it on their present state, and whether they
 * would revert. A rollup (arbitrum) includes the price of the data in the estimate, so a node's
 * estimate is always preferred to a constant.
 */

import { smaller } from '../../../../domain/money/larger.ts';
import { SendingRefused } from '../../../../ports/sending/chain-sender.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import type { RpcNode, RpcOutcome } from '../../shared/nodes/rpc-node.ts';
import { tried } from '../../shared/send/trial.ts';
import { NOBODY, transferCall, transferSaysNo } from '../contract.ts';
import { hexBytes, quantity } from '../decode.ts';
import type { EvmSending, SendableAsset } from './sending.ts';
import type { EvmPayment } from './transaction.ts';

/** Gas of a transaction without data to an address without code: the minimum. */
const PLAIN_GAS = 21_000n;
/**
 * Gas of a token's own work in `transfer`, besides its call data: to a new holder, and in an
 * expensive contract.
 */
const TOKEN_GAS_USUAL = 45_000n;
const TOKEN_GAS_MOST = 120_000n;
const FIRST_HOLDER_GAS = 20_000n;
/**
 * Most gas of one transaction (EIP-7825: 2^24), in force on ethereum since Fusaka. None of ours
 * needs as much on any chain.
 */
const TRANSACTION_GAS_MOST = 16_777_216n;
/**
 * Gas of a trial beyond the quote. A payment that takes more is never sent, and no recipient may
 * keep a node busy (safety.md G4).
 */
export const TRIAL_GAS = 1_000_000n;
/**
 * The highest gas limit that is ever signed: no block takes a transaction that needs more
 * (safety.md G3).
 */
export function mostGas(blockGas: bigint): bigint {
  return smaller(blockGas, TRANSACTION_GAS_MOST);
}

/**
 * Gas of an ordinary transfer. For a token: a transfer from `wallet` to a new holder. If the node
 * cannot try that, the estimate of a bare transaction plus the gas of the token's code.
 */
export async function usualGas(
  node: RpcNode,
  asset: SendableAsset,
  { recipient, most, wallet }: { recipient: string; most: bigint; wallet?: string },
): Promise<{ usual: bigint; most: bigint }> {
  if (asset.kind === 'token') {
    if (wallet !== undefined) {
      const data = transferCall({ to: NOBODY, units: 1n });
      const gas = await unlessReverted(estimate(node, { from: wallet, to: asset.contract, data }, most));
      if (gas !== null) return { usual: gas, most: smaller(withMargin(gas), most) };
    }
    const bare = { to: NOBODY, data: transferCall({ to: recipient, units: 10n ** 18n }) };
    const gas = await estimate(node, bare, most);
    return { usual: gas + TOKEN_GAS_USUAL, most: gas + TOKEN_GAS_MOST };
  }
  // A contract may refuse a payment of zero. Then it is priced as a plain address.
  const gas =
    (await unlessReverted(estimate(node, { to: recipient, value: '0x0' }, most))) ??
    (await estimate(node, { to: NOBODY, value: '0x0' }, most));
  return { usual: gas, most: smaller(withMargin(gas), most) };
}

async function unlessReverted(asked: Promise<bigint>): Promise<bigint | null> {
  try {
    return await asked;
  } catch (error) {
    if (isRevert(error)) return null;
    throw error;
  }
}

/** A payment as it is to be sent now. */
export interface Tried {
  readonly wallet: string;
  readonly payment: EvmPayment;
  /** Highest gas limit that is ever signed. */
  readonly most: bigint;
  /** The gas price that will be paid, and the wallet's balance of the native coin. */
  readonly perGas: bigint;
  readonly nativeBalance: bigint;
}

/**
 * The gas limit of a payment whose trial succeeded: at most `most`, and at most an ordinary
 * payment's plus `extraGas`. SendingRefused `undone` when it would revert (also because it needs
 * more than `most`), `cost` when it needs more than was quoted, and `untried` when the node does
 * not finish the trial.
 */
export async function triedGas(
  { trialMs: deadlineMs }: Pick<EvmSending, 'trialMs'>,
  node: RpcNode,
  asked: Tried & { readonly extraGas: bigint | null },
): Promise<bigint> {
  const { wallet, payment, most, extraGas } = asked;
  const gasWithin = (cap: bigint): Promise<bigint | null> =>
    tried({
      ...{ label: node.label, deadlineMs },
      ask: () => gasOf(node, asked, cap),
      control: () => voidingGas(node, wallet),
    });
  const least = leastOrdinary(payment.asset);
  const cap = extraGas === null ? most : smaller(most, least + extraGas + TRIAL_GAS);
  let gas = await gasWithin(cap);
  if (gas !== null && withMargin(gas) <= least) return least;
  const allowed = extraGas === null ? most : (await ordinaryGas(node, asked)) + extraGas;
  // An ordinary payment on a rollup may take as much, for its data.
  if (gas === null && cap < most && cap < allowed) gas = await gasWithin(most);
  if (gas !== null && gas <= allowed) return smaller(smaller(withMargin(gas), most), allowed);
  throw cap === most && (gas === null || gas > most)
    ? new SendingRefused(
        'undone',
        `it takes ${gas ?? 'more'} gas, and no transaction may take more than ${most}`,
      )
    : new SendingRefused(
        'cost',
        `${payment.recipient} takes ${gas ?? `more than ${cap}`} gas where ${allowed} were quoted for it`,
      );
}

/**
 * The gas limit of an ordinary payment of the asset at present. On a rollup it changes with the
 * price of data.
 */
function ordinaryGas(node: RpcNode, { wallet, payment: { asset }, most }: Tried): Promise<bigint> {
  if (asset.kind === 'native') return voidingGas(node, wallet);
  return usualGas(node, asset, { recipient: NOBODY, most, wallet }).then((gas) => gas.most);
}

/** Every ordinary payment of the asset may take this much. Up to it no node needs to be asked. */
const leastOrdinary = ({ kind }: SendableAsset): bigint => (kind === 'native' ? PLAIN_GAS : 0n);

/** Null: more than `cap`, at which the trial ended. */
async function gasOf(node: RpcNode, asked: Tried, cap: bigint): Promise<bigint | null> {
  const { wallet, payment } = asked;
  const { asset, recipient, units } = payment;
  const call =
    asset.kind === 'token'
      ? { from: wallet, to: asset.contract, data: transferCall({ to: recipient, units }) }
      : { from: wallet, to: recipient, value: hexOf(units) };
  try {
    if (asset.kind === 'native') return await estimateAsPaid(node, call, asked, { cap });
    const paid = asPaid(asked, cap);
    const [said, gas] = await node.outcomes([
      { method: 'eth_call', params: [{ ...call, gas: hexOf(cap) }, 'latest'] },
      estimateCall({ ...call, ...paid.price }, paid.most),
    ]);
    if ('error' in said!) throw said.error;
    if (transferSaysNo(hexBytes(said!.result, 'transfer')))
      throw new SendingRefused('undone', `${asset.contract} returns that it would not transfer`);
    return await estimateAsPaid(node, call, asked, { cap, first: gas! });
  } catch (error) {
    if (error instanceof RpcError && needsMoreGas(error)) return null;
    if (isRevert(error)) throw new SendingRefused('undone', `the transaction would revert: ${error.message}`);
    throw error;
  }
}

/**
 * With the gas price that will be paid: a contract can recognise a trial by a price of zero
 * (safety.md G2). A node then limits the gas to what the wallet could pay. Where that is too
 * little, the trial has no price. `first`: its outcome, where it was asked for already.
 */
async function estimateAsPaid(
  node: RpcNode,
  call: Readonly<Record<string, string>>,
  asked: Tried,
  { cap, first }: { readonly cap: bigint; readonly first?: RpcOutcome },
): Promise<bigint> {
  const { price, most } = asPaid(asked, cap);
  const [outcome] =
    first === undefined ? await node.outcomes([estimateCall({ ...call, ...price }, most)]) : [first];
  if ('result' in outcome!) return quantity(outcome.result, 'gas estimate');
  if (most === cap) throw outcome!.error;
  return estimate(node, call, cap);
}

/** What a trial names as its price, and the most gas that the wallet can pay then. */
function asPaid(
  { payment, perGas, nativeBalance }: Tried,
  cap: bigint,
): { readonly price: { readonly gasPrice?: string }; readonly most: bigint } {
  const left = nativeBalance - (payment.asset.kind === 'native' ? payment.units : 0n);
  const paid = smaller(cap, perGas > 0n ? left / perGas : 0n);
  return paid < PLAIN_GAS ? { price: {}, most: cap } : { price: { gasPrice: hexOf(perGas) }, most: paid };
}

/**
 * A transaction to the wallet itself takes the minimum, and more only where gas includes the price
 * of its data.
 */
export async function voidingGas(node: RpcNode, wallet: string): Promise<bigint> {
  try {
    return withMargin(await estimate(node, { from: wallet, to: wallet, value: '0x0' }));
  } catch (error) {
    if (isRevert(error)) return PLAIN_GAS;
    throw error;
  }
}

/** With at most `most` gas: a node refuses what needs more, and does not search for long. */
async function estimate(
  node: RpcNode,
  call: Readonly<Record<string, string>>,
  most = TRANSACTION_GAS_MOST,
): Promise<bigint> {
  const { method, params } = estimateCall(call, most);
  return quantity(await node.call(method, ...params), 'gas estimate');
}

export function estimateCall(call: Readonly<Record<string, string>>, most: bigint) {
  return { method: 'eth_estimateGas', params: [{ ...call, gas: hexOf(most) }, 'latest'] };
}

const hexOf = (value: bigint): string => `0x${value.toString(16)}`;

/**
 * A plain transfer takes a fixed amount. A payment that depends on the chain's state may take more
 * by the time it is mined: if its holder emptied the account meanwhile, a token's transfer costs
 * 17,100 gas more (EIP-2200). Gas that is not used is not paid.
 */
export function withMargin(gas: bigint): bigint {
  return gas <= PLAIN_GAS ? PLAIN_GAS : (gas * 13n + 9n) / 10n + FIRST_HOLDER_GAS;
}

/**
 * How nodes word an end of a contract's code that every node would reach: the node is not at fault
 * (safety.md G4).
 */
const BROKEN_CODE =
  /invalid ?\w* ?opcode|opcode ?not ?found|bad ?instruction|invalid ?jump|stack ?(?:under|over)flow|stack limit|out of bounds|write protection/i;

/**
 * Code 3 is geth's; other nodes only have a wording. Any other error counts as a node that cannot
 * tell.
 */
export function isRevert(error: unknown): error is RpcError {
  return (
    error instanceof RpcError &&
    (error.code === 3 ||
      needsMoreGas(error) ||
      /revert/i.test(error.message) ||
      BROKEN_CODE.test(error.message))
  );
}

/** Whether it failed because its gas limit was too low. */
export function needsMoreGas({ message }: RpcError): boolean {
  return /out ?of ?gas|gas required exceeds/i.test(message);
}
