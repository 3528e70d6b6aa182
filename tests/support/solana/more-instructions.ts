/** Instructions that only tests send: minting, handing accounts over, transfers through another program. */
import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import type { TokenOf } from '../../../src/adapters/chains/solana/programs.ts';

const MINT_TO = 7;
const SET_AUTHORITY = 6;
const ACCOUNT_OWNER = 2;

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
