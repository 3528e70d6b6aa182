/** A transaction of version 1, which web3.js reads and does not write: by kit. */
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstruction,
  type Blockhash,
  compileTransaction,
  createKeyPairFromPrivateKeyBytes,
  createTransactionMessage,
  getStructEncoder,
  getTransactionEncoder,
  getU32Encoder,
  getU64Encoder,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransaction,
} from '@solana/kit';
import type { Keypair } from '@solana/web3.js';

const SYSTEM = '11111111111111111111111111111111' as Address;
const transferred = getStructEncoder([
  ['kind', getU32Encoder()],
  ['lamports', getU64Encoder()],
]);

/** Pays lamports from `payer`; the bytes to be submitted. */
export async function versionOnePayment(
  payer: Keypair,
  { to, units, blockhash }: { to: string; units: bigint; blockhash: string },
): Promise<Uint8Array> {
  const from = payer.publicKey.toBase58() as Address;
  const instruction = {
    programAddress: SYSTEM,
    accounts: [
      { address: from, role: AccountRole.WRITABLE_SIGNER },
      { address: to as Address, role: AccountRole.WRITABLE },
    ],
    data: transferred.encode({ kind: 2, lamports: units }),
  };
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 1n };
  const compiled = pipe(
    createTransactionMessage({ version: 1 }),
    (message) => setTransactionMessageFeePayer(from, message),
    (message) =>
      setTransactionMessageConfig(
        { computeUnitLimit: 20_000, loadedAccountsDataSizeLimit: 65_536, priorityFeeLamports: 1_000n },
        message,
      ),
    (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
    (message) => appendTransactionMessageInstruction(instruction, message),
    compileTransaction,
  );
  const pair = await createKeyPairFromPrivateKeyBytes(payer.secretKey.slice(0, 32));
  return new Uint8Array(getTransactionEncoder().encode(await signTransaction([pair], compiled)));
}
