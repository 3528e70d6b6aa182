/** What is known of an address without its family's adapter. */
import { FAMILY_ROWS, type Family } from './family.ts';

/** Whether what is sent there is burnt: nobody has the key. */
export function isNobodys(family: Family, address: string): boolean {
  return FAMILY_ROWS[family].addresses.nobodys?.test(address) ?? false;
}

/** Whether payouts do not go there, though the address is one. */
export function isOutOfReach(family: Family, address: string): boolean {
  return FAMILY_ROWS[family].addresses.outOfReach?.test(address) ?? false;
}

/** Whether its alphabet, prefix and length are right on the main network: nothing is sent on that alone. */
export function hasAddressShape(family: Family, address: string): boolean {
  return FAMILY_ROWS[family].addresses.shape.test(address);
}
