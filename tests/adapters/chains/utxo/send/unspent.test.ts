/** What several nodes say of UTXOs, where nobody may rely on one of them. */
import { describe, expect, test } from 'bun:test';
import type { UtxoBackend } from '../../../../../src/adapters/chains/utxo/backend.ts';
import { utxoSpending } from '../../../../../src/adapters/chains/utxo/send/spendable.ts';
import { ChainUnavailable } from '../../../../../src/ports/chains/chain-scanner.ts';
import { coinsOf, stubSending } from '../../../../support/utxo/utxo-stub.ts';

const utxos = coinsOf(1_000n, 2_000n, 3_000n);

/** Has these of `utxos` unspent, at a tip of this height. */
function node(height: number, ...unspent: readonly number[]): Partial<UtxoBackend> {
  return {
    tip: async () => ({ height, hash: 'f'.repeat(64), parentHash: 'e'.repeat(64), time: 1 }),
    unspent: async ({ vout }) => (unspent.includes(vout) ? { height: 5, units: utxos[vout]!.units } : null),
  };
}
const asked = async (...nodes: readonly Partial<UtxoBackend>[]) =>
  utxoSpending(await stubSending('bitcoin', nodes)).unspentAtAll(utxos, 30);

describe('UTXOs at all nodes', () => {
  test('are unspent or spent where all say so, and in doubt where one says something else', async () => {
    expect(await asked(node(30, 0, 1), node(31, 0))).toEqual([true, null, false]);
    expect(await asked(node(30, 1))).toEqual([false, true, false]);
  });

  test('are not asked of a node that has not come to the block, and not said without another', async () => {
    expect(await asked(node(29), node(30, 0))).toEqual([true, false, false]);
    await expect(asked(node(29), node(3))).rejects.toBeInstanceOf(ChainUnavailable);
  });
});
