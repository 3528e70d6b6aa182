/** Bugs in how EVM chains are read: what is asked seldom, and what must not be missed by it. */
import { bugs, type Mutant } from './mutant.ts';

const CHAINS = 'tests/adapters/chains';
const EVM = 'src/adapters/chains/evm';

export const EVM_MUTANTS: readonly Mutant[] = [
  ...bugs(
    `${EVM}/head.ts`,
    [`${CHAINS}/evm-head.test.ts`],
    [
      ['epochs >= 2 && epochs < 3', 'epochs < 3'],
      ['epochs >= 2 && epochs < 3', 'epochs >= 2'],
      ['SLOWLY_FINAL.includes(chain) ? SLOWLY_FINAL_MS : 0', 'SLOWLY_FINAL_MS'],
      ['!(restsByEpoch && isNewest(tagged.block, tip))', 'true'],
      ["chain === 'ethereum' && options.finalityMs === undefined", 'options.finalityMs === undefined'],
    ],
  ),
  ...bugs(
    `${EVM}/joined-balances.ts`,
    [`${CHAINS}/evm-joined-balances.test.ts`, `${CHAINS}/evm-safety.test.ts`],
    [
      ['expecting === null ? null : each', 'each'],
      ['for (const address of expecting ?? []) expected.add(address);', ''],
      ['.filter((height) => !seen.has(height))', '.filter(() => false)'],
      ['if (!isOne) return paying(await scan(range));', ''],
      ['.filter((height) => seen.get(height) !== null)', ''],
      ['upTo - lowest + 1 >= JOINED_BLOCKS', 'upTo - lowest >= JOINED_BLOCKS'],
      ['Math.max(1, lowest - JOINED_BLOCKS + 1)', 'lowest'],
      ['if (found.length > 0) await take(found);', 'if (found.length > 0) void take(found).catch(() => {});'],
      ['seen.set(height, null);', 'seen.delete(height);'],
      ["if (transfers.every(({ kind }) => kind === 'payment')) return block;", 'return block;'],
      ['expected.clear();', ''],
    ],
  ),
  ...bugs(
    `${EVM}/some-looks.ts`,
    [`${CHAINS}/evm-joined-balances.test.ts`],
    [
      ['if (failures < FAILURES_MOST) return null;', 'return null;'],
      ['if (failures < FAILURES_MOST) return null;', ''],
    ],
  ),
  ...bugs(
    `${EVM}/range-scan.ts`,
    [`${CHAINS}/evm-safety.test.ts`],
    [
      ['moving(each) && !receipts.has(each.hash)', 'false'],
      ['(moved ?? (await expectingNative(watch)))', '(moved ?? [])'],
      ['const comparing = later ? [] : ', 'const comparing = '],
      ['addresses.has(from) || (value > 0n', '(value > 0n'],
      ['await unexplainedArrivals(asked);', 'await reconciled(asked);'],
    ],
  ),
  ...bugs(
    `${EVM}/balances.ts`,
    [`${CHAINS}/evm-balances.test.ts`],
    [
      ['const ADDRESSES_PER_CALL = 5_000;', 'const ADDRESSES_PER_CALL = 4_000;'],
      ['const ADDRESSES_PER_CALL = 5_000;', 'const ADDRESSES_PER_CALL = 6_000;'],
      ['const start = 2 + digits * position;', 'const start = 2 + 64 * position;'],
    ],
  ),
  ...bugs(
    `${EVM}/coin-omissions.ts`,
    [`${CHAINS}/evm-coin-omissions.test.ts`],
    [
      ['return more !== ', 'return more > '],
      [' - (left.get(address) ?? 0n);', ';'],
      ['feeWei + (succeeded ? units : 0n)', '(succeeded ? units : 0n)'],
      ['ours.some((address) => left.has(address)) ? watch.spending?.wallet : undefined', 'undefined'],
    ],
  ),
  ...bugs(
    'src/app/sent-transactions.ts',
    ['tests/app/watch-list.test.ts'],
    [
      ['(transfer.txid ?? txid) === txid', 'transfer.bundleId === bundleId'],
      ['.filter((transfer) => transfer.wallet !== wallet)', ''],
      ["!voids && catalog.require(asset).type === 'native'", "catalog.require(asset).type === 'native'"],
      ["!voids && catalog.require(asset).type === 'native'", '!voids'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/operator-queries.ts',
    ['tests/adapters/postgres/queries.test.ts'],
    [
      ['not p.sandbox and not p.active', 'not p.sandbox and p.active'],
      ['order by p.deactivated_at desc', 'order by p.deactivated_at'],
    ],
  ),
  ...bugs(
    'src/compose/chain-ids.ts',
    ['tests/config/chain-ids.test.ts'],
    [['chains[chain]?.chainId ?? ', '']],
  ),
  ...bugs(
    'src/adapters/http/checkout/view-reader.ts',
    ['tests/http/checkout-states.test.ts'],
    [['sources.chainId(catalog.require(shown.price.asset).chain)', '1']],
  ),
];
