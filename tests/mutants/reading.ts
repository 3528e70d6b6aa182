/**
 * Bugs in what is asked of nodes, and in what is believed of them (docs/safety.md, "Nodes and
 * providers").
 */
import { bugs, type Mutant } from './mutant.ts';

const COINS_ON_PLANS: readonly Mutant[] = [
  ...bugs(
    'src/adapters/chains/shared/nodes/node-budget.ts',
    ['tests/adapters/chains/shared/nodes/node-budget.test.ts', 'tests/adapters/chains/utxo/plans.test.ts'],
    [
      ['return hasPlan || time.now() - budget.refusedAt < DAY_MS;', 'return hasPlan;'],
      [
        'return hasPlan || time.now() - budget.refusedAt < DAY_MS;',
        'return time.now() - budget.refusedAt < DAY_MS;',
      ],
      ['time.now() - budget.refusedAt < DAY_MS', 'budget.refusedAt > 0'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/utxo/read/waiting-payments.ts',
    ['tests/adapters/chains/utxo/plans.test.ts'],
    [['if (mempool.isMetered?.() === true) return null;', '']],
  ),
  ...bugs(
    'src/adapters/chains/utxo/rpc/backend.ts',
    ['tests/adapters/chains/utxo/plans.test.ts'],
    [
      ['if (newest?.hash !== blockHash)', 'if (newest === null)'],
      ['if (newest?.hash !== blockHash)', ''],
      ['isMetered: () => budget.isMetered,', ''],
    ],
  ),
  ...bugs(
    'src/adapters/chains/utxo/read/owed.ts',
    ['tests/adapters/chains/utxo/read/mempool.test.ts'],
    [
      ['if (some.length < first.length)', 'if (false)'],
      ['if (some.length < first.length)', 'if (some.length < unread.length)'],
      ['[...first, ...later]', '[...later, ...first]'],
      ['owed.every((each) => isAmong(each, before.owed))', 'true'],
      ['asked.add(txid);', ''],
      ['if (transaction?.txid() !== txid) continue;', 'if (transaction === null) continue;'],
      [' && !reading.shown.has(txid)', ''],
      ['reading.paying.filter((transaction) => waiting.has(transaction.txid()))', 'reading.paying'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/utxo/send/spendable.ts',
    ['tests/adapters/chains/utxo/read/mempool.test.ts'],
    [['if (reading.length > 0) throw', 'if (reading.length > 1) throw']],
  ),
  ...bugs(
    'src/compose/chains/configured-poll-ms.ts',
    ['tests/compose/chains/configured-poll-ms.test.ts'],
    [
      ['rpc.every(hasPlan)', 'rpc.some(hasPlan)'],
      ['rpc.length > 0 && ', ''],
    ],
  ),
];

const FINAL: readonly Mutant[] = [
  ...bugs(
    'src/adapters/chains/utxo/rpc/backend.ts',
    ['tests/adapters/chains/utxo/rpc/without-index.test.ts'],
    [['if (read.hash !== blockHash)', 'if (false)']],
  ),
  ...bugs(
    'src/adapters/chains/tron/head.ts',
    ['tests/adapters/chains/tron/nodes.test.ts'],
    [['Math.min(tip.height, solid.height, counted)', 'Math.min(tip.height, counted)']],
  ),
  ...bugs(
    'src/adapters/chains/tron/head.ts',
    ['tests/adapters/chains/tron/read/scanner.test.ts'],
    [['Math.min(tip.height, solid.height, counted)', 'Math.min(tip.height, solid.height)']],
  ),
  ...bugs(
    'src/adapters/chains/solana/head.ts',
    ['tests/adapters/chains/solana/nodes.test.ts', 'tests/adapters/chains/solana/read/scanner.test.ts'],
    [
      ["Math.min(wholeNumber(told, 'block height'), counted)", "wholeNumber(told, 'block height')"],
      ["Math.min(wholeNumber(told, 'block height'), counted)", 'counted'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/shared/client-parts.ts',
    ['tests/compose/chains/configured-confirmations.test.ts'],
    [["settings.network === 'test' ? 1 : chain.confirmations", '1']],
  ),
];

const OMISSIONS: readonly Mutant[] = [
  ...bugs(
    'src/adapters/chains/shared/read/omissions.ts',
    ['tests/adapters/chains/shared/read/omissions.test.ts'],
    [
      ['if (shown.length < 2 && looks < LOOKS_MOST) return;', ''],
      ['shown.length < 2 && looks < LOOKS_MOST', 'shown.length < 2'],
      ['shown.length < 2 && looks < LOOKS_MOST', 'shown.length === 0 || looks < LOOKS_MOST'],
      ['told.by?.(node.label, range) ?? (await scan(node, range, watch))', 'await scan(node, range, watch)'],
      ["urgency: 'audit', hasChoice: true", "urgency: 'audit'"],
      ['done < suspectedUpTo ? 0 : most * (share - 1)', 'most * (share - 1)'],
      ['done < suspectedUpTo ? 0 : most * (share - 1)', '0'],
      ['if (upTo < done + left + least) return;', ''],
      ['- 1) - before);', '- 1));'],
      ['- 1) - before);', '- 1) - least);'],
      ['transfers: ofBlock.map(({ transfer }) => transfer),', ''],
    ],
  ),
  ...bugs(
    'src/adapters/chains/shared/read/told-blocks.ts',
    ['tests/adapters/chains/shared/read/omissions.test.ts'],
    [['blocks.every((each) => each.label === label)', 'true']],
  ),
  ...bugs(
    'src/adapters/chains/xrp/read/scanner.ts',
    ['tests/adapters/chains/xrp/read/history.test.ts'],
    [['if (range.after !== undefined) begun ??= range.from;', '']],
  ),
  ...bugs(
    'src/adapters/chains/tron/read/blocks.ts',
    ['tests/adapters/chains/tron/read/answers.test.ts', 'tests/adapters/chains/tron/nodes.test.ts'],
    [
      ["listed.length === 0 && root !== '' && root !== EMPTY_ROOT", 'false'],
      ['if (byTxid.size > block.transactions.length)', 'if (false)'],
      ['error instanceof RpcError || error instanceof NodeError', 'error instanceof RpcError'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/tron/codec/transaction-root.ts',
    ['tests/adapters/chains/tron/codec/roots.test.ts'],
    [
      ['right === undefined ? left : sha256(left + right)', 'sha256(left + (right ?? left))'],
      ['Object.keys(more).length > 0 ? undefined : ', ''],
      ['if (result === undefined) return null;', 'if (result === undefined) continue;'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/tron/read/doubted-blocks.ts',
    ['tests/adapters/chains/tron/codec/roots.test.ts'],
    [
      ['listed.get(hash) !== otherRoot', '!listed.has(hash)'],
      ['doubted !== undefined && pool.size === 1', 'false'],
      ['if (doubted !== undefined)\n        throw', 'if (false)\n        throw'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/tron/read/newest.ts',
    ['tests/adapters/chains/tron/nodes.test.ts'],
    [['if (refusesRanges(error)) return [];', '']],
  ),
  ...bugs(
    'src/adapters/chains/tron/read/scanner.ts',
    ['tests/adapters/chains/tron/nodes.test.ts'],
    [
      ['late(Math.min(upTo, finalSeen(seen)), watch, take)', 'late(upTo, watch, take)'],
      ['told.note(node.label, range, blocks);', ''],
    ],
  ),
  ...bugs(
    'src/adapters/chains/solana/read/scanner.ts',
    ['tests/adapters/chains/solana/nodes.test.ts'],
    [
      ['told.note(node.label, range, blocks);', ''],
      ['doubtEmpty(node, answer.block);', ';'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/shared/read/scanner-over.ts',
    ['tests/adapters/chains/solana/nodes.test.ts'],
    [['Math.min(best.finalizedHeight, best.tip.height)', 'best.finalizedHeight']],
  ),
  ...bugs(
    'src/adapters/chains/solana/read/empty-blocks.ts',
    ['tests/adapters/chains/solana/nodes.test.ts'],
    [
      ['first.label === label && ', ''],
      ['time.now() - first.at < SAID_FOR_MS', 'true'],
      ['time.now() - first.at < SAID_FOR_MS', 'time.now() === first.at'],
    ],
  ),
];

const LAGGING: readonly Mutant[] = [
  ...bugs(
    'src/adapters/chains/shared/nodes/lagging.ts',
    ['tests/adapters/chains/shared/nodes/lagging-machines.test.ts'],
    [
      ['if (hasteNow().hasChoice) throw', 'if (false) throw'],
      ['height <= tip && height > tip - LATE_BLOCKS', 'false'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/shared/nodes/node-pool.ts',
    ['tests/adapters/chains/shared/nodes/lagging-machines.test.ts'],
    [['if (outcome.limited || outcome.lags)', 'if (outcome.limited)']],
  ),
  ...bugs(
    'src/adapters/chains/shared/send/trial.ts',
    ['tests/adapters/chains/evm/payout-calls.test.ts'],
    [['inHaste({ round: null }, () => trial.control())', 'trial.control()']],
  ),
  ...bugs(
    'src/adapters/chains/shared/nodes/rpc-node.ts',
    ['tests/adapters/chains/evm/payout-calls.test.ts'],
    [["'result' in outcome && outcome.result !== null", 'true']],
  ),
  ...bugs(
    'src/adapters/chains/shared/nodes/node-pool.ts',
    ['tests/adapters/chains/evm/payout-calls.test.ts'],
    [['await inHaste({ round: null }, async () => {', 'await inHaste({}, async () => {']],
  ),
  ...bugs(
    'src/adapters/chains/shared/nodes/node-pool.ts',
    ['tests/adapters/chains/shared/nodes/node-pool.test.ts'],
    [
      ['(node ?? member.node) === member.node', 'true'],
      ['member.doubts === doubts', 'true'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/shared/nodes/rounds/moments.ts',
    ['tests/adapters/chains/shared/nodes/rounds/moments.test.ts'],
    [
      ['hasFailed = passOver(error) || hasFailed;', 'passOver(error);'],
      ['        hasFailed = true;\n', ''],
      ['if (isFault) doubt();', ''],
      ['return isFault;', 'return false;'],
      ['error instanceof NodeLimited || !isOfNode(error)', '!isOfNode(error)'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/shared/nodes/rounds/shared-view.ts',
    [
      'tests/adapters/chains/shared/nodes/rounds/moments.test.ts',
      'tests/adapters/chains/tron/send/sender-rounds.test.ts',
    ],
    [
      ['(hasFailed || moment.hasFailed)', 'hasFailed'],
      ['(hasFailed || moment.hasFailed)', 'moment.hasFailed'],
      ['told !== null && letsNothingBeSentAgain(told)', 'told !== null'],
    ],
  ),
  ...bugs(
    'src/adapters/chains/utxo/rpc/backend.ts',
    ['tests/adapters/chains/shared/nodes/lagging-machines.test.ts'],
    [['bridged(() => node.call(...asked), { ...lag, lacks })', 'node.call(...asked)']],
  ),
];

const MONERO: readonly Mutant[] = bugs(
  'src/adapters/chains/monero/rpc.ts',
  ['tests/adapters/chains/shared/nodes/provider-plans.test.ts'],
  [
    ['endpoint.budget.refused(limit);', ''],
    ['{ time: options.time }', '{}'],
  ],
);

export const READING_MUTANTS: readonly Mutant[] = [
  ...COINS_ON_PLANS,
  ...FINAL,
  ...OMISSIONS,
  ...LAGGING,
  ...MONERO,
];
