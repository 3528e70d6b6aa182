/** Bugs in how EVM chains are read: what is asked seldom, and what must not be missed by it. */
import { bugs, type Mutant } from './mutant.ts';

export const EVM_MUTANTS: readonly Mutant[] = [
  ...bugs(
    'src/adapters/chains/evm/head.ts',
    ['tests/adapters/chains/evm/read/head.test.ts'],
    [
      ['epochs >= 2 && epochs < 3', 'epochs < 3'],
      ['epochs >= 2 && epochs < 3', 'epochs >= 2'],
      ["moves === 'fast' ? 0 : SLOWLY_FINAL_MS", 'SLOWLY_FINAL_MS'],
      ['!(restsByEpoch && isNewest(tagged.block, tip))', 'true'],
      ["moves === 'epoch' && options.finalityMs === undefined", 'options.finalityMs === undefined'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/evm/read/joined-balances.ts',
    ['tests/adapters/chains/evm/read/joined-balances.test.ts', 'tests/adapters/chains/evm/safety.test.ts'],
    [
      ['for (const address of expecting) expected.add(address);', ''],
      ['known?.block.hash === hash ? known', 'known ? known'],
      ['if (block?.hash !== hash)', 'if (block === undefined)'],
      ['to - done.last.height < JOINED_BLOCKS', 'to - done.last.height <= JOINED_BLOCKS'],
      ['seconds - done.seconds < JOINED_SECONDS', 'seconds - done.seconds <= JOINED_SECONDS'],
      ['parked?.from === from ? parked : ', ''],
      ['isParked && parked?.from !== from', 'isParked'],
      ['isParked && parked?.from !== from', 'false'],
      ['if (found.length > 0) await take(found);', 'if (found.length > 0) void take(found).catch(() => {});'],
      ["if (block.transfers.every(({ kind }) => kind === 'payment')) return block;", ''],
      ['(mayTrace && !looks.isLast())', 'mayTrace'],
      ['(mayTrace && !looks.isLast())', 'false'],
      ['.filter(({ to }) => !paid.has(to))', ''],
      ['|| !ranges.mayTrace(node)) throw error;', '|| ranges.mayTrace(node)) throw error;'],
      ['expected.clear();', ''],
    ],
  ),
  ...bugs(
    'src/adapters/chains/evm/read/some-looks.ts',
    ['tests/adapters/chains/evm/read/joined-balances.test.ts'],
    [
      ['if (failures < FAILURES_MOST) return null;', 'return null;'],
      ['if (failures < FAILURES_MOST) return null;', ''],
      ['failures >= FAILURES_MOST - 1', 'failures >= FAILURES_MOST'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/evm/read/range-scan.ts',
    ['tests/adapters/chains/evm/safety.test.ts'],
    [
      ['moving(each) && !receipts.has(each.hash)', 'false'],
      ['(moved ?? (await expectingNative(watch)))', '(moved ?? [])'],
      ['const comparing = later ? [] : ', 'const comparing = '],
      ['hasCalls && later === undefined && context.trace', 'hasCalls && context.trace'],
      ['await unexplainedArrivals(asked);', 'await reconciled(context, asked);'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/evm/read/confirmed-payments.ts',
    ['tests/adapters/chains/evm/safety.test.ts'],
    [['addresses.has(from) || (value > 0n', '(value > 0n']],
  ),
  ...bugs(
    'src/adapters/chains/evm/read/reconcile.ts',
    ['tests/adapters/chains/evm/safety.test.ts'],
    [
      ['await find(from, middle, early);', ''],
      ['await find(middle + 1, to, late);', ''],
      ['movements.slice(from, to + 1)', 'movements.slice(from, to)'],
    ],
  ),
  ...bugs(
    'src/app/watching/complete-blocks.ts',
    ['tests/app/watching/complete-blocks.test.ts'],
    [['if (!isDone) return;', '']],
  ),
  ...bugs(
    'src/app/watching/chain-cursor.ts',
    ['tests/app/watching/complete-blocks.test.ts', 'tests/app/watching/watch-chain.test.ts'],
    [
      ['|| next.coveredUntil < coveredUntil', ''],
      ['scanner.complete === undefined || next', 'next'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/evm/read/balances.ts',
    ['tests/adapters/chains/evm/read/balances.test.ts'],
    [
      ['const ADDRESSES_PER_CALL = 5_000;', 'const ADDRESSES_PER_CALL = 4_000;'],
      ['const ADDRESSES_PER_CALL = 5_000;', 'const ADDRESSES_PER_CALL = 6_000;'],
      ['const start = 2 + digits * position;', 'const start = 2 + 64 * position;'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/evm/read/coin-omissions.ts',
    ['tests/adapters/chains/evm/read/coin-omissions.test.ts'],
    [
      ['return more !== ', 'return more > '],
      [' - (left.get(address) ?? 0n);', ';'],
      ['feeWei + (succeeded ? units : 0n)', '(succeeded ? units : 0n)'],
      ['ours.some((address) => left.has(address)) ? watch.spending?.wallet : undefined', 'undefined'],
    ],
  ),
  ...bugs(
    'src/app/watching/sent-transactions.ts',
    ['tests/app/watching/watch-list.test.ts'],
    [
      ['(transfer.txid ?? txid) === txid', 'transfer.transferBatchId === transferBatchId'],
      ['.filter((transfer) => transfer.wallet !== wallet)', ''],
      ["!voids && catalog.require(asset).type === 'native'", "catalog.require(asset).type === 'native'"],
      ["!voids && catalog.require(asset).type === 'native'", '!voids'],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/chains/followed-addresses.ts',
    ['tests/adapters/postgres/queries.test.ts'],
    [
      ['not ${p.sandbox} and not ${p.active}', 'not ${p.sandbox} and ${p.active}'],
      ['order by ${p.deactivatedAt} desc', 'order by ${p.deactivatedAt}'],
    ],
  ),
  ...bugs(
    'src/compose/chains/configured-networks.ts',
    ['tests/compose/chains/configured-networks.test.ts'],
    [['chains[chain]?.chainId ?? ', '']],
  ),
  ...bugs(
    'src/adapters/http/checkout/view-reader.ts',
    ['tests/adapters/http/checkout/checkout-states.test.ts'],
    [['sources.chainId(catalog.require(shown.price.asset).chain)', '1']],
  ),
];
