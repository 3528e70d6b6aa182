/**
 * Amounts and fee rates (per 1,000 virtual bytes) of a node in base units. The node's decimals are
 * read as text (json.ts).
 */
import { parseDecimal, toUnits } from '../../../../domain/money/decimal.ts';
import { fields, unusable } from '../../shared/nodes/answers.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';

const COIN_DECIMALS = 8;
const METHOD_NOT_FOUND = -32_601;

/** Null when the node has no estimate, as when it has just started. */
export async function smartFeeRate(node: RpcNode, blocks: number): Promise<bigint | null> {
  const answer = await node.call('estimatesmartfee', blocks).catch((error: unknown) => {
    if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) return null;
    throw error;
  });
  // Bitcoin Cash Node knows only the older call.
  const rate = answer === null ? await node.call('estimatefee') : feeOf(fields(answer, 'estimatesmartfee'));
  return rate === undefined ? null : feeRateOfCoins(rate);
}

/** An estimate in coins; null where it is the source's word for none. */
export function feeRateOfCoins(rate: unknown): bigint | null {
  const units = unitsOf(rate);
  return units === null || units <= 0n ? null : units;
}

export async function minimumFeeRate(node: RpcNode): Promise<bigint> {
  const { mempoolminfee, minrelaytxfee } = fields(await node.call('getmempoolinfo'), 'getmempoolinfo');
  const entry = unitsOfCoins(mempoolminfee);
  const relay = minrelaytxfee === undefined ? 0n : unitsOfCoins(minrelaytxfee);
  return entry > relay ? entry : relay;
}

/** bcash calls it `fee`, and -1 is its word for none. */
function feeOf({ feerate, fee }: Readonly<Record<string, unknown>>): unknown {
  return feerate ?? fee;
}

export function unitsOfCoins(coins: unknown): bigint {
  const units = unitsOf(coins);
  if (units === null) throw unusable('amount');
  return units;
}

/** Coins, as a number's text. */
function unitsOf(coins: unknown): bigint | null {
  const decimal = parseDecimal(String(coins));
  return decimal && toUnits(decimal, COIN_DECIMALS);
}
