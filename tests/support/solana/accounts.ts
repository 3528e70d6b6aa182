/**
 * Accounts put into a ledger as genesis would: wallets with lamports, mints of both token programs.
 */
import litesvm from 'litesvm/dist/internal.js';
import type { Ledger } from './ledger.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './token-balances.ts';
import { bytesOfAddress } from './wire.ts';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const MINT_BYTES = 82;
const DECIMALS_AT = 44;
const INITIALISED_AT = 45;
/** Extensions begin after the length of a token account, with the kind of the account: a mint. */
const EXTENSIONS_AT = 166;
const TRANSFER_FEE_CONFIG = { type: 1, bytes: 108 };
const RENT = 10_000_000n;

interface Held {
  readonly owner?: string;
  readonly lamports?: bigint;
  readonly data?: Uint8Array;
}

export function putAccount(ledger: Ledger, address: string, held: Held): void {
  const { owner = SYSTEM_PROGRAM, lamports = RENT, data = new Uint8Array() } = held;
  ledger.genesis((svm) => {
    const account = new litesvm.Account(lamports, data, bytesOfAddress(owner), false, 0n);
    svm.setAccount(bytesOfAddress(address), account);
  });
}

/** `feeBasisPoints`: a mint of Token-2022 that keeps a share of every transfer. */
export function putMint(
  ledger: Ledger,
  mint: string,
  options: { authority: string; decimals: number; feeBasisPoints?: number },
): void {
  const { authority, decimals, feeBasisPoints } = options;
  const extended = feeBasisPoints !== undefined;
  const data = Buffer.alloc(extended ? EXTENSIONS_AT + 4 + TRANSFER_FEE_CONFIG.bytes : MINT_BYTES);
  data.writeUInt32LE(1, 0);
  data.set(bytesOfAddress(authority), 4);
  data[DECIMALS_AT] = decimals;
  data[INITIALISED_AT] = 1;
  if (extended) {
    data[EXTENSIONS_AT - 1] = 1;
    data.writeUInt16LE(TRANSFER_FEE_CONFIG.type, EXTENSIONS_AT);
    data.writeUInt16LE(TRANSFER_FEE_CONFIG.bytes, EXTENSIONS_AT + 2);
    // Two authorities and what is withheld, then the older and the newer fee: epoch, most, basis
    // points.
    for (const fee of [EXTENSIONS_AT + 4 + 72, EXTENSIONS_AT + 4 + 90]) {
      data.writeBigUInt64LE(2n ** 64n - 1n, fee + 8);
      data.writeUInt16LE(feeBasisPoints, fee + 16);
    }
  }
  putAccount(ledger, mint, { owner: extended ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM, data });
}
