/** What the use cases of forwards share. */
import type { PayoutLimits } from '../../../domain/payouts/payout-limits.ts';
import type { ForwardRule } from '../../../domain/treasury/forward.ts';
import type { NonceFrom } from '../../../ports/sending/outgoing-repository.ts';
import type { AppDependencies } from '../../dependencies.ts';
import type { StartGate } from '../../sending/restart/start-gate.ts';
import type { SendingChain } from '../../sending/sending-chain.ts';
import type { SweepNeeds } from '../../sweeps/sweep-needs.ts';

export type ForwardNeeds = SweepNeeds & Pick<AppDependencies, 'liveDerivers'>;

/** The operator's thresholds, by asset key. */
export type ForwardRules = ReadonlyMap<string, ForwardRule>;

export interface ForwardSettings {
  readonly rules: ForwardRules;
  /** What stays in the hot wallet whatever is kept. */
  readonly limits: Pick<PayoutLimits, 'floorUnits'>;
  readonly gate: Pick<StartGate, 'isShut'>;
  /** The last reconciliation of a chain; null before the first. */
  readonly books: (chain: string) => { readonly at: Date; readonly agree: boolean } | null;
}

/** What forwards the money of a chain. */
export interface Forwarding extends ForwardSettings {
  readonly deps: ForwardNeeds;
  readonly on: SendingChain;
  readonly nextNonce: (wallet: string) => Promise<NonceFrom>;
}

/** An asset that is to be forwarded, and where to. */
export interface WantedForward {
  readonly asset: string;
  readonly rule: ForwardRule;
  readonly requested: boolean;
  /** As the signer's policy has it. */
  readonly cold: string;
}
