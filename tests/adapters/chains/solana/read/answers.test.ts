/**
 * Answers of mainnet nodes as the parsers must take them. They are BUILT after the documentation of
 * getBlock and getTransaction (encoding json) with the real mints and programs; none is a
 * recording: those are in recorded.test.ts. Here is what the test ledger does not make: accounts of
 * lookup tables, blocks from before owners were kept, balances beyond a double, votes, answers that
 * lack or garble something.
 */
import { describe, expect, test } from 'bun:test';
import {
  NodeError,
  NodeLagging,
  RpcError,
} from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import type { RpcNode } from '../../../../../src/adapters/chains/shared/nodes/rpc-node.ts';
import { parseExactly } from '../../../../../src/adapters/chains/solana/exact-json.ts';
import { associatedAccount, TOKEN_PROGRAM } from '../../../../../src/adapters/chains/solana/programs.ts';
import { readSlot } from '../../../../../src/adapters/chains/solana/read/blocks.ts';
import { movementsIn } from '../../../../../src/adapters/chains/solana/read/movements.ts';
import {
  arrivalsIn,
  paymentsAmong,
  sentBy,
} from '../../../../../src/adapters/chains/solana/read/transfers.ts';
import type { ListedToken } from '../../../../../src/adapters/chains/solana/tokens.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { testWallet } from '../../../../support/solana/wallet.ts';
import type { Json } from '../../../../support/test-service.ts';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const SYSTEM = '11111111111111111111111111111111';
const VOTE = 'Vote111111111111111111111111111111111111111';
const LISTED: ReadonlyMap<string, ListedToken> = new Map([
  [USDC, { asset: 'usdc_solana', mint: USDC, program: TOKEN_PROGRAM, decimals: 6 }],
]);
const wallet = testWallet();
const [customer, exchange, ours] = [wallet.deposit(100), wallet.deposit(101), wallet.deposit(1)];
const usdcOf = (owner: string) => associatedAccount(owner, { mint: USDC, program: TOKEN_PROGRAM });
const TXID = '5'.repeat(88);

const holding = (accountIndex: number, owner: string | null, amount: string): Json => ({
  accountIndex,
  mint: USDC,
  ...(owner === null ? {} : { owner, programId: TOKEN_PROGRAM }),
  uiTokenAmount: {
    amount,
    decimals: 6,
    uiAmount: Number(amount) / 1e6,
    uiAmountString: `${Number(amount) / 1e6}`,
  },
});

/**
 * An exchange pays 25 USDC to us; its own accounts come from a lookup table, as those of exchanges
 * and swaps do.
 */
const withLookups = (): Json => ({
  version: 0,
  meta: {
    computeUnitsConsumed: 4_644,
    err: null,
    fee: 5_300,
    innerInstructions: [],
    loadedAddresses: { writable: [usdcOf(exchange), usdcOf(ours)], readonly: [USDC] },
    logMessages: ['Program log: Instruction: TransferChecked'],
    postBalances: [4_994_700, 934_087_680, 2_039_280, 2_039_280, 419_462_361_342],
    postTokenBalances: [holding(2, exchange, '975000000'), holding(3, ours, '25000000')],
    preBalances: [5_000_000, 934_087_680, 2_039_280, 2_039_280, 419_462_361_342],
    preTokenBalances: [holding(2, exchange, '1000000000'), holding(3, ours, '0')],
    rewards: [],
    status: { Ok: null },
  },
  transaction: {
    message: {
      accountKeys: [exchange, TOKEN_PROGRAM],
      addressTableLookups: [{ accountKey: customer, readonlyIndexes: [4], writableIndexes: [1, 2] }],
      header: { numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1, numRequiredSignatures: 1 },
      instructions: [{ accounts: [2, 4, 3, 0], data: 'g7rqEQqMuVqqM', programIdIndex: 1, stackHeight: 1 }],
      recentBlockhash: 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N',
    },
    signatures: [TXID],
  },
});

const coins = (units: number): Json => ({
  version: 'legacy',
  meta: {
    err: null,
    fee: 5_000,
    innerInstructions: [],
    loadedAddresses: { writable: [], readonly: [] },
    logMessages: [`Program ${SYSTEM} invoke [1]`, `Program ${SYSTEM} success`],
    postBalances: [10_000_000_000 - units - 5_000, 890_880 + units, 1],
    postTokenBalances: [],
    preBalances: [10_000_000_000, 890_880, 1],
    preTokenBalances: [],
    rewards: [],
    status: { Ok: null },
  },
  transaction: {
    message: {
      accountKeys: [customer, ours, SYSTEM],
      header: { numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1, numRequiredSignatures: 1 },
      instructions: [{ accounts: [0, 1], data: '3Bxs4Bc3VYuGVB19', programIdIndex: 2, stackHeight: null }],
      recentBlockhash: 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N',
    },
    signatures: [TXID],
  },
});

const payments = async (answer: Json) => {
  const [found] = await paymentsAmong(
    [arrivalsIn(movementsIn(answer), LISTED)],
    watching([ours]),
    'sol_solana',
  );
  return found!;
};

describe('a transaction', () => {
  test('whose accounts come from lookup tables', async () => {
    expect(await payments(withLookups())).toEqual([
      {
        txid: TXID,
        output: `token:${USDC}:${ours}`,
        asset: 'usdc_solana',
        to: ours,
        from: exchange,
        units: 25_000_000n,
        kind: 'payment',
      },
    ]);
  });

  test('of the coin, old and new, with a new token account, and of a node that leaves out what is empty', async () => {
    const paid = { txid: TXID, asset: 'sol_solana', to: ours, from: customer, units: 1_000_000n };
    expect(await payments(coins(1_000_000))).toMatchObject([paid]);
    const bare = coins(1_000_000);
    for (const left of ['loadedAddresses', 'preTokenBalances', 'postTokenBalances', 'innerInstructions'])
      bare.meta[left] = null;
    expect(await payments(bare)).toMatchObject([paid]);
    const fresh = withLookups();
    fresh.meta.preTokenBalances.pop();
    expect(await payments(fresh)).toMatchObject([{ units: 25_000_000n }]);
  });

  test('K4: is our wallet’s only when that signed it: a stranger’s mint may take back what it put there in our name', () => {
    const answer = withLookups();
    answer.meta.preTokenBalances = [holding(3, ours, '25000000')];
    answer.meta.postTokenBalances = [holding(3, ours, '0')];
    const own = () => {
      const movements = movementsIn(answer);
      return sentBy(ours, movements, arrivalsIn(movements, LISTED), 'sol_solana');
    };
    expect(own()).toBeNull();
    answer.transaction.message.accountKeys.splice(1, 0, ours);
    answer.transaction.signatures.push(TXID);
    for (const balances of ['preBalances', 'postBalances']) answer.meta[balances].splice(1, 0, 890_880);
    for (const held of ['preTokenBalances', 'postTokenBalances']) answer.meta[held][0].accountIndex += 1;
    expect(own()).toMatchObject({ txid: TXID, harmless: false });
  });

  test('S1: that failed, and a vote', async () => {
    const failed = withLookups();
    failed.meta.err = { InstructionError: [0, { Custom: 17 }] };
    expect(await payments(failed)).toEqual([]);
    const vote = coins(0);
    vote.transaction.message.accountKeys[2] = VOTE;
    expect(await payments(vote)).toEqual([]);
  });

  test('S3: of token balances without an owner, from before nodes kept it', async () => {
    const old = withLookups();
    old.meta.preTokenBalances = [holding(3, null, '0')];
    old.meta.postTokenBalances = [holding(3, null, '25000000')];
    expect(await payments(old)).toEqual([]);
  });

  test('that is garbled puts the node at fault', () => {
    const garbled: ((answer: Json) => void)[] = [
      (answer) => delete answer.meta,
      (answer) => {
        answer.meta = null;
      },
      (answer) => answer.meta.postBalances.pop(),
      (answer) => {
        answer.meta.fee = -1;
      },
      (answer) => {
        answer.transaction.signatures = [];
      },
      (answer) => {
        answer.meta.postTokenBalances[0].accountIndex = 99;
      },
      (answer) => {
        answer.meta.postTokenBalances[0].uiTokenAmount.amount = '1.5';
      },
      (answer) => {
        answer.meta.loadedAddresses.writable[0] = 7;
      },
    ];
    for (const garble of garbled) {
      const answer = withLookups();
      garble(answer);
      expect(() => arrivalsIn(movementsIn(answer), LISTED)).toThrow(NodeError);
    }
  });
});

describe('a block', () => {
  const block: Json = {
    blockHeight: 279_000_000,
    blockTime: 1_730_000_000,
    blockhash: 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N',
    parentSlot: 299_999_998,
    previousBlockhash: '4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn',
    transactions: [coins(5)],
  };
  const nodeThat = (answer: () => unknown): RpcNode => ({
    label: 'node 1',
    call: async () => answer(),
    batch: async () => [],
    outcomes: async () => [],
  });
  const refusing = (code: number) =>
    nodeThat(() => {
      throw new RpcError(code, 'no');
    });

  test('is read with its height, which is not its slot', async () => {
    const read = await readSlot(
      nodeThat(() => block),
      300_000_000,
      'accounts',
    );
    expect(read).toMatchObject({
      kind: 'block',
      block: {
        slot: 300_000_000,
        height: 279_000_000,
        hash: block.blockhash,
        parentHash: block.previousBlockhash,
      },
    });
    expect(read.kind === 'block' && read.transactions).toHaveLength(1);
  });

  test('that was skipped, is not ready, or was cleaned up, by the codes of real nodes', async () => {
    for (const code of [-32_007, -32_009])
      expect(await readSlot(refusing(code), 5, 'none')).toEqual({ kind: 'none' });
    for (const code of [-32_004, -32_014])
      expect(await readSlot(refusing(code), 5, 'none')).toEqual({ kind: 'not_yet' });
    expect(
      await readSlot(
        nodeThat(() => null),
        5,
        'none',
      ),
    ).toEqual({ kind: 'none' });
    await expect(readSlot(refusing(-32_001), 5, 'none')).rejects.toBeInstanceOf(NodeLagging);
    await expect(readSlot(refusing(-32_015), 5, 'none')).rejects.toBeInstanceOf(RpcError);
  });

  test('that is garbled puts the node at fault', async () => {
    for (const change of [
      { blockHeight: null },
      { blockhash: 'x' },
      { blockTime: null },
      { transactions: null },
    ])
      await expect(
        readSlot(
          nodeThat(() => ({ ...block, ...change })),
          5,
          'accounts',
        ),
      ).rejects.toBeInstanceOf(NodeError);
  });
});

describe('numbers in JSON', () => {
  test('beyond what a double holds stay exact, and the others are numbers', () => {
    const text =
      '{"a":[9007199254740993, 5,1.5],"b":18446744073709551615 ,"log":"x:[1234567890123456789]","c":-1}';
    expect(parseExactly(text)).toEqual({
      a: [9_007_199_254_740_993n, 5, 1.5],
      b: 18_446_744_073_709_551_615n,
      log: 'x:[1234567890123456789]',
      c: -1,
    });
    expect(parseExactly('{"a":[1,2],"b":null}')).toEqual({ a: [1, 2], b: null });
    expect(() => parseExactly('<html>')).toThrow(SyntaxError);
  });

  test('of balances that large still make an exact payment', async () => {
    const text = JSON.stringify(coins(7))
      .replace('890880,', '18000000000000000001,')
      .replace('890887,', '18000000000000000008,');
    expect(await payments(parseExactly(text))).toMatchObject([{ units: 7n }]);
  });
});
