/**
 * A laboratory on the test ledger: mints, a payer who holds much of everything, and payments of
 * every kind into it.
 */
import {
  Keypair,
  type PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import {
  createAssociated,
  transferChecked,
  transferLamports,
} from '../../../src/adapters/chains/solana/codec/instructions.ts';
import { associatedAccount, type TokenOf } from '../../../src/adapters/chains/solana/programs.ts';
import { putAccount, putMint } from './accounts.ts';
import { type Ledger, type LedgerOptions, openLedger } from './ledger.ts';
import { mintTo } from './more-instructions.ts';
import { type SolanaNode, startSolanaNode } from './node.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, tokenUnitsOf } from './token-balances.ts';
import { base58, bytesOfAddress } from './wire.ts';

export interface LabToken extends TokenOf {
  readonly decimals: number;
}

export interface SolanaLab {
  readonly ledger: Ledger;
  readonly node: SolanaNode;
  /** Pays fees, and owns tokens of all mints. */
  readonly payer: Keypair;
  /** `foreign` is no asset of ours; `feeful` keeps 1 % of each transfer (Token-2022). */
  readonly mints: Readonly<Record<'usdc' | 'usdt' | 'foreign' | 'feeful', LabToken>>;
  /** Of a key pair that nobody paid. */
  unusedAddress(): string;
  /** The same, but it holds what an account must, so that the smallest payment is possible. */
  freshAddress(): string;
  /** Signed by `signers` (the payer first), and handed to the network; answers the txid. */
  send(
    instructions: readonly TransactionInstruction[],
    options?: { signers?: readonly Keypair[]; version?: 'legacy' | 0 },
  ): string;
  payCoins(payment: { to: string; units: bigint }): string;
  /** Makes the recipient's associated account where it lacks. */
  payTokens(payment: { to: string; units: bigint; token: LabToken }): string;
  /** Lamports that are there beside all payments. */
  give(address: string, lamports: bigint): void;
  lamportsOf(address: string): bigint;
  /** Of the owner's associated account. */
  tokensOf(owner: string, token: TokenOf): bigint;
  /** Replaces the last `depth` blocks by as many empty ones. */
  reorg(depth: number): void;
  stop(): Promise<void>;
}

const PLENTY = 10n ** 15n;
const LEAST = 890_880n;

const unusedAddress = (): string => Keypair.generate().publicKey.toBase58();

export function openSolanaLab(options: LedgerOptions = {}): SolanaLab {
  const ledger = openLedger(options);
  const node = startSolanaNode(ledger);
  const payer = Keypair.generate();
  const authority = payer.publicKey.toBase58();
  putAccount(ledger, authority, { lamports: PLENTY });
  let used = 0;

  const mints = {
    usdc: newMint(TOKEN_PROGRAM),
    usdt: newMint(TOKEN_PROGRAM),
    foreign: newMint(TOKEN_PROGRAM),
    feeful: newMint(TOKEN_2022_PROGRAM, 100),
  };
  ledger.mine();

  function newMint(program: string, feeBasisPoints?: number): LabToken {
    const mint = Keypair.generate().publicKey.toBase58();
    putMint(ledger, mint, {
      authority,
      decimals: 6,
      ...(feeBasisPoints === undefined ? {} : { feeBasisPoints }),
    });
    const token = { mint, program, decimals: 6 };
    const account = associatedAccount(authority, token);
    send([
      createAssociated({ payer: authority, owner: authority, token }),
      mintTo({ token, account, authority, units: PLENTY }),
    ]);
    return token;
  }

  function send(
    instructions: readonly TransactionInstruction[],
    { signers = [payer], version = 'legacy' }: { signers?: readonly Keypair[]; version?: 'legacy' | 0 } = {},
  ): string {
    const message = new TransactionMessage({
      payerKey: signers[0]!.publicKey,
      recentBlockhash: ledger.tip('confirmed').blockhash,
      // A transfer of nothing to itself with a number of its own: two equal payments are two
      // transactions.
      instructions: [...instructions, distinct(signers[0]!.publicKey)],
    });
    const compiled = version === 0 ? message.compileToV0Message() : message.compileToLegacyMessage();
    const transaction = new VersionedTransaction(compiled);
    transaction.sign([...signers]);
    ledger.submit(transaction.serialize());
    return base58(transaction.signatures[0]!);
  }

  function distinct(key: PublicKey): TransactionInstruction {
    const instruction = SystemProgram.transfer({ fromPubkey: key, toPubkey: key, lamports: 0 });
    // The system program leaves what follows its own fields unread.
    used += 1;
    instruction.data = Buffer.concat([instruction.data, Buffer.from(`${used}`)]);
    return instruction;
  }

  const lamportsOf = (address: string): bigint => ledger.svm.getBalance(bytesOfAddress(address)) ?? 0n;

  return {
    ledger,
    node,
    payer,
    mints,
    unusedAddress,
    freshAddress() {
      const address = unusedAddress();
      putAccount(ledger, address, { lamports: LEAST });
      return address;
    },
    send,
    payCoins: ({ to, units }) => send([transferLamports({ from: authority, to, lamports: units })]),
    payTokens: ({ to, units, token }) =>
      send([
        createAssociated({ payer: authority, owner: to, token }),
        transferChecked({
          from: associatedAccount(authority, token),
          to: associatedAccount(to, token),
          owner: authority,
          token,
          units,
          decimals: token.decimals,
        }),
      ]),
    give: (address, lamports) => putAccount(ledger, address, { lamports: lamportsOf(address) + lamports }),
    lamportsOf,
    tokensOf: (owner, token) => tokenUnitsOf(ledger.svm, associatedAccount(owner, token)),
    reorg(depth) {
      ledger.fork(depth);
      ledger.mine(depth);
    },
    stop: () => node.stop(),
  };
}
