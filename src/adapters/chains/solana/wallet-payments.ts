/**
 * Payments of customers' wallets. The recipient's token account is created at the customer's cost
 * where it is missing. The wallet offers its own priority fee.
 */
import { PublicKey, type TransactionInstruction, TransactionMessage } from '@solana/web3.js';
import type { WalletPayment, WalletPayments } from '../../../ports/chains/wallet-payments.ts';
import { normalizeSolanaAddress } from './address.ts';
import { createAssociated, transferChecked, transferLamports } from './codec/instructions.ts';
import type { SolanaConnection } from './connection.ts';
import { associatedAccount } from './programs.ts';
import { latestBlockhash } from './send/lifetime.ts';
import { sendableAssets } from './send/sending.ts';
import type { ListedToken, TokenListing } from './tokens.ts';

const SIGNATURE_BYTES = 64;

export function solanaWalletPayments(
  options: { readonly chain: string; readonly nativeAsset: string; readonly tokens: readonly TokenListing[] },
  { pool, tokens: book }: SolanaConnection,
): WalletPayments {
  const assets = sendableAssets({ ...options, book });
  return {
    async unsigned(payment) {
      const from = normalizeSolanaAddress(payment.from);
      if (from === null) return null;
      return pool.use(async (node) => {
        const token = await assets.checked(payment.asset, node);
        const { blockhash } = await latestBlockhash({ pool }, node);
        return transactionOf(instructionsOf({ ...payment, from }, token), from, blockhash);
      });
    },
  };
}

function instructionsOf(
  { from, to, units }: WalletPayment,
  token: ListedToken | null,
): readonly TransactionInstruction[] {
  if (token === null) return [transferLamports({ from, to, lamports: units })];
  const account = associatedAccount(to, token);
  const { decimals } = token;
  return [
    createAssociated({ payer: from, owner: to, token }),
    transferChecked({
      from: associatedAccount(from, token),
      to: account,
      owner: from,
      token,
      units,
      decimals,
    }),
  ];
}

/** With room for the one signature, as wallets take it. */
function transactionOf(
  instructions: readonly TransactionInstruction[],
  payer: string,
  blockhash: string,
): Uint8Array {
  const message = new TransactionMessage({
    payerKey: new PublicKey(payer),
    recentBlockhash: blockhash,
    instructions: [...instructions],
  }).compileToLegacyMessage();
  return Uint8Array.from([1, ...new Uint8Array(SIGNATURE_BYTES), ...message.serialize()]);
}
