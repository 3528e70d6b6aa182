/**
 * How much gas transactions of ours take, as nodes estimate it on their present state, and whether they would be undone. On a
 * rollup (arbitrum) the estimate has the price of the data in it, so no figure is assumed that a node can be asked for.
 */
import { SendingRefused } from '../../../ports/chain-sender.ts';
import { RpcError } from '../shared/faults.ts';
import { smaller } from '../shared/larger.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { tried } from '../shared/trial.ts';
import { transferCall, transferSaysNo } from './contract.ts';
import { hexBytes, quantity } from './decode.ts';
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
/** A recipient nobody has, for prices without one; its bytes pack as badly as any. */
export const NOBODY = '0x9b4e7d2f61a8c35094de17b263fa80c5e71d4a96';

/** The highest gas limit that is ever signed: what needs more can be mined in no block (safety.md G3). */
export function mostGas(blockGas: bigint): bigint {
  return smaller(blockGas, TRANSACTION_GAS_MOST);
}

/**
 * Gas of a transfer that no wallet is known for. The node is asked what the bare transaction takes; what
 * the token's code takes is added.
 */
export async function usualGas(
  node: RpcNode,
  asset: SendableAsset,
  { recipient, most }: { recipient: string; most: bigint },
): Promise<{ usual: bigint; most: bigint }> {
  if (asset.kind === 'token') {
    const bare = { to: NOBODY, data: transferCall({ to: recipient, units: 10n ** 18n }) };
    const gas = await estimate(node, bare, most);
    return { usual: gas + TOKEN_GAS_USUAL, most: gas + TOKEN_GAS_MOST };
  }
  // A contract may refuse a payment of nothing; then it is priced as a plain address.
  const gas = await estimate(node, { to: recipient, value: '0x0' }, most).catch((error: unknown) => {
    if (isRevert(error)) return estimate(node, { to: NOBODY, value: '0x0' }, most);
    throw error;
  });
  return { usual: gas, most: smaller(withMargin(gas), most) };
}

/**
 * The gas limit, at most `most`, of a payment that was tried and went through. SendingRefused `undone` when it would not, be it
 * for want of more gas than `most`, and `untried` when the node does not come to an end with it.
 */
export function triedGas(
  { trialMs: deadlineMs }: Pick<Sending, 'trialMs'>,
  node: RpcNode,
  { wallet, payment, most }: { wallet: string; payment: EvmPayment; most: bigint },
): Promise<bigint> {
  return tried({
    ...{ label: node.label, deadlineMs },
    ask: () => gasOf(node, { wallet, payment, most }),
    control: () => voidingGas(node, wallet),
  });
}

async function gasOf(
  node: RpcNode,
  { wallet, payment, most }: { wallet: string; payment: EvmPayment; most: bigint },
): Promise<bigint> {
  const { asset, recipient, units } = payment;
  const call =
    asset.kind === 'token'
      ? { from: wallet, to: asset.contract, data: transferCall({ to: recipient, units }) }
      : { from: wallet, to: recipient, value: hexOf(units) };
  try {
    if (
      asset.kind === 'token' &&
      transferSaysNo(
        hexBytes(await node.call('eth_call', { ...call, gas: hexOf(most) }, 'latest'), 'transfer'),
      )
    )
      throw new SendingRefused('undone', `${asset.contract} answers that it would not transfer`);
    const gas = await estimate(node, call, most);
    if (gas > most)
      throw new SendingRefused(
        'undone',
        `it takes ${gas} gas, and no transaction may take more than ${most}`,
      );
    return smaller(withMargin(gas), most);
  } catch (error) {
    if (isRevert(error)) throw new SendingRefused('undone', `the chain would undo it: ${error.message}`);
    throw error;
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
  return quantity(
    await node.call('eth_estimateGas', { ...call, gas: hexOf(most) }, 'latest'),
    'gas estimate',
  );
}

const hexOf = (value: bigint): string => `0x${value.toString(16)}`;

/**
 * The plain transfer takes what it takes. What depends on the chain's state may take more by the time it is mined: a holder
 * who emptied the account meanwhile makes a token's transfer 17,100 gas dearer (EIP-2200). Gas that is not used is not paid.
 */
function withMargin(gas: bigint): bigint {
  return gas <= PLAIN_GAS ? PLAIN_GAS : (gas * 13n + 9n) / 10n + FIRST_HOLDER_GAS;
}

/** Code 3 is geth's; others only word it. What is not clearly a revert counts as a node that cannot tell. */
function isRevert(error: unknown): error is RpcError {
  return (
    error instanceof RpcError &&
    (error.code === 3 || /revert|invalid opcode|out of gas|gas required exceeds/i.test(error.message))
  );
}
