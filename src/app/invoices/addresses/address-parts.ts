/**
 * The parts of an address, for wallets that ask for them separately (XRP: classic address and
 * destination tag).
 */
import type { Family } from '../../../domain/catalog/family.ts';
import type { AddressParts } from '../../../ports/chains/address-deriver.ts';
import type { AppDependencies } from '../../dependencies.ts';

/** Null if the family's addresses have no parts. */
export type PartsOf = (family: Family, address: string) => AddressParts | null;

/** A given address, as each family to which it may belong would store it. */
export function addressSpellings({
  sandboxDerivers,
}: Pick<AppDependencies, 'sandboxDerivers'>): (address: string) => readonly string[] {
  return (address) => {
    const written = [...sandboxDerivers.values()].map((deriver) => deriver.normalize(address));
    return [...new Set([address, ...written.filter((text) => text !== null)])];
  };
}

/** The sandbox has a deriver of every family: the live one if there is one. */
export function addressParts({ sandboxDerivers }: Pick<AppDependencies, 'sandboxDerivers'>): PartsOf {
  return (family, address) => sandboxDerivers.get(family)?.parts?.(address) ?? null;
}
