/** A payment as our Solana transactions make it. */
import type { TokenOf } from '../programs.ts';

export interface SolanaPayment {
  /** Pays the fee and signs first; the wallet itself, or the hot wallet for sweeps. */
  readonly feePayer: string;
  /** The wallet that pays the amount. */
  readonly wallet: string;
  /** A wallet; for a token that goes to an existing token account, that account (`paysTo`). */
  readonly recipient: string;
  readonly units: bigint;
  /** Null for the native coin. */
  readonly token: SolanaToken | null;
  /** Whether the recipient's token account is created if it is missing, at the fee payer's cost. */
  readonly creates: boolean;
  /** Whether the wallet's token account is closed, and its rent paid to the fee payer. */
  readonly closes: boolean;
  /** Makes the transaction unique; see `tagOf`. */
  readonly tag: number;
  readonly unitLimit: number;
  /** Micro-lamports per compute unit. */
  readonly unitPrice: bigint;
}

export interface SolanaToken extends TokenOf {
  readonly decimals: number;
}
