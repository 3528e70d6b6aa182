/** Bugs in what is asked of nodes, and in what is believed of them (docs/safety.md, "Nodes and providers"). */
import { bugs, type Mutant } from './mutant.ts';

const CHAINS = 'tests/adapters/chains';

const COINS_ON_PLANS: readonly Mutant[] = [
  ...bugs(
    'src/adapters/chains/shared/node-budget.ts',
    [`${CHAINS}/node-budget.test.ts`, `${CHAINS}/utxo-plans.test.ts`],
    [
      ['return hasPlan || time.now() - refusedAt < DAY_MS;', 'return hasPlan;'],
      ['return hasPlan || time.now() - refusedAt < DAY_MS;', 'return time.now() - refusedAt < DAY_MS;'],
      ['time.now() - refusedAt < DAY_MS', 'refusedAt > 0'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/utxo/waiting-payments.ts',
    [`${CHAINS}/utxo-plans.test.ts`],
    [['if (mempool.isMetered?.() === true) return null;', '']],
  ),
  ...bugs(
    'src/adapters/chains/utxo/rpc-backend.ts',
    [`${CHAINS}/utxo-plans.test.ts`],
    [
      ['if (newest?.hash !== blockHash)', 'if (newest === null)'],
      ['if (newest?.hash !== blockHash)', ''],
      ['isMetered: () => budget.isMetered,', ''],
    ],
  ),
  ...bugs(
    'src/adapters/chains/utxo/owed.ts',
    [`${CHAINS}/utxo-sources.test.ts`],
    [
      ['if (some.length < unread.length)', 'if (false)'],
      ['owed.every((each) => isAmong(each, before.owed))', 'true'],
      ['for (const txid of some) read.add(txid);', ''],
      ['paying.filter((transaction) => waiting.has(transaction.txid()))', 'paying'],
    ],
  ),
  ...bugs(
    'src/compose/poll-ms.ts',
    ['tests/config/poll-ms.test.ts'],
    [
      ['rpc.every(hasPlan)', 'rpc.some(hasPlan)'],
      ['rpc.length > 0 && ', ''],
    ],
  ),
];

export const READING_MUTANTS: readonly Mutant[] = [...COINS_ON_PLANS];
