/**
 * Reads a message as a payment, instruction by instruction. It only collects fields: transaction.ts
 * writes the payment again to prove that the message says nothing else.
 */

import { base58 } from '@scure/base';
import type { Message } from '@solana/web3.js';
import { isTokenProgram, SYSTEM_PROGRAM } from '../programs.ts';
import type { SolanaPayment } from './payment.ts';

interface Instruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Buffer;
}

type InstructionContent = Omit<SolanaPayment, 'tag'> & { readonly loadedBytes: number };

/** Null when a part is missing, or too short to be read. */
export function contentOf(message: Message): InstructionContent | null {
  try {
    return read(message);
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return null;
    throw error;
  }
}

function read(message: Message): InstructionContent | null {
  const keys = message.accountKeys.map((key) => key.toBase58());
  const [limit, price, loaded, ...moves] = message.instructions.map(
    ({ programIdIndex, accounts, data }): Instruction => ({
      program: keys[programIdIndex] ?? '',
      accounts: accounts.map((index) => keys[index] ?? ''),
      data: Buffer.from(base58.decode(data)),
    }),
  );
  const [feePayer] = keys;
  if (!limit || !price || !loaded || feePayer === undefined) return null;
  const moved = moves[0]?.program === SYSTEM_PROGRAM ? lamportsMoved(moves) : tokensMoved(moves);
  return (
    moved && {
      ...moved,
      feePayer,
      unitLimit: limit.data.readUInt32LE(1),
      unitPrice: price.data.readBigUInt64LE(1),
      loadedBytes: loaded.data.readUInt32LE(1),
    }
  );
}

type TransferInstruction = Pick<
  SolanaPayment,
  'wallet' | 'recipient' | 'units' | 'token' | 'creates' | 'closes'
>;

function lamportsMoved([transfer]: readonly Instruction[]): TransferInstruction | null {
  const [wallet, recipient] = transfer?.accounts ?? [];
  if (!transfer || !wallet || !recipient) return null;
  const units = transfer.data.readBigUInt64LE(4);
  return { wallet, recipient, units, token: null, creates: false, closes: false };
}

function tokensMoved(moves: readonly Instruction[]): TransferInstruction | null {
  const create = moves.find(({ program }) => !isTokenProgram(program));
  const [transfer, close] = moves.filter(({ program }) => isTokenProgram(program));
  if (!transfer) return null;
  const [, mint, account, wallet] = transfer.accounts;
  const recipient = create === undefined ? account : create.accounts[2];
  if (!recipient || !mint || !wallet) return null;
  const token = { mint, program: transfer.program, decimals: transfer.data.readUInt8(9) };
  const units = transfer.data.readBigUInt64LE(1);
  return { wallet, recipient, units, token, creates: create !== undefined, closes: close !== undefined };
}
