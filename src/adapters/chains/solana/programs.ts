/**
 * The programs that our transactions call, and the associated token account of a wallet (its token
 * account for a mint).
 */
import { PublicKey } from '@solana/web3.js';

export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
/** Token-2022, whose mints may have extensions (a transfer fee, for example). */
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';

const TOKEN_PROGRAMS: readonly string[] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];

export const isTokenProgram = (program: string): boolean => TOKEN_PROGRAMS.includes(program);

export interface TokenOf {
  readonly mint: string;
  /** The token program that the mint belongs to. */
  readonly program: string;
}

/** A derivation takes half a millisecond and is often repeated, so the last ones are cached. */
const derived = new Map<string, string>();
const DERIVED_MAX = 1_000;

/**
 * The token account of `owner` for the mint to which we pay and from which we take payments: the
 * associated one only (safety.md S3). All are addresses.
 */
export function associatedAccount(owner: string, { mint, program }: TokenOf): string {
  const key = `${owner} ${program} ${mint}`;
  const known = derived.get(key);
  if (known !== undefined) return known;
  const seeds = [owner, program, mint].map((address) => new PublicKey(address).toBytes());
  const [found] = PublicKey.findProgramAddressSync(seeds, new PublicKey(ASSOCIATED_TOKEN_PROGRAM));
  const account = found.toBase58();
  derived.set(key, account);
  const [oldest] = derived.keys();
  if (derived.size > DERIVED_MAX && oldest !== undefined) derived.delete(oldest);
  return account;
}

/** Whether a key pair can belong to the address. Addresses off the curve belong to programs. */
export function isOnCurve(address: string): boolean {
  return PublicKey.isOnCurve(new PublicKey(address).toBytes());
}
