/**
 * The instructions of our transactions, by the programs' layouts (without @solana/spl-token, which
 * depends on bigint-buffer, CVE-2025-3194). Integers are little-endian.
 */
import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedAccount,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  type TokenOf,
} from '../programs.ts';

/** Numbers of the instructions within their programs. */
const SYSTEM_TRANSFER = 2;
const CREATE_IDEMPOTENT = 1;
const TRANSFER_CHECKED = 12;
const CLOSE_ACCOUNT = 9;
const COMPUTE_UNIT_LIMIT = 2;
const COMPUTE_UNIT_PRICE = 3;
const LOADED_DATA_LIMIT = 4;

interface AccountRole {
  readonly writable?: true;
  readonly signs?: true;
}

const SIGNER: AccountRole = { signs: true };
const PAYER: AccountRole = { signs: true, writable: true };
const WRITTEN: AccountRole = { writable: true };
const READ: AccountRole = {};

export function transferLamports(move: {
  from: string;
  to: string;
  lamports: bigint;
}): TransactionInstruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(SYSTEM_TRANSFER, 0);
  data.writeBigUInt64LE(move.lamports, 4);
  return instruction(
    SYSTEM_PROGRAM,
    [
      [move.from, PAYER],
      [move.to, WRITTEN],
    ],
    data,
  );
}

/** Creates the associated account of `owner`, at the cost of `payer`; no effect where it exists. */
export function createAssociated(account: {
  payer: string;
  owner: string;
  token: TokenOf;
}): TransactionInstruction {
  const { payer, owner, token } = account;
  return instruction(
    ASSOCIATED_TOKEN_PROGRAM,
    [
      [payer, PAYER],
      [associatedAccount(owner, token), WRITTEN],
      [owner, READ],
      [token.mint, READ],
      [SYSTEM_PROGRAM, READ],
      [token.program, READ],
    ],
    Buffer.of(CREATE_IDEMPOTENT),
  );
}

/**
 * Transfers between token accounts. The program refuses another mint, and other decimals than the
 * mint's.
 */
export function transferChecked(move: {
  from: string;
  to: string;
  owner: string;
  token: TokenOf;
  units: bigint;
  decimals: number;
}): TransactionInstruction {
  const { from, to, owner, token, units, decimals } = move;
  const data = Buffer.alloc(10);
  data.writeUInt8(TRANSFER_CHECKED, 0);
  data.writeBigUInt64LE(units, 1);
  data.writeUInt8(decimals, 9);
  const accounts: [string, AccountRole][] = [
    [from, WRITTEN],
    [token.mint, READ],
    [to, WRITTEN],
    [owner, SIGNER],
  ];
  return instruction(token.program, accounts, data);
}

/**
 * Closes an empty token account; its rent goes to `to`. The program refuses an account that holds
 * tokens.
 */
export function closeAccount(close: {
  account: string;
  to: string;
  owner: string;
  program: string;
}): TransactionInstruction {
  const accounts: [string, AccountRole][] = [
    [close.account, WRITTEN],
    [close.to, WRITTEN],
    [close.owner, SIGNER],
  ];
  return instruction(close.program, accounts, Buffer.of(CLOSE_ACCOUNT));
}

export interface ComputeBudget {
  readonly unitLimit: number;
  /** Micro-lamports per compute unit. */
  readonly unitPrice: bigint;
  /** Most bytes of accounts that it may load. */
  readonly loadedBytes: number;
}

export function computeBudget({
  unitLimit,
  unitPrice,
  loadedBytes,
}: ComputeBudget): TransactionInstruction[] {
  const price = Buffer.alloc(9);
  price.writeUInt8(COMPUTE_UNIT_PRICE, 0);
  price.writeBigUInt64LE(unitPrice, 1);
  return [
    instruction(COMPUTE_BUDGET_PROGRAM, [], withUint32(COMPUTE_UNIT_LIMIT, unitLimit)),
    instruction(COMPUTE_BUDGET_PROGRAM, [], price),
    instruction(COMPUTE_BUDGET_PROGRAM, [], withUint32(LOADED_DATA_LIMIT, loadedBytes)),
  ];
}

function withUint32(kind: number, value: number): Buffer {
  const data = Buffer.alloc(5);
  data.writeUInt8(kind, 0);
  data.writeUInt32LE(value, 1);
  return data;
}

function instruction(
  program: string,
  accounts: readonly (readonly [string, AccountRole])[],
  data: Buffer,
): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey(program),
    keys: accounts.map(([address, { writable = false, signs = false }]) => ({
      pubkey: new PublicKey(address),
      isWritable: writable,
      isSigner: signs,
    })),
    data,
  });
}
