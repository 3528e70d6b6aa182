/** Own addresses for the change of our own transactions, in the families whose transactions leave change (bitcoin and its kin). */
export interface ChangeAddresses {
  /**
   * <account>/1/<index>, in the canonical text of the family's AddressDeriver. Index 0 is the hot wallet's address, so
   * change starts at 1: a RangeError for any index outside 1 .. 2^31 - 1.
   */
  changeAddress(index: number): string;
}
