/**
 * A transaction of a block as nodes show it for `transactionDetails: "accounts"` (agave,
 * UiAccountsList), made of its full form.
 */

import type { JsonMessage } from './wire.ts';

interface FullForm {
  readonly transaction: { readonly signatures: readonly string[]; readonly message: JsonMessage };
  readonly meta: object & {
    readonly loadedAddresses?: {
      readonly writable?: readonly string[];
      readonly readonly?: readonly string[];
    } | null;
  };
}

/** Parts of the status that are told in either form. */
const KEPT = ['err', 'status', 'fee', 'preBalances', 'postBalances', 'preTokenBalances', 'postTokenBalances'];

/**
 * Neither its instructions nor what they said. The keys of lookup tables come after its own, the
 * writable ones first.
 */
export function accountsForm<Full extends FullForm>({ transaction, meta, ...rest }: Full): object {
  const { signatures, message } = transaction;
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = message.header;
  const own = message.accountKeys.map((pubkey, index) => {
    const signer = index < numRequiredSignatures;
    const readOnlyFrom = signer
      ? numRequiredSignatures - numReadonlySignedAccounts
      : message.accountKeys.length - numReadonlyUnsignedAccounts;
    return { pubkey, signer, source: 'transaction', writable: index < readOnlyFrom };
  });
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const loaded = [...writable, ...readonly].map((pubkey, index) => ({
    ...{ pubkey, signer: false, source: 'lookupTable', writable: index < writable.length },
  }));
  return {
    transaction: { accountKeys: [...own, ...loaded], signatures },
    meta: Object.fromEntries(Object.entries(meta).filter(([name]) => KEPT.includes(name))),
    ...rest,
  };
}
