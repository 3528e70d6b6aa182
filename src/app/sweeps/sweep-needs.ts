/** What the use cases of sweeps share. */
import type { Sweepable } from '../../ports/treasury/treasury-queries.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { SendingChain, SendingNeeds } from '../sending/sending-chain.ts';

export interface SweepCostModel {
  /**
   * False also while there is no price, and for a coin that cannot pay its own fee. The nodes are asked once per asset, and
   * for a token that may be worth it what gas costs at its address, which the chain may not have yet.
   */
  isWorth(sweep: Sweepable): Promise<boolean>;
}

export type SweepNeeds = SendingNeeds & Pick<AppDependencies, 'treasuryQueries' | 'unscannedAssets'>;
/** What the treasury asks of a chain: no signer, so that operators' scripts can do it. */
export type TreasuryChain = Pick<SendingChain, 'chain' | 'family' | 'sender' | 'deriver'>;
