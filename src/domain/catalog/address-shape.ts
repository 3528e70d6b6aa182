/** What is known of an address without its family's adapter. */
import { FAMILY_ROWS, type Family } from './family.ts';

/** Whether what is sent there is burnt: nobody has the key. */
export function isNobodys(family: Family, address: string): boolean {
  return FAMILY_ROWS[family].addresses.nobodys?.test(address) ?? false;
}

/** Why payouts do not go there, though the address is one; null where they do. */
export function whyOutOfReach(family: Family, address: string): string | null {
  const { outOfReach } = FAMILY_ROWS[family].addresses;
  return outOfReach?.shape.test(address) ? outOfReach.refusal : null;
}

/** Whether its alphabet, prefix and length are right on the main network: nothing is sent on that alone. */
export function hasAddressShape(family: Family, address: string): boolean {
  return FAMILY_ROWS[family].addresses.shape.test(address);
}
