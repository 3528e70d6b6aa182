/**
 * Deposit addresses of a family without public derivation (ed25519: Solana). The signer derives
 * them ahead and the database keeps them, so that issuing one needs no key and no network.
 */
import type { IndexRange } from './address-deriver.ts';

export interface AddressPool {
  /** The addresses of these indexes, in order. Throws AddressesNotDerived if the pool lacks one. */
  read(range: IndexRange): Promise<readonly string[]>;
}

/** The pool lacks the index: expected after an installation, and while no signer runs. */
export class AddressesNotDerived extends Error {
  override readonly name = 'AddressesNotDerived';
}
