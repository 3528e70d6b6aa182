/**
 * safety.md, N1 to N5 and what belongs to them: what of a TON chain is a deposit, on real
 * transactions of a chain in memory.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Address, beginCell } from '@ton/core';
import { tonScanner } from '../../../../src/adapters/chains/ton/read/scanner.ts';
import type { ChainScanner } from '../../../../src/ports/chains/chain-scanner.ts';
import { recordingLogger } from '../../../support/evm/evm-lab.ts';
import { notificationBody, RECEIVES_NOTHING, testJetton } from '../../../support/ton/jetton.ts';
import { greedyContract, payableContract, unpayableContract } from '../../../support/ton/small-contracts.ts';
import {
  commentBody,
  NATIVE,
  openTonLab,
  PAYER,
  TON,
  type TonLab,
  USDT,
} from '../../../support/ton/ton-lab.ts';
import { labScanner, paidTo } from '../../../support/ton/ton-scanning.ts';

let lab: TonLab;
let scanner: ChainScanner;
beforeAll(async () => {
  lab = await openTonLab();
  scanner = labScanner(lab);
});
afterAll(async () => {
  await scanner.close();
  await lab.close();
});

describe('deposits of coins', () => {
  test('N1: a bounceable payment to an address without a contract goes back, and is nothing', async () => {
    const to = lab.freshAddress();
    lab.pay({ to, units: 3n * TON, bounce: true });
    await lab.mine();
    const { description, inMessage } = lab.last(to).transaction;
    if (description.type !== 'generic' || inMessage?.info.type !== 'internal')
      throw new Error('another kind');
    // The transaction itself looks like an arrival of three coins.
    expect(description.bouncePhase?.type).toBe('ok');
    expect(inMessage.info.value.coins).toBe(3n * TON);
    expect(await paidTo(scanner, [to])).toEqual([]);
    expect(lab.balanceOf(to)).toBe(0n);
  });

  test('N1: a message that came back to us is no payment', async () => {
    const to = lab.freshAddress();
    lab.pay({ to, units: TON, bounced: true });
    await lab.mine();
    expect(await paidTo(scanner, [to])).toEqual([]);
  });

  test('a payment that asks for nothing back is kept by an address without a contract, whatever comment it has', async () => {
    const to = lab.freshAddress();
    lab.pay({ to, units: 3n * TON, body: commentBody("somebody else's invoice") });
    await lab.mine();
    expect(await paidTo(scanner, [to])).toMatchObject([
      { asset: NATIVE, to, from: PAYER.toRawString(), units: 3n * TON, kind: 'payment' },
    ]);
    expect(lab.balanceOf(to)).toBe(3n * TON);
  });

  test('what a node lists as a transaction of ours, and is of another account, is unavailable and no deposit', async () => {
    const [theirs, ours] = [lab.freshAddress(), lab.freshAddress()];
    lab.pay({ to: theirs, units: TON });
    await lab.mine();
    const [their, our] = [theirs, ours].map((each) => lab.addressOf(each).toRawString()) as [string, string];
    // It lists their transaction under our name, and shows it when ours is asked for.
    const lying = Object.assign(
      async (...[url, init]: Parameters<typeof fetch>) => {
        const asked = String(init?.body).replaceAll(our, their);
        const answer = await (await fetch(url, { ...init, body: asked })).text();
        return new Response(
          asked.includes('getBlockTransactions')
            ? answer.replaceAll(their.toUpperCase(), our.toUpperCase())
            : answer,
        );
      },
      { preconnect: fetch.preconnect },
    );
    const liar = labScanner(lab, { fetch: lying });
    await expect(paidTo(liar, [ours])).rejects.toThrow(/another transaction than asked/);
    await liar.close();
    expect(await paidTo(scanner, [ours])).toEqual([]);
  });

  test('N3: where code fails, or what it orders cannot be done, nothing is credited', async () => {
    const [fails, greedy, works] = [lab.freshAddress(), lab.freshAddress(), lab.freshAddress()];
    lab.place(lab.addressOf(fails), unpayableContract());
    lab.place(lab.addressOf(greedy), greedyContract());
    lab.place(lab.addressOf(works), payableContract());
    for (const bounce of [true, false]) {
      lab.pay({ to: fails, units: TON, bounce });
      lab.pay({ to: greedy, units: TON, bounce });
      lab.pay({ to: works, units: TON, bounce });
    }
    await lab.mine();
    const { description } = lab.last(greedy).transaction;
    if (description.type !== 'generic') throw new Error('another kind of transaction');
    expect(description).toMatchObject({ computePhase: { success: true }, actionPhase: { success: false } });
    expect(await paidTo(scanner, [fails, greedy, works])).toMatchObject([
      { to: works, units: TON },
      { to: works, units: TON },
    ]);
  });

  test('what comes from our own hot wallet is not a deposit', async () => {
    const to = lab.freshAddress();
    lab.pay({ to, units: TON, from: lab.addressOf(lab.hotWallet) });
    lab.payJetton({ to, units: 5n, from: lab.addressOf(lab.hotWallet) });
    await lab.mine();
    expect(await paidTo(scanner, [to])).toEqual([]);
  });

  test('what is left of the gas for jettons is not a deposit', async () => {
    const to = lab.freshAddress();
    const excesses = beginCell().storeUint(0xd53276db, 32).storeUint(7, 64).endCell();
    lab.pay({ to, units: TON / 50n, body: excesses });
    await lab.mine();
    expect(await paidTo(scanner, [to])).toEqual([]);
  });
});

describe('deposits of jettons', () => {
  test('N5: a transfer that forwards nothing has no transaction at the owner, and is found on its jetton wallet', async () => {
    const to = lab.freshAddress();
    lab.payJetton({ to, units: 25_000_000n, forwardUnits: 0n });
    await lab.mine(2);
    expect(lab.chain.history(to)).toEqual([]);
    const wallet = lab.jetton.walletOf(lab.addressOf(to)).toRawString();
    const { hash, lt } = lab.last(wallet);
    expect(await paidTo(scanner, [to], 2)).toEqual([
      {
        txid: hash.toString('hex'),
        output: `lt:${lt}`,
        asset: USDT,
        to,
        from: PAYER.toRawString(),
        units: 25_000_000n,
        kind: 'payment',
      },
    ]);
    expect(lab.jettonsOf(to)).toBe(25_000_000n);
  });

  test('a transfer that tells its owner is one deposit, and the coins that come along are none', async () => {
    const to = lab.freshAddress();
    lab.payJetton({ to, units: 7_000_000n, forwardUnits: TON / 100n });
    await lab.mine(2);
    expect(lab.chain.history(to).length).toBe(1);
    expect(await paidTo(scanner, [to], 2)).toMatchObject([{ asset: USDT, units: 7_000_000n }]);
  });

  test('N2: a notification that no jetton wallet sent is nothing, whoever claims it', async () => {
    const to = lab.freshAddress();
    const body = notificationBody({ units: 10n ** 12n, from: PAYER });
    lab.pay({ to, units: 1n, body });
    lab.pay({ to, units: TON, body, from: lab.stranger.walletOf(lab.addressOf(to)) });
    await lab.mine();
    expect(await paidTo(scanner, [to])).toEqual([]);
  });

  test('N2: jettons of another master with the same code and name are nothing', async () => {
    const to = lab.freshAddress();
    lab.payJetton({ to, units: 5_000_000n, jetton: lab.stranger });
    await lab.mine(2);
    expect(lab.jettonsOf(to, lab.stranger)).toBe(5_000_000n);
    expect(await paidTo(scanner, [to], 2)).toEqual([]);
  });

  test('N2: the jetton wallet itself takes an internal transfer from nobody but its own kind', async () => {
    const to = lab.freshAddress();
    lab.payJetton({ to, units: 1n });
    await lab.mine(2);
    const wallet = lab.jetton.walletOf(lab.addressOf(to)).toRawString();
    const body = lab.internalTransfer({ units: 10n ** 9n, from: PAYER });
    lab.pay({ to: wallet, units: TON / 10n, body, from: PAYER });
    await lab.mine();
    expect(await paidTo(scanner, [to])).toEqual([]);
    expect(lab.jettonsOf(to)).toBe(1n);
  });

  test('N2: an account whose address begins, or ends, like our jetton wallet’s is not it', async () => {
    const to = lab.freshAddress();
    const ours = lab.jetton.walletOf(lab.addressOf(to)).hash;
    // Of how many bytes it differs from ours: four of a hash can be found by trying.
    const twins = [
      [4, 32],
      [4, 5],
      [31, 32],
      [0, 28],
      [0, 1],
    ].map(([from, end]) => {
      const bytes = ours.map((byte, at) => (at >= from! && at < end! ? ~byte : byte));
      return new Address(0, Buffer.from(bytes));
    });
    const body = lab.internalTransfer({ units: 10n ** 9n, from: PAYER });
    for (const twin of twins) {
      lab.place(twin, payableContract());
      lab.pay({ to: twin.toRawString(), units: TON, body });
    }
    await lab.mine();
    for (const twin of twins)
      expect(lab.last(twin.toRawString()).transaction.description).toMatchObject({
        computePhase: { success: true },
      });
    expect(await paidTo(scanner, [to, ...twins.map((twin) => twin.toRawString())])).not.toContainEqual(
      expect.objectContaining({ asset: USDT }),
    );
    // The same message to our own wallet, from another one of the jetton, is a deposit.
    lab.payJetton({ to, units: 10n ** 9n });
    await lab.mine();
    expect(await paidTo(scanner, [to])).toMatchObject([{ asset: USDT, to, units: 10n ** 9n }]);
  });

  test('N3: a jetton wallet that refuses, or has not enough gas, received nothing', async () => {
    const [locked, starved] = [lab.freshAddress(), lab.freshAddress()];
    const owner = lab.addressOf(locked);
    lab.place(lab.jetton.walletOf(owner), lab.jetton.walletState(owner, { status: RECEIVES_NOTHING }));
    lab.payJetton({ to: locked, units: 4n });
    lab.payJetton({ to: starved, units: 4n, attached: 1_000n });
    await lab.mine();
    expect(await paidTo(scanner, [locked, starved])).toEqual([]);
    expect([lab.jettonsOf(locked), lab.jettonsOf(starved)]).toEqual([0n, 0n]);
  });

  test('N4: one message in the shapes of several versions of the API has one key', async () => {
    const to = lab.freshAddress();
    lab.pay({ to, units: TON });
    lab.payJetton({ to, units: 9n });
    await lab.mine();
    const plain = await paidTo(scanner, [to]);
    expect(new Set(plain.map(({ txid, output }) => `${txid} ${output}`)).size).toBe(2);
    const hex = (base64: string): string => Buffer.from(base64, 'base64').toString('hex').toUpperCase();
    const shapes: Record<string, (tx: Listed) => Listed> = {
      'hashes in hex, numbers as numbers': (tx) => ({ ...tx, hash: hex(tx.hash), lt: Number(tx.lt) }),
      'hashes in base64 for URLs, friendly accounts': (tx) => ({
        ...tx,
        hash: tx.hash.replaceAll('+', '-').replaceAll('/', '_'),
        account: lab.addressOf(tx.account.toLowerCase()).toString(),
      }),
      'accounts without their workchain': (tx) => ({ ...tx, account: tx.account.slice(2) }),
    };
    for (const reshape of Object.values(shapes)) {
      lab.server.behave({
        answer: (method, _, result) =>
          method === 'getBlockTransactions'
            ? { ...(result as Listing), transactions: (result as Listing).transactions.map(reshape) }
            : undefined,
      });
      expect(await paidTo(scanner, [to])).toEqual(plain);
    }
    lab.server.behave({});
  });

  test('E9: a jetton whose decimals, master or wallets do not fit the catalog is not scanned, and is named', async () => {
    const told = async (contract: string, decimals: number) => {
      const other = tonScanner({
        chain: 'ton',
        network: lab.network,
        rpc: [lab.server.url],
        publicKey: lab.publicKey,
        nativeAsset: NATIVE,
        jettons: [{ asset: USDT, contract, decimals }],
        confirmations: 1,
        logger: recordingLogger(),
      });
      const faults = await other.unscannedAssets();
      await other.close();
      return faults.map(({ reason }) => reason.replace(/^0:\w+ /, ''));
    };
    const elsewhere = testJetton({ salt: 'told elsewhere', decimals: null });
    lab.place(elsewhere.minter, elsewhere.minterState);
    const { minter } = lab.jetton;
    expect(await told(minter.toString(), 6)).toEqual([]);
    expect(await told(elsewhere.minter.toString(), 6)).toEqual([]);
    expect(await told(minter.toString(), 9)).toEqual(['has 6 decimals, the catalog says 9']);
    expect(await told(lab.freshAddress(), 6)).toEqual(['is not a jetton on this chain']);
    lab.server.behave({
      answer: (method, params, result) =>
        method === 'runGetMethod' && params.method === 'get_wallet_address'
          ? { ...(result as object), stack: [['cell', { bytes: SOMEWHERE }]] }
          : undefined,
    });
    expect(await told(minter.toString(), 6)).toEqual([expect.stringMatching(/laid out in an unknown way/)]);
    lab.server.behave({});
  });
});

interface Listed {
  readonly account: string;
  readonly lt: string | number;
  readonly hash: string;
}

interface Listing {
  readonly transactions: readonly Listed[];
}

const SOMEWHERE = beginCell().storeAddress(PAYER).endCell().toBoc().toString('base64');
