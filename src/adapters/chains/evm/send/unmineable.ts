/**
 * Signed transactions that no block can take: their gas limit is above that of the block, or of any
 * transaction (safety.md G3).
 */

import { larger, smaller } from '../../../../domain/money/larger.ts';
import { fields } from '../../shared/nodes/answers.ts';
import { quantity } from '../decode.ts';
import { mostGas } from './gas.ts';
import type { EvmSending } from './sending.ts';
import { storedTransaction } from './transaction.ts';

/** The reason, if no node that answers has room for any of them; null otherwise. */
export async function unmineable(
  { pool }: Pick<EvmSending, 'pool'>,
  transactions: readonly { readonly raw: string }[],
): Promise<string | null> {
  const blocks = await pool.every(async (node) => {
    const block = fields(await node.call('eth_getBlockByNumber', 'latest', false), 'block');
    return quantity(block.gasLimit, 'block gasLimit');
  });
  if (blocks.length === 0 || transactions.length === 0) return null;
  const limits = transactions.map(({ raw }) => storedTransaction(raw).gasLimit);
  const least = limits.reduce(smaller);
  const most = mostGas(blocks.reduce(larger));
  return least > most
    ? `it was signed for ${least} gas, and at present no block takes more than ${most}`
    : null;
}
