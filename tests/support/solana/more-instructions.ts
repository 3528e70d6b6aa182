/**
 * Instructions that only tests send: minting, handing accounts over, transfers through another
 * program.
 */
import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedAccount,
  type TokenOf,
} from '../../../src/adapters/chains/solana/programs.ts';

const MINT_TO = 7;
const SET_AUTHORITY = 6;
const ACCOUNT_OWNER = 2;
const RECOVER_NESTED = 2;

export function mintTo(mint: {
  token: TokenOf;
  account: string;
  authority: string;
  units: bigint;
}): TransactionInstruction {
  const data = Buffer.alloc(9);
  data.writeUInt8(MINT_TO, 0);
  data.writeBigUInt64LE(mint.units, 1);
  return new TransactionInstruction({
    programId: new PublicKey(mint.token.program),
    keys: [written(mint.token.mint), written(mint.account), signing(mint.authority)],
    data,
  });
}

/** Gives a token account, with all that it holds, to another owner. */
export function handOver(account: {
  account: string;
  from: string;
  to: string;
  program: string;
}): TransactionInstruction {
  const data = Buffer.concat([
    Buffer.of(SET_AUTHORITY, ACCOUNT_OWNER, 1),
    new PublicKey(account.to).toBuffer(),
  ]);
  return new TransactionInstruction({
    programId: new PublicKey(account.program),
    keys: [written(account.account), signing(account.from)],
    data,
  });
}

const written = (address: string) => ({ pubkey: new PublicKey(address), isWritable: true, isSigner: false });
const signing = (address: string) => ({ pubkey: new PublicKey(address), isWritable: false, isSigner: true });

/**
 * Has the associated account program move tokens out of an account that was made for a token
 * account by mistake: both the tokens and the rent move by instructions within that instruction.
 * `wallet` signs.
 */
export function recoverNested(nested: {
  wallet: string;
  token: TokenOf;
  ownerToken: TokenOf;
}): TransactionInstruction {
  const { wallet, token, ownerToken } = nested;
  const owner = associatedAccount(wallet, ownerToken);
  const read = (address: string) => ({ pubkey: new PublicKey(address), isWritable: false, isSigner: false });
  return new TransactionInstruction({
    programId: new PublicKey(ASSOCIATED_TOKEN_PROGRAM),
    keys: [
      written(associatedAccount(owner, token)),
      read(token.mint),
      written(associatedAccount(wallet, token)),
      read(owner),
      read(ownerToken.mint),
      { pubkey: new PublicKey(wallet), isWritable: true, isSigner: true },
      read(token.program),
    ],
    data: Buffer.of(RECOVER_NESTED),
  });
}
