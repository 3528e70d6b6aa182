/** Which outputs of a pooled chain's transactions are stored like a UTXO. */

/**
 * A pooled chain (XRP) has no outputs. Its unidentified funding is stored in the table of UTXOs all
 * the same: the payment of a transaction as output 0, other incoming money as output 1. Null for
 * the output of a UTXO chain.
 */
export function pooledOutput(output: string): number | null {
  if (output === 'native') return 0;
  return output.startsWith('balance:') ? 1 : null;
}
