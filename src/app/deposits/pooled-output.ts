/** Which outputs of a pooled chain's transactions are stored like a UTXO. */

/**
 * Parked money is stored like a UTXO: a transaction's payment is output 0, other incoming money
 * output 1. Null for coins.
 */
export function pooledOutput(output: string): number | null {
  if (output === 'native') return 0;
  return output.startsWith('balance:') ? 1 : null;
}
