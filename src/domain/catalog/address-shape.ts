/** Checks of an address without its family's adapter. */
import { FAMILY_ROWS, type Family } from './family.ts';

/** Whether it is a burn address: nobody has the key. */
export function isNobodys(family: Family, address: string): boolean {
  return FAMILY_ROWS[family].addresses.nobodys?.test(address) ?? false;
}

/** Why payouts to this valid address are refused; null if they are not. */
export function whyOutOfReach(family: Family, address: string): string | null {
  const { outOfReach } = FAMILY_ROWS[family].addresses;
  return outOfReach?.shape.test(address) ? outOfReach.refusal : null;
}

/** Whether alphabet, prefix and length are right on the main network; not enough to send money. */
export function hasAddressShape(family: Family, address: string): boolean {
  return FAMILY_ROWS[family].addresses.shape.test(address);
}
