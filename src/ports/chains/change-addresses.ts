/** Our addresses for change, on UTXO chains. */
export interface ChangeAddresses {
  /**
   * <account>/1/<index>, in the canonical text of the family's AddressDeriver. Index 0 is the hot
   * wallet's address, so change starts at 1. Throws RangeError outside 1 .. 2^31 - 1.
   */
  changeAddress(index: number): string;
}
