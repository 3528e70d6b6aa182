/** Call data of the few contract methods that sending needs: words of 32 bytes, lower-case hex. */
import { RpcError } from '../shared/nodes/node-errors.ts';
import { hexBytes } from './decode.ts';

const TRANSFER_SELECTOR = 'a9059cbb';
const BALANCE_OF_SELECTOR = '70a08231';
/** GasPriceOracle of the OP stack: getL1Fee(bytes) and getL1FeeUpperBound(uint256). */
const DATA_FEE_SELECTOR = '49948e0e';
const DATA_FEE_BOUND_SELECTOR = 'f1c7a58b';

/** An unused recipient, for prices without one. Its bytes compress as badly as any. */
export const NOBODY = '0x9b4e7d2f61a8c35094de17b263fa80c5e71d4a96';

const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const addressWord = (address: string): string => address.slice(2).toLowerCase().padStart(64, '0');

/** ERC-20 `transfer(to, units)`. */
export function transferCall({ to, units }: { to: string; units: bigint }): string {
  return `0x${TRANSFER_SELECTOR}${addressWord(to)}${word(units)}`;
}

/**
 * The exact inverse of transferCall; null for all other call data, also if it is one byte longer.
 */
export function readTransferCall(data: string): { readonly to: string; readonly units: bigint } | null {
  const found = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(data);
  return found === null ? null : { to: `0x${found[1]}`, units: BigInt(`0x${found[2]}`) };
}

/** ERC-20 `balanceOf(wallet)`. */
export function balanceCall(wallet: string): string {
  return `0x${BALANCE_OF_SELECTOR}${addressWord(wallet)}`;
}

/**
 * Base units that `balanceOf` returned. Throws RpcError for another result: the contract is at
 * fault, not the node.
 */
export function balanceAnswered(answer: unknown): bigint {
  const told = hexBytes(answer, 'token balance');
  if (told.length !== 66) throw new RpcError(0, `a token contract answers no balance: ${told.slice(0, 66)}`);
  return BigInt(told);
}

/** `getL1Fee(payload)`: wei for the data of an unsigned transaction. */
export function dataFeeCall(payload: string): string {
  const bytes = payload.slice(2);
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
  return `0x${DATA_FEE_SELECTOR}${word(32n)}${word(BigInt(bytes.length / 2))}${padded}`;
}

/**
 * `getL1FeeUpperBound(bytes)`: wei for an unsigned transaction of that many bytes, if they compress
 * as badly as possible.
 */
export function dataFeeBoundCall(bytes: number): string {
  return `0x${DATA_FEE_BOUND_SELECTOR}${word(BigInt(bytes))}`;
}

/**
 * Whether a simulated `transfer` that did not revert returned false. No return data (USDT) means
 * success, and so does any word but zero (safety.md E4).
 */
export function transferSaysNo(answer: string): boolean {
  return answer !== '0x' && /^0x0*$/.test(answer.slice(0, 66));
}
