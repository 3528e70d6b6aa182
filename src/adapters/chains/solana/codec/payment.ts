/** A payment as transactions of Solana make it. */
import type { TokenOf } from '../programs.ts';

export interface SolanaPayment {
  /** Pays the fee and signs first; the wallet itself, or for sweeps the hot wallet. */
  readonly feePayer: string;
  /** Whose money it is. */
  readonly wallet: string;
  /** A wallet; of a token that goes to an account which is there already, that account (`paysTo`). */
  readonly recipient: string;
  readonly units: bigint;
  /** Null for the coin. */
  readonly token: SolanaToken | null;
  /** Whether the recipient's token account is made where it lacks, at the fee payer's cost. */
  readonly creates: boolean;
  /** Whether the wallet's token account is ended, and its rent given to the fee payer. */
  readonly closes: boolean;
  /** Names the transaction, see `tagOf`. */
  readonly tag: number;
  readonly unitLimit: number;
  /** Micro-lamports per compute unit. */
  readonly unitPrice: bigint;
}

export interface SolanaToken extends TokenOf {
  readonly decimals: number;
}
