/** What the use cases of sweeps share. */
import type { Sweepable } from '../../ports/treasury/treasury-queries.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { SendingChain, SendingNeeds } from '../sending/sending-chain.ts';
import type { WalletSnapshot } from '../sending/spendable-balance.ts';

export interface SweepCostModel {
  /**
   * False also while there is no price, and for a coin that cannot pay its own fee. The nodes are
   * asked once per asset, and for a token that may be worth it what gas costs at its address: once,
   * unless the chain may not have some of the addresses yet.
   */
  isWorth(sweep: Sweepable): Promise<boolean>;
}

/** What a step looks up once, when the first sweep needs it. */
export interface StepLookups {
  /** The hot wallet, which sends gas and delegates energy. */
  hotWallet(): Promise<WalletSnapshot>;
  costModel(): Promise<SweepCostModel>;
}

export type SweepNeeds = SendingNeeds & Pick<AppDependencies, 'unscannedAssets'>;
/** What the treasury asks of a chain: no signer, so that operators' scripts can do it. */
export type TreasuryChain = Pick<SendingChain, 'chain' | 'family' | 'sender' | 'deriver'>;
