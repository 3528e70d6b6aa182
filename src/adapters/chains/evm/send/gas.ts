/**
 * How much gas transactions of ours take, as nodes estimate it on their present state, and whether they would be undone. On a
 * rollup (arbitrum) the estimate has the price of the data in it, so no figure is assumed that a node can be asked for.
 */
import { SendingRefused } from '../../../../ports/sending/chain-sender.ts';
import { smaller } from '../../shared/larger.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { tried } from '../../shared/send/trial.ts';
import { transferCall, transferSaysNo } from '../contract.ts';
import { hexBytes, quantity } from '../decode.ts';
import type { SendableAsset, Sending } from './sending.ts';
import type { EvmPayment } from './transaction.ts';

/** Gas of a transaction that carries no data to an address without code, the least there is. */
const PLAIN_GAS = 21_000n;
/** Gas of a token's own work in `transfer`, beyond what the call data costs: to a new holder, and in a costly contract. */
const TOKEN_GAS_USUAL = 45_000n;
const TOKEN_GAS_MOST = 120_000n;
const FIRST_HOLDER_GAS = 20_000n;
/** Most gas of one transaction (EIP-7825: 2^24), in force on ethereum since Fusaka. None of ours needs as much anywhere. */
const TRANSACTION_GAS_MOST = 16_777_216n;
/** Gas of a trial beyond what is quoted: what takes more is never sent, and nobody's recipient may keep a node busy (safety.md G4). */
export const TRIAL_GAS = 1_000_000n;
/** A recipient nobody has, for prices without one; its bytes pack as badly as any. */
export const NOBODY = '0x9b4e7d2f61a8c35094de17b263fa80c5e71d4a96';

/** The highest gas limit that is ever signed: what needs more can be mined in no block (safety.md G3). */
export function mostGas(blockGas: bigint): bigint {
  return smaller(blockGas, TRANSACTION_GAS_MOST);
}

/**
 * Gas of an ordinary transfer. Of a token it is what a transfer of `wallet` to a new holder takes; where that cannot be tried, the node
 * is asked what the bare transaction takes, and what the token's code takes is added.
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
  // A contract may refuse a payment of nothing; then it is priced as a plain address.
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
  /** What a unit of gas will be paid with, and the wallet's native coins. */
  readonly perGas: bigint;
  readonly nativeBalance: bigint;
}

/**
 * The gas limit of a payment that was tried and went through: at most `most`, and no more than an ordinary payment's and `extraGas`.
 * SendingRefused `undone` when it would not go through, be it for want of more gas than `most`, `cost` when it needs more than
 * was quoted, and `untried` when the node does not come to an end with it.
 */
export async function triedGas(
  { trialMs: deadlineMs }: Pick<Sending, 'trialMs'>,
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
  // On a rollup an ordinary payment may take as much, for its data.
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

/** The gas limit that an ordinary payment of the asset may have at present; on a rollup it moves with the price of data. */
function ordinaryGas(node: RpcNode, { wallet, payment: { asset }, most }: Tried): Promise<bigint> {
  if (asset.kind === 'native') return voidingGas(node, wallet);
  return usualGas(node, asset, { recipient: NOBODY, most, wallet }).then((gas) => gas.most);
}

/** No ordinary payment of the asset has less: up to that nobody need be asked. */
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
    if (
      asset.kind === 'token' &&
      transferSaysNo(
        hexBytes(await node.call('eth_call', { ...call, gas: hexOf(cap) }, 'latest'), 'transfer'),
      )
    )
      throw new SendingRefused('undone', `${asset.contract} answers that it would not transfer`);
    return await estimateAsPaid(node, call, asked, cap);
  } catch (error) {
    if (error instanceof RpcError && needsMoreGas(error)) return null;
    if (isRevert(error)) throw new SendingRefused('undone', `the chain would undo it: ${error.message}`);
    throw error;
  }
}

/**
 * With the gas price that will be paid: a contract can tell a trial by a price of nothing (safety.md G2). A node gives no more gas then
 * than the wallet could pay for; where that is too little, it is tried without a price.
 */
async function estimateAsPaid(
  node: RpcNode,
  call: Readonly<Record<string, string>>,
  { payment, perGas, nativeBalance }: Tried,
  cap: bigint,
): Promise<bigint> {
  const left = nativeBalance - (payment.asset.kind === 'native' ? payment.units : 0n);
  const paid = smaller(cap, perGas > 0n ? left / perGas : 0n);
  if (paid < PLAIN_GAS) return estimate(node, call, cap);
  try {
    return await estimate(node, { ...call, gasPrice: hexOf(perGas) }, paid);
  } catch (error) {
    if (!(error instanceof RpcError) || paid === cap) throw error;
    return estimate(node, call, cap);
  }
}

/** A transaction to the wallet itself takes the least; more only where gas holds the price of its data. */
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
 * The plain transfer takes what it takes. What depends on the chain's state may take more by the time it is mined: a holder
 * who emptied the account meanwhile makes a token's transfer 17,100 gas dearer (EIP-2200). Gas that is not used is not paid.
 */
export function withMargin(gas: bigint): bigint {
  return gas <= PLAIN_GAS ? PLAIN_GAS : (gas * 13n + 9n) / 10n + FIRST_HOLDER_GAS;
}

/** As nodes word what ends the code of a contract wherever it is run: it says nothing of the node (safety.md G4). */
const BROKEN_CODE =
  /invalid ?\w* ?opcode|opcode ?not ?found|bad ?instruction|invalid ?jump|stack ?(?:under|over)flow|stack limit|out of bounds|write protection/i;

/** Code 3 is geth's; others only word it. What is not clearly a revert counts as a node that cannot tell. */
export function isRevert(error: unknown): error is RpcError {
  return (
    error instanceof RpcError &&
    (error.code === 3 ||
      needsMoreGas(error) ||
      /revert/i.test(error.message) ||
      BROKEN_CODE.test(error.message))
  );
}

/** Whether it is for want of more gas than it was given. */
export function needsMoreGas({ message }: RpcError): boolean {
  return /out ?of ?gas|gas required exceeds/i.test(message);
}
