/** The payments that a chain's pending payouts are to make. */
import type { OwedPayment } from '../../ports/chains/watch-list.ts';
import { assetsOf } from '../catalog/assets-of-chain.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Each with its payout; without those whose recipient `normalize` rejects. */
export async function owedPayments(
  deps: Pick<AppDependencies, 'unitOfWork' | 'catalog'>,
  chain: string,
  normalize: (address: string) => string | null,
): Promise<readonly (OwedPayment & { readonly id: string })[]> {
  const orders = await deps.unitOfWork.run(({ payouts }) => payouts.owed(assetsOf(deps, chain)));
  return orders.flatMap(({ id, address, sentUnits: units }) => {
    const to = normalize(address);
    return to === null ? [] : [{ id, to, units }];
  });
}
