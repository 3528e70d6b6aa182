/**
 * On UTXO chains the ledger's treasury account is what the chain has at our addresses: the sum of
 * the final outputs that nothing spends. Reconciliation compares output by output, so it does not
 * see what is booked twice, or not at all. Asked at rest, when every payment is final.
 */
import { fakeDeriver } from '../../../../src/adapters/chains/fake/fake-deriver.ts';
import { hotWalletOf } from '../../../../src/app/sending/sending-chain.ts';
import type { TreasuryChain } from '../../../../src/app/sweeps/sweep-needs.ts';
import type { Service } from '../../../../src/compose/compose.ts';
import { UTXO_FAMILIES } from '../../../../src/domain/catalog/family.ts';
import { unitsOfOurs } from '../../../support/fake/units-of-ours.ts';
import { familyOf } from '../acts/stage.ts';
import type { Broken } from '../laws.ts';
import type { World } from '../processes.ts';

export async function wrongTreasuries(
  { chains }: Pick<World, 'chains'>,
  { chains: { change }, dependencies: { treasuryQueries, unitOfWork } }: Service,
  of: { treasuries: Iterable<TreasuryChain>; issued: readonly string[] },
): Promise<readonly Broken[]> {
  const broken: Broken[] = [];
  for (const on of of.treasuries) {
    const { chain, sender } = on;
    if (sender.utxos === null) continue;
    const family = UTXO_FAMILIES.find((one) => one === familyOf(chain))!;
    const asset = sender.nativeAsset;
    const [book] = await treasuryQueries.treasuryBooks(chain, [asset], asset);
    const cursor = await unitOfWork.run((repositories) => repositories.chains.cursor(chain));
    const { normalize } = fakeDeriver({ family });
    const there = await unitsOfOurs(chains.get(chain)!, {
      change: change.get(family)!,
      addresses: [hotWalletOf(on), ...of.issued.filter((address) => normalize(address) === address)],
      height: cursor?.finalizedHeight ?? -1,
    });
    if (book?.ledgerUnits !== there)
      broken.push({
        law: 'the treasury account of a UTXO chain is what the chain has',
        what: { chain, ledger: book?.ledgerUnits, there },
      });
  }
  return broken;
}
