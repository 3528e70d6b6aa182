/** Which outputs of a pooled chain's transactions are kept like a UTXO. */

/** Parked money is kept like a coin: what a transaction paid is its output 0, what came otherwise its output 1. Null for coins. */
export function pooledOutput(output: string): number | null {
  if (output === 'native') return 0;
  return output.startsWith('balance:') ? 1 : null;
}
