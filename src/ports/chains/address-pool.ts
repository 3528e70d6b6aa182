/**
 * Deposit addresses of a family whose keys have no public derivation (ed25519: Solana), derived ahead by the signer and kept in the
 * database, so that handing one out needs no key and no network.
 */
import type { IndexRange } from './address-deriver.ts';

export interface AddressPool {
  /** The addresses of these indexes, in order. Throws AddressesNotDerived when the signer has not come that far yet. */
  read(range: IndexRange): Promise<readonly string[]>;
}

/** The signer has not filled the pool up to the wanted index yet: expected after an installation, and while no signer runs. */
export class AddressesNotDerived extends Error {
  override readonly name = 'AddressesNotDerived';
}
