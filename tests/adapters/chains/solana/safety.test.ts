/**
 * What must not be credited on Solana, and what must (safety.md S1 to S7): real programs move real
 * balances on the test ledger.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { Keypair } from '@solana/web3.js';
import {
  createAssociated,
  transferChecked,
  transferLamports,
} from '../../../../src/adapters/chains/solana/codec/instructions.ts';
import { associatedAccount } from '../../../../src/adapters/chains/solana/programs.ts';
import { solanaScanner } from '../../../../src/adapters/chains/solana/read/scanner.ts';
import type { ChainScanner, Transfer } from '../../../../src/ports/chains/chain-scanner.ts';
import { watching } from '../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../support/evm/evm-lab.ts';
import { type LabToken, openSolanaLab, type SolanaLab } from '../../../support/solana/lab.ts';
import { handOver, recoverNested } from '../../../support/solana/more-instructions.ts';
import { FEEFUL, listings, NATIVE, TOKEN } from '../../../support/solana/sending.ts';
import { versionOnePayment } from '../../../support/solana/version-one.ts';

let lab: SolanaLab;
let scanner: ChainScanner;
/**
 * The deposit address of a test: its key is here, so that the test can do with it what a customer
 * cannot.
 */
let deposit: Keypair;
let to: string;

beforeAll(() => {
  lab = openSolanaLab({ finalizedLag: 3 });
  lab.ledger.mine(10);
});
afterAll(() => lab.stop());
beforeEach(() => {
  deposit = Keypair.generate();
  to = deposit.publicKey.toBase58();
  scanner = open();
});
afterEach(() => scanner.close());

function open(tokens = listings(lab)): ChainScanner {
  return solanaScanner({
    ...{ chain: 'solana', network: 'test', rpc: [lab.node.url], nativeAsset: NATIVE, tokens },
    logger: recordingLogger(),
  });
}

/** What the scanner reports of the last block, which is mined first. */
async function seen(watched: readonly string[] = [to]): Promise<readonly Transfer[]> {
  lab.ledger.mine();
  const { tip } = await scanner.head();
  const [block] = await scanner.blocks({ from: tip.height, to: tip.height }, watching(watched));
  return block!.transfers;
}

const payer = () => lab.payer.publicKey.toBase58();
const tokens = (token: LabToken, units: bigint, owner = payer()) =>
  transferChecked({
    from: associatedAccount(owner, token),
    to: associatedAccount(to, token),
    owner,
    token,
    units,
    decimals: token.decimals,
  });
const account = (token: LabToken, owner = to) => createAssociated({ payer: payer(), owner, token });

test('S1: a transaction that failed pays nothing, though its instructions say so', async () => {
  const { usdc } = lab.mints;
  const txid = lab.send([
    account(usdc),
    tokens(usdc, 5n),
    transferLamports({ from: payer(), to, lamports: 2n ** 63n }),
  ]);
  expect(await seen()).toEqual([]);
  expect(lab.ledger.find(txid)?.transaction.meta.err).toEqual({ InstructionError: [2, { Custom: 1 }] });
});

test('S2: a token of another mint pays nothing, whatever it calls itself', async () => {
  lab.payTokens({ to, units: 5_000_000n, token: lab.mints.foreign });
  expect(await seen()).toEqual([]);
});

test('S3: a token account that is handed over with what it holds pays nothing, nor does what arrives in it later', async () => {
  const { usdc } = lab.mints;
  const stranger = Keypair.generate();
  const from = stranger.publicKey.toBase58();
  lab.payTokens({ to: from, units: 7_000_000n, token: usdc });
  lab.ledger.mine();
  const theirs = associatedAccount(from, usdc);
  lab.send([handOver({ account: theirs, from, to, program: usdc.program })], {
    signers: [lab.payer, stranger],
  });
  expect(await seen()).toEqual([]);
  lab.send([
    transferChecked({
      ...{ from: associatedAccount(payer(), usdc), to: theirs, owner: payer() },
      ...{ token: usdc, units: 1_000_000n, decimals: 6 },
    }),
  ]);
  expect(await seen()).toEqual([]);
  expect(lab.tokensOf(from, usdc)).toBe(8_000_000n);
});

test('S4: of a token that keeps a share of each transfer, what arrived is credited', async () => {
  lab.payTokens({ to, units: 1_000_000n, token: lab.mints.feeful });
  expect(await seen()).toMatchObject([
    { asset: FEEFUL, to, units: 990_000n, from: payer(), output: `token:${lab.mints.feeful.mint}:${to}` },
  ]);
});

test('S5: tokens and coins that another program moves within its own instruction are credited', async () => {
  const { usdc, usdt } = lab.mints;
  const nested = associatedAccount(to, usdt);
  lab.give(to, 1_000_000n);
  lab.send([account(usdt), account(usdc)]);
  lab.payTokens({ to: nested, units: 3_000_000n, token: usdc });
  lab.ledger.mine();
  const rent = lab.lamportsOf(associatedAccount(nested, usdc));
  const txid = lab.send([recoverNested({ wallet: to, token: usdc, ownerToken: usdt })], {
    signers: [lab.payer, deposit],
  });
  expect(await seen()).toMatchObject([
    { txid, asset: NATIVE, to, units: rent, output: `native:${to}` },
    { txid, asset: TOKEN, to, units: 3_000_000n, output: `token:${usdc.mint}:${to}` },
  ]);
  expect(lab.ledger.find(txid)?.transaction.meta.innerInstructions).toHaveLength(1);
});

test('S7: a block that is only confirmed is not final, and when its branch loses, its payments are gone', async () => {
  const txid = lab.payCoins({ to, units: 1_000_000n });
  const [paid] = await seen();
  const { tip, finalizedHeight } = await scanner.head();
  expect(paid).toMatchObject({ txid, units: 1_000_000n });
  expect(finalizedHeight).toBe(tip.height - 3);
  lab.reorg(1);
  expect(await scanner.lookup(txid)).toEqual({ state: 'unknown' });
  expect((await scanner.blockAt(tip.height))?.hash).not.toBe(tip.hash);
});

describe('a payment is reported', () => {
  test('once for all that one transaction moves to an address, and apart for coin and token', async () => {
    const { usdc } = lab.mints;
    const pay = (lamports: bigint) => transferLamports({ from: payer(), to, lamports });
    lab.send([pay(2_000_000n), account(usdc), tokens(usdc, 4n), pay(3_000_000n), tokens(usdc, 5n)]);
    expect(await seen()).toMatchObject([
      { asset: NATIVE, units: 5_000_000n },
      { asset: TOKEN, units: 9n },
    ]);
  });

  test('in transactions of version 0 and of version 1', async () => {
    const { blockhash } = lab.ledger.tip('confirmed');
    lab.send([transferLamports({ from: payer(), to, lamports: 1_000_000n })], { version: 0 });
    lab.ledger.submit(await versionOnePayment(lab.payer, { to, units: 2_000_000n, blockhash }));
    expect((await seen()).map(({ units }) => units)).toEqual([1_000_000n, 2_000_000n]);
    expect(
      lab.ledger
        .blocks()
        .at(-1)
        ?.transactions.map(({ version }) => version),
    ).toEqual([0, 1]);
  });

  test('without the fee, where the address itself pays it', async () => {
    const other = Keypair.generate();
    lab.give(to, 10_000_000n);
    lab.give(other.publicKey.toBase58(), 10_000_000n);
    const from = other.publicKey.toBase58();
    lab.send([transferLamports({ from, to, lamports: 3_000_000n })], { signers: [deposit, other] });
    expect(await seen()).toMatchObject([{ units: 3_000_000n, from }]);
  });

  test('to the last lamport beside a balance that no double holds', async () => {
    lab.give(to, 2n ** 60n + 1n);
    lab.payCoins({ to, units: 1n });
    expect(await seen()).toMatchObject([{ units: 1n }]);
  });

  test('of money that came and went within the transaction not at all', async () => {
    lab.give(to, 10_000_000n);
    const there = transferLamports({ from: payer(), to, lamports: 3_000_000n });
    const back = transferLamports({ from: to, to: payer(), lamports: 3_000_000n });
    lab.send([there, back], { signers: [lab.payer, deposit] });
    expect(await seen()).toEqual([]);
  });
});

test('E9: a mint with other decimals than the catalog says, or that is none, is named and not scanned', async () => {
  await scanner.close();
  const wrong = [
    { asset: TOKEN, contract: lab.mints.usdc.mint, decimals: 9 },
    { asset: FEEFUL, contract: payer(), decimals: 6 },
  ];
  scanner = open(wrong);
  const faults = await scanner.unscannedAssets();
  expect(faults.map(({ asset }) => asset)).toEqual([TOKEN, FEEFUL]);
  expect(faults[0]?.reason).toContain('has 6 decimals, the catalog says 9');
  expect(faults[1]?.reason).toContain('is not a mint');
  lab.payTokens({ to, units: 5n, token: lab.mints.usdc });
  expect(await seen()).toEqual([]);
  expect(() => open([...listings(lab), { asset: 'x', contract: lab.mints.usdc.mint, decimals: 6 }])).toThrow(
    'two assets',
  );
  expect(() => open([{ asset: 'x', contract: '0x12', decimals: 6 }])).toThrow('not a Solana address');
});
