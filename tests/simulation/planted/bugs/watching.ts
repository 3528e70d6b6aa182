/** Bugs in following a chain. */
import type { PlantedBug } from '../planted-bug.ts';

export const WATCHING_BUGS: readonly PlantedBug[] = [
  {
    name: 'cursor-before-records',
    cost: 'A customer: a payment is never recorded where the process dies after the cursor moved.',
    file: 'src/app/watching/watch-chain.ts',
    find: `      for (const transfer of await recordTransfers(deps, repositories, part))
        stillLate.add(outputKey(transfer));
      return true;
    });
  const moved = await parts.record(observations, record, stopping);`,
    replace: `      return true;
    });
  const moved = await parts.record(observations, record, stopping);
  if (moved)
    await deps.unitOfWork.run((repositories) => recordTransfers(deps, repositories, observations));`,
  },
  {
    name: 'finality-one-block-early',
    cost: 'The operator: a payment is credited while its block can still be replaced.',
    file: 'src/adapters/chains/shared/read/finality.ts',
    find: 'tipHeight - confirmations + 1',
    replace: 'tipHeight - confirmations + 2',
  },
  {
    name: 'given-up-payment-never-comes-back',
    cost: 'A customer: a payment that was given up is mined after all, and counts for nobody.',
    file: 'src/app/deposits/record-transfer.ts',
    find: `if (deposit.status === 'dropped' || deposit.status === 'reversed') {`,
    replace: `if (deposit.status === 'reversed') {`,
  },
  {
    name: 'block-read-from-the-tip',
    cost: 'A customer: blocks between the last one read and the tip are never read.',
    file: 'src/app/watching/read-ranges.ts',
    find: 'return scanner.blocks({ from: height + 1, to, after: { height, hash } }, watch);',
    replace: 'return scanner.blocks({ from: Math.max(height + 1, to), to, after: { height, hash } }, watch);',
  },
];
