/**
 * The product's transactions once more, by @solana/kit: instructions from the programs' published
 * layouts with kit's codecs, compiled and signed by kit.
 */
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createKeyPairFromPrivateKeyBytes,
  createTransactionMessage,
  decompileTransactionMessage,
  getAddressEncoder,
  getCompiledTransactionMessageDecoder,
  getProgramDerivedAddress,
  getStructEncoder,
  getU8Encoder,
  getU32Encoder,
  getU64Encoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signBytes,
} from '@solana/kit';
import type { SolanaPayment } from '../../../src/adapters/chains/solana/codec/payment.ts';

const SYSTEM = '11111111111111111111111111111111' as Address;
const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' as Address;
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111' as Address;

const numbered = getStructEncoder([
  ['kind', getU8Encoder()],
  ['value', getU32Encoder()],
]);
const priced = getStructEncoder([
  ['kind', getU8Encoder()],
  ['value', getU64Encoder()],
]);
const transferred = getStructEncoder([
  ['kind', getU32Encoder()],
  ['lamports', getU64Encoder()],
]);
const checked = getStructEncoder([
  ['kind', getU8Encoder()],
  ['amount', getU64Encoder()],
  ['decimals', getU8Encoder()],
]);

export async function derivedAccount(owner: string, mint: string, program: string): Promise<Address> {
  const seeds = [owner, program, mint].map((address) => getAddressEncoder().encode(address as Address));
  const [account] = await getProgramDerivedAddress({ programAddress: ASSOCIATED, seeds });
  return account;
}

/** `loadedBytes`: the limit that carries the payment's tag. */
async function instructionsOf(payment: SolanaPayment, loadedBytes: number): Promise<Instruction[]> {
  const [feePayer, wallet, recipient] = [payment.feePayer, payment.wallet, payment.recipient] as Address[];
  const budget = (data: Instruction['data']): Instruction => ({
    programAddress: COMPUTE_BUDGET,
    data: data!,
  });
  const made = [
    budget(numbered.encode({ kind: 2, value: payment.unitLimit })),
    budget(priced.encode({ kind: 3, value: payment.unitPrice })),
    budget(numbered.encode({ kind: 4, value: loadedBytes })),
  ];
  const { token, units } = payment;
  if (token === null) {
    const accounts = [
      { address: wallet!, role: AccountRole.WRITABLE_SIGNER },
      { address: recipient!, role: AccountRole.WRITABLE },
    ];
    const data = transferred.encode({ kind: 2, lamports: units });
    return [...made, { programAddress: SYSTEM, accounts, data }];
  }
  const [mint, program] = [token.mint, token.program] as Address[];
  const from = await derivedAccount(payment.wallet, token.mint, token.program);
  const to = payment.creates
    ? await derivedAccount(payment.recipient, token.mint, token.program)
    : recipient!;
  const create: Instruction = {
    programAddress: ASSOCIATED,
    accounts: [
      { address: feePayer!, role: AccountRole.WRITABLE_SIGNER },
      { address: to, role: AccountRole.WRITABLE },
      { address: recipient!, role: AccountRole.READONLY },
      { address: mint!, role: AccountRole.READONLY },
      { address: SYSTEM, role: AccountRole.READONLY },
      { address: program!, role: AccountRole.READONLY },
    ],
    data: Uint8Array.of(1),
  };
  const transfer: Instruction = {
    programAddress: program!,
    accounts: [
      { address: from, role: AccountRole.WRITABLE },
      { address: mint!, role: AccountRole.READONLY },
      { address: to, role: AccountRole.WRITABLE },
      { address: wallet!, role: AccountRole.READONLY_SIGNER },
    ],
    data: checked.encode({ kind: 12, amount: units, decimals: token.decimals }),
  };
  const close: Instruction = {
    programAddress: program!,
    accounts: [
      { address: from, role: AccountRole.WRITABLE },
      { address: feePayer!, role: AccountRole.WRITABLE },
      { address: wallet!, role: AccountRole.READONLY_SIGNER },
    ],
    data: Uint8Array.of(9),
  };
  return [...made, ...(payment.creates ? [create] : []), transfer, ...(payment.closes ? [close] : [])];
}

/** The unsigned message of a payment. */
export async function messageByKit(
  payment: SolanaPayment,
  { blockhash, loadedBytes }: { blockhash: string; loadedBytes: number },
): Promise<Uint8Array> {
  const instructions = await instructionsOf(payment, loadedBytes);
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 1n };
  const { messageBytes } = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (message) => setTransactionMessageFeePayer(payment.feePayer as Address, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
    (message) => appendTransactionMessageInstructions(instructions, message),
    compileTransaction,
  );
  return new Uint8Array(messageBytes);
}

/**
 * All that a message says, with its length. The libraries put accounts of the same kind into
 * another order, which says nothing.
 */
export function saidIn(message: Uint8Array): object {
  const compiled = getCompiledTransactionMessageDecoder().decode(message);
  const { instructions, ...said } = decompileTransactionMessage(compiled);
  const header = 'header' in compiled ? compiled.header : null;
  return {
    ...{ bytes: message.length, header, ...said },
    instructions: [...instructions].map(({ data, ...rest }: Instruction) => ({
      ...rest,
      data: [...(data ?? [])],
    })),
  };
}

export async function signatureByKit(message: Uint8Array, privateKey: Uint8Array): Promise<Uint8Array> {
  const { privateKey: key } = await createKeyPairFromPrivateKeyBytes(privateKey);
  return signBytes(key, message);
}
