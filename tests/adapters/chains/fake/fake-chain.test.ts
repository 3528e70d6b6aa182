/**
 * The fake chain keeps the contracts of deriver and scanner, and its controller does what testers
 * are promised.
 */
import { describe, expect, test } from 'bun:test';
import { fakeChain } from '../../../../src/adapters/chains/fake/fake-chain.ts';
import { fakeDeriver } from '../../../../src/adapters/chains/fake/fake-deriver.ts';
import type { Transfer } from '../../../../src/ports/chains/chain-scanner.ts';
import { describeAddressDeriver } from '../../../contracts/chains/address-deriver.ts';
import { describeChainScanner, type ScannerCase } from '../../../contracts/chains/chain-scanner.ts';
import { watching } from '../../../support/chains/watch-list.ts';

const FAMILIES = ['evm', 'bitcoin', 'litecoin', 'bitcoincash', 'tron', 'solana', 'xrp', 'ton', 'monero'];
const START_SECONDS = 1_700_000_000;
const clock = { now: () => new Date(START_SECONDS * 1000) };

/** Real addresses: the shapes must take them, each in its own family only. */
const REAL: Readonly<Record<string, readonly string[]>> = {
  evm: ['0xdAC17F958D2ee523a2206206994597C13D831ec7', '0xdac17f958d2ee523a2206206994597c13d831ec7'],
  bitcoin: [
    '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
    'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
  ],
  litecoin: ['MQMcJhpWHYVeQArcZR3sBgyPZxxRtnH441'],
  bitcoincash: [
    'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
    'qr95sy3j9xwd2ap32xkykttr4cvcu7as4y0qverfuy',
  ],
  tron: ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  solana: ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
  xrp: ['rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'],
  ton: ['EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N'],
  monero: ['44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A'],
};

for (const family of FAMILIES) {
  const others = FAMILIES.filter((other) => other !== family);
  describeAddressDeriver(`fake ${family}`, () => ({
    deriver: fakeDeriver({ family }),
    twin: fakeDeriver({ family }),
    notAddresses: others.flatMap((other) => [
      fakeDeriver({ family: other }).derive({ from: 1, count: 1 })[0]!,
      ...REAL[other]!,
    ]),
  }));
}

describe('fake deriver', () => {
  test('every fake address says that it is one', () => {
    for (const family of FAMILIES)
      for (const address of fakeDeriver({ family }).derive({ from: 0, count: 50 }))
        expect(address.slice(0, 18).toLowerCase()).toMatch(/fa[k4]e/);
  });

  test('real addresses of the family are understood', () => {
    for (const family of FAMILIES)
      for (const address of REAL[family]!) expect(fakeDeriver({ family }).normalize(address)).not.toBeNull();
  });

  test('a family nobody knows is a wiring bug', () => {
    expect(() => fakeDeriver({ family: 'dogecoin' })).toThrow('dogecoin');
    expect(() => fakeDeriver({ family: 'constructor' })).toThrow('constructor');
  });
});

const bitcoin = () =>
  fakeChain({
    chain: 'bitcoin',
    family: 'bitcoin',
    assets: [{ asset: 'btc_bitcoin', decimals: 8 }],
    clock,
    confirmations: 2,
  });
const [customer, thief] = fakeDeriver({ family: 'bitcoin' }).derive({ from: 0, count: 2 }) as [
  string,
  string,
];

const scannerOf = (sparse: boolean) => async (): Promise<ScannerCase> => {
  const { scanner, control } = fakeChain({
    sparse,
    chain: 'ethereum',
    family: 'evm',
    assets: [
      { asset: 'eth_ethereum', decimals: 18 },
      { asset: 'usdt_ethereum', decimals: 6 },
    ],
    clock,
    confirmations: 3,
  });
  const deriver = fakeDeriver({ family: 'evm' });
  let addressesUsed = 0;
  control.mine(60);
  return {
    scanner,
    several: scanner,
    shows: 'all of it',
    confirmations: 3,
    assets: ['eth_ethereum', 'usdt_ethereum'],
    showsPending: true,
    unknownTxid: 'f'.repeat(64),
    freshAddress: () => deriver.normalize(deriver.derive({ from: addressesUsed++, count: 1 })[0]!)!,
    pay: async (payment) => control.pay(payment),
    mine: async (count) => control.mine(count),
    reorg: async (depth) => control.reorg(depth),
    outage: async (on) => control.fail(on),
    close: () => scanner.close(),
  };
};
describeChainScanner('fake', scannerOf(false));
describeChainScanner('fake, with empty blocks left out', scannerOf(true));

describe('fake chain controller', () => {
  const pay = { to: customer, asset: 'btc_bitcoin', units: 10_000n };
  const received = async ({ scanner }: ReturnType<typeof bitcoin>, to: string) => {
    const { tip } = await scanner.head();
    const blocks = await scanner.blocks({ from: 0, to: tip.height }, watching([to]));
    return blocks.flatMap((block) =>
      block.transfers.map((transfer) => ({ ...transfer, height: block.height })),
    );
  };

  test('the same orders make the same chain', async () => {
    const make = async () => {
      const chain = bitcoin();
      chain.control.pay(pay);
      chain.control.mine(2);
      chain.control.reorg(1);
      return chain.scanner.blocks({ from: 0, to: 2 }, watching([customer]));
    };
    expect(await make()).toEqual(await make());
  });

  test('a dropped payment is gone until it is sent again', async () => {
    const chain = bitcoin();
    const { txid } = chain.control.pay(pay);
    chain.control.drop(txid);
    chain.control.mine();
    expect(await chain.scanner.lookup(txid)).toEqual({ state: 'unknown' });
    expect(await received(chain, customer)).toEqual([]);
    expect(() => chain.control.drop(txid)).toThrow(txid);
    chain.control.sendAgain(txid);
    expect(() => chain.control.sendAgain(txid)).toThrow(txid);
    chain.control.mine();
    expect(await received(chain, customer)).toHaveLength(1);
    expect(() => chain.control.sendAgain(txid)).toThrow(txid);
  });

  test('U4, U6, U8: locks are told with the block, tokens at once, and other payments have neither', async () => {
    const chain = bitcoin();
    chain.control.payMany([{ ...pay, matureAfter: 100 }, { ...pay, encumbered: true }, pay]);
    const marks = (transfers: readonly Transfer[] | null) =>
      transfers?.map(({ lockedUntil = null, encumbered = false }) => [lockedUntil, encumbered]);
    const none = [null, false];
    const waiting = await chain.scanner.pending(watching([customer]));
    expect(marks(waiting)).toEqual([none, [null, true], none]);
    chain.control.mine();
    expect(marks(await received(chain, customer))).toEqual([[101, false], [null, true], none]);
  });

  test('a double spend replaces a waiting payment', async () => {
    const chain = bitcoin();
    const first = chain.control.pay(pay);
    const rival = chain.control.doubleSpend(first.txid, { to: thief });
    chain.control.mine();
    expect(await chain.scanner.lookup(first.txid)).toEqual({ state: 'unknown' });
    expect(await received(chain, customer)).toEqual([]);
    expect(await received(chain, thief)).toMatchObject([{ txid: rival.txid, units: 10_000n }]);
  });

  test('a double spend of a mined payment reorganises it away and leaves the others', async () => {
    const chain = bitcoin();
    const first = chain.control.pay(pay);
    const other = chain.control.pay({ ...pay, units: 7n });
    chain.control.mine(3);
    const rival = chain.control.doubleSpend(first.txid, { to: thief });
    expect(await received(chain, customer)).toMatchObject([{ txid: other.txid, units: 7n }]);
    expect(await received(chain, thief)).toMatchObject([{ txid: rival.txid }]);
    expect((await chain.scanner.head()).tip.height).toBe(3);
  });

  test('a reorganisation keeps, requeues or forgets as told, and the key of what stays is the same', async () => {
    const chain = bitcoin();
    const [kept, requeued, forgotten] = [1n, 2n, 3n].map(
      (units) => chain.control.pay({ ...pay, units }).txid,
    );
    chain.control.mine(2);
    const before = await received(chain, customer);
    chain.control.reorg(2, { keep: [kept!], requeue: [requeued!] });
    expect(await received(chain, customer)).toEqual([before[0]!]);
    expect(await chain.scanner.lookup(requeued!)).toEqual({ state: 'pending' });
    expect(await chain.scanner.lookup(forgotten!)).toEqual({ state: 'unknown' });
    chain.control.mine();
    expect(await received(chain, customer)).toEqual([before[0]!, { ...before[1]!, height: 3 }]);
    expect(() => chain.control.reorg(4)).toThrow(RangeError);
  });

  test('several outputs of one transaction are several transfers', async () => {
    const chain = bitcoin();
    const { txid } = chain.control.payMany([pay, pay, { ...pay, to: thief, from: null }]);
    chain.control.mine();
    expect((await received(chain, customer)).map(({ output }) => output)).toEqual(['vout:0', 'vout:1']);
    expect(await received(chain, thief)).toMatchObject([{ txid, output: 'vout:2', from: null }]);
  });

  test('money can appear without a transaction', async () => {
    const chain = bitcoin();
    chain.control.appear(pay);
    chain.control.mine();
    const [found] = await received(chain, customer);
    expect(found).toMatchObject({ kind: 'unexplained', txid: 'balance:bitcoin:1', units: 10_000n });
    expect(await chain.scanner.lookup(found!.txid)).toMatchObject({ state: 'mined', height: 1 });
  });

  test('block time is the clock, or what the tester sets, and never runs backwards', async () => {
    const chain = bitcoin();
    const time = async () => (await chain.scanner.head()).tip.time;
    chain.control.mine();
    expect(await time()).toBe(START_SECONDS);
    chain.control.setTime(START_SECONDS + 500);
    chain.control.mine(2);
    expect(await time()).toBe(START_SECONDS + 500);
    chain.control.setTime(null);
    chain.control.mine();
    expect(await time()).toBe(START_SECONDS + 500);
  });

  test('A3: nodes told to disagree agree on nothing', async () => {
    const { scanner, control } = bitcoin();
    const { tip } = await scanner.head();
    control.mine();
    control.disagree(true);
    expect(await scanner.confirmWithNodes(tip, [])).toMatchObject({ kind: 'disputed' });
    control.disagree(false);
    expect(await scanner.confirmWithNodes(tip, [])).toMatchObject({ kind: 'agreed' });
  });

  test('orders that make no sense are mistakes of the test', () => {
    const { control } = bitcoin();
    expect(() => control.pay({ ...pay, asset: 'eth_ethereum' })).toThrow('eth_ethereum');
    expect(() => control.pay({ ...pay, units: 0n })).toThrow(RangeError);
    expect(() => control.pay({ ...pay, to: 'nowhere' })).toThrow('nowhere');
    expect(() => control.mine(0)).toThrow(RangeError);
    expect(() => control.doubleSpend('f'.repeat(64), { to: thief })).toThrow('does not know');
  });
});
