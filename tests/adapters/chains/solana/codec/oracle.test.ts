/**
 * @solana/kit, another library than the product's, has the same addresses, messages and signatures,
 * in random cases.
 */
import { expect, test } from 'bun:test';
import {
  type Address,
  createKeyPairFromPrivateKeyBytes,
  getAddressFromPublicKey,
  isOffCurveAddress,
} from '@solana/kit';
import type { SolanaPayment } from '../../../../../src/adapters/chains/solana/codec/payment.ts';
import {
  readUnsigned,
  signersOf,
  storedTransaction,
  writeUnsigned,
} from '../../../../../src/adapters/chains/solana/codec/transaction.ts';
import {
  associatedAccount,
  isOnCurve,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../../../../src/adapters/chains/solana/programs.ts';
import { ORACLE_CASES } from '../../../../support/chains/oracle-cases.ts';
import { type Seeded, seeded } from '../../../../support/runtime/seeded.ts';
import {
  derivedAccount,
  messageByKit,
  saidIn,
  signatureByKit,
} from '../../../../support/solana/kit-oracle.ts';
import { testWallet } from '../../../../support/solana/wallet.ts';
import { base58, bytesOfBase64, decodeTransaction } from '../../../../support/solana/wire.ts';
import { sendingOrder } from '../../../../support/utxo/lone-orders.ts';

const DEPOSITS = 20;
/** Where the tag of a payment begins to count (transaction.ts). */
const LOADED_BYTES_BASE = 2 ** 24;

const wallet = testWallet();
const deposits = Array.from({ length: DEPOSITS }, (_, index) => wallet.deposit(index));

const someAddress = (random: Seeded): string =>
  base58(Uint8Array.from({ length: 32 }, () => random.int(256)));

test('addresses of private keys', async () => {
  for (let index = 0; index < ORACLE_CASES; index++) {
    const key = { role: 'deposit', index } as const;
    const { publicKey } = await createKeyPairFromPrivateKeyBytes(wallet.keys.privateKey(key));
    expect(wallet.keys.address(key)).toBe(await getAddressFromPublicKey(publicKey));
  }
});

test('associated accounts of both token programs, and which addresses are on the curve', async () => {
  const random = seeded(501);
  for (let count = 0; count < ORACLE_CASES; count++) {
    const [owner, mint] = [someAddress(random), someAddress(random)];
    const program = random.pick([TOKEN_PROGRAM, TOKEN_2022_PROGRAM]);
    const account = associatedAccount(owner, { mint, program });
    expect(account).toBe(await derivedAccount(owner, mint, program));
    expect(isOnCurve(owner)).toBe(!isOffCurveAddress(owner as Address));
    expect(isOnCurve(account)).toBe(false);
  }
});

function somePayment(random: Seeded): SolanaPayment {
  const sweeps = random.int(2) === 1;
  const program = random.pick([TOKEN_PROGRAM, TOKEN_2022_PROGRAM, null]);
  return {
    feePayer: wallet.hot,
    wallet: sweeps ? deposits[random.int(DEPOSITS)]! : wallet.hot,
    recipient: sweeps ? wallet.hot : someAddress(random),
    units: BigInt(random.int(2 ** 31)) * BigInt(random.int(2 ** 31)) + 1n,
    token: program === null ? null : { mint: someAddress(random), program, decimals: random.int(10) },
    creates: program !== null && random.int(4) > 0,
    closes: program !== null && sweeps && random.int(2) === 1,
    tag: random.int(2 ** 25),
    unitLimit: random.int(1_400_000),
    unitPrice: BigInt(random.int(2 ** 31)) ** 2n,
  };
}

test('messages of payments and sweeps say the same, and are read back as what they were written from', async () => {
  const random = seeded(44);
  for (let count = 0; count < ORACLE_CASES; count++) {
    const payment = somePayment(random);
    const blockhash = someAddress(random);
    const ours = writeUnsigned(payment, blockhash);
    const theirs = await messageByKit(payment, {
      blockhash,
      loadedBytes: LOADED_BYTES_BASE + payment.tag,
    });
    expect(saidIn(bytesOfBase64(ours))).toEqual(saidIn(theirs));
    expect(readUnsigned(ours)).toMatchObject({ ...payment, blockhash });
  }
});

test('signatures, one of payments and two of sweeps, and the id of the transaction', async () => {
  const random = seeded(10);
  const keyOf = (address: string) =>
    wallet.keys.privateKey(
      address === wallet.hot ? { role: 'hot' } : { role: 'deposit', index: deposits.indexOf(address) },
    );
  for (let count = 0; count < ORACLE_CASES; ) {
    const some = somePayment(random);
    // An order names the owner, and not its account.
    const payment = { ...some, creates: some.token !== null };
    const payload = writeUnsigned(payment, someAddress(random));
    const order = sendingOrder({
      wallet: payment.wallet,
      feePayer: payment.wallet === wallet.hot ? null : wallet.hot,
      nonce: BigInt(payment.tag),
      asset: 'any',
      to: payment.recipient,
      units: payment.units,
      voids: false,
    });
    const { raw, txid } = await wallet.sign(
      order,
      { payload, validUntil: 1n, maxFeeUnits: 0n },
      payment.token,
    );
    const { signatures, signature } = decodeTransaction(bytesOfBase64(raw));
    const message = bytesOfBase64(payload);
    const signers = signersOf(payment);
    for (const [position, signer] of signers.entries())
      expect(signatures[position]).toBe(base58(await signatureByKit(message, keyOf(signer))));
    expect([txid, signatures.length]).toEqual([signature, signers.length]);
    expect(storedTransaction(raw)).toMatchObject({ ...payment, txid });
    count += signers.length;
  }
});
