/** An output of a transaction, on UTXO chains. */
export interface Outpoint {
  readonly txid: string;
  readonly vout: number;
}

/** `txid:vout`, as logs, the ledger and the signer's log name it. */
export const outpointText = ({ txid, vout }: Outpoint): string => `${txid}:${vout}`;
