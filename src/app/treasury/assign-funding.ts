/**
 * Assigns a payment with a forgotten or mistyped tag to the intended address: from then on it is an
 * ordinary deposit.
 */
import { chainNamed } from '../../domain/catalog/chain.ts';
import type { Family } from '../../domain/catalog/family.ts';
import { type PaymentTime, timeOfPayment, waitsAt } from '../../domain/chains/payment-time.ts';
import { type AppError, appError } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Transfer } from '../../ports/chains/chain-scanner.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { LifecycleNeeds } from '../deposits/deposit-lifecycle.ts';
import { recordTransfers } from '../deposits/record-transfer.ts';
import { runResult } from '../shared/transaction-result.ts';
import type { SweepNeeds, TreasuryChain } from '../sweeps/sweep-needs.ts';
import { lockParked, notParked, type ParkedUtxo } from './pooled-funding.ts';

/** Blocks whose time is known: more than two hours of the XRP Ledger. */
const REMEMBERED_BLOCKS = 2_000;

/**
 * The invoice takes it if it took payments at the time of its block, or, if that time is not known
 * any more, if it does now; otherwise it is a stray of the merchant. `address` in any form of the
 * family.
 */
export function assignFunding(
  deps: LifecycleNeeds & SweepNeeds,
  on: Pick<TreasuryChain, 'chain' | 'sender' | 'deriver'>,
) {
  const { chain, sender, deriver } = on;
  const { family } = chainNamed(chain);
  return (order: { txid: string; address: string }): Promise<Result<readonly ParkedUtxo[], AppError>> =>
    runResult(deps.unitOfWork, async (repositories) => {
      const to = deriver.normalize(order.address);
      const [issued] = to === null ? [] : await repositories.addresses.find(family, [to]);
      if (to === null || issued === undefined)
        return err(appError('NOT_FOUND', `This gateway did not issue the address ${order.address}.`));
      // Whoever records a block meanwhile would book the payment as parked once more.
      await repositories.chains.lockCursor(chain);
      const parked = await lockParked(repositories, chain, order.txid);
      if (parked.length === 0) return err(notParked(chain, order.txid));
      for (const { txid, vout, units, block } of parked) {
        await repositories.utxos.removeFunding(chain, { txid, vout });
        const time = await timeOf(repositories, {
          chain,
          family,
          height: block.height,
          at: deps.clock.now(),
        });
        const place = { chain, family, hotWallet: null, block, ...time };
        const output = vout === 0 ? 'native' : `balance:${deriver.hotWallet()}`;
        const kind = vout === 0 ? 'payment' : 'unexplained';
        const transfer: Transfer = { txid, output, asset: sender.nativeAsset, to, from: null, units, kind };
        await recordTransfers(deps, repositories, [{ transfer, at: place }]);
      }
      return ok(parked);
    });
}

async function timeOf(
  { chains }: Repositories,
  { chain, family, height, at }: { chain: string; family: Family; height: number; at: Date },
): Promise<PaymentTime> {
  const blocks = await chains.rememberedBlocks(chain, REMEMBERED_BLOCKS);
  const [tip, block] = [blocks[0], blocks.find((remembered) => remembered.height === height)];
  if (tip === undefined || block === undefined) return waitsAt(at);
  return timeOfPayment(family, block.time, { tipTime: tip.time, at });
}
