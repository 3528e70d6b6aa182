/**
 * What the network takes is booked to the last base unit, when a block took it and when that block
 * is gone: every account and amount, for whatever can leave a wallet. What a merchant is charged,
 * and what stays with the operator, follows from it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hotWalletOf } from '../../../src/app/sending/sending-chain.ts';
import { openPostingsStage, type PostingsStage } from '../../support/ledger/postings-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const opposite = ([kind = '', ...postings]: readonly string[], reversal = kind): string[] => [
  reversal,
  ...postings.map((line) => line.replace(/-?\d+$/, (amount) => String(-BigInt(amount)))),
];

/**
 * What happens to the block of a payment, the coin's price then, and what is booked: of its payout,
 * and of its transfer.
 */
type Happening = readonly [
  what: 'mined' | 'mined without effect' | 'its block goes, it waits' | 'its block goes, another has it',
  usd: string,
  payout: readonly (readonly string[])[],
  transfer: readonly (readonly string[])[],
];

describe.skipIf(!needs('postgres', postgresAvailable()))('what the network took, on ethereum', () => {
  let stage: PostingsStage;
  beforeAll(async () => {
    stage = await openPostingsStage('ethereum', 'eth_ethereum');
  });
  afterAll(() => stage.journey.close());

  const [ETH, USDT] = ['eth_ethereum', 'usdt_ethereum'];
  const took = (wei: string, microUsd: number) => [
    ...['network_fee', `treasury ${ETH} -${wei}`, `trading ${ETH} ${wei}`],
    ...[`trading USD -${microUsd}`, `network_fees USD ${microUsd}`],
  ];
  const back = (fee: readonly string[]) => opposite(fee, 'network_fee_reversed');
  /**
   * 0.0000715 ETH for a transfer of tokens: 0.143000000715 USD when the coin is dear, and half when
   * it is cheap.
   */
  const [DEAR, CHEAP] = ['2000.00001', '1000'];
  const FEE = took('71500000000000', 143_001);
  const CHEAP_FEE = took('71500000000000', 71_500);
  /** What moves nothing takes less, and outbids what it replaces by a tenth of its tip. */
  const CHEAP_VOID = took('23310000000000', 23_310);

  /** Entries about 5 USDT, and 0.143 USD that were quoted for the fee. */
  const of = (kind: 'payout' | 'refund') => {
    const account = `${kind}s_in_flight USD`;
    const ordered = (as: string) => [as, 'merchant USD 5143000', `${account} -5143000`];
    const paid = [
      ...[`${kind}_settled`, `${account} 5143000`, 'network_fees USD -143000', 'trading USD -5000000'],
      ...[`trading ${USDT} 5000000`, `treasury ${USDT} -5000000`],
    ];
    const charged = [`${kind}_fee_charged`, 'merchant USD 143001', 'network_fees USD -143001'];
    const first = kind === 'payout' ? 'payout_reserved' : 'refund';
    return {
      ordered: ordered(first),
      retaken: ordered('payout_retaken'),
      released: opposite(ordered(kind === 'payout' ? 'payout_released' : 'refund_reversed')),
      paid,
      unpaid: opposite(paid, `${kind}_unsettled`),
      charged,
      returned: opposite(charged, `${kind}_fee_returned`),
      chargedForVoid: [`${kind}_fee_charged`, 'merchant USD 23310', 'network_fees USD -23310'],
    };
  };
  const [PAYOUT, REFUND] = [of('payout'), of('refund')];

  const CASES: readonly {
    readonly name: string;
    readonly order: (to: string) => Promise<string>;
    readonly ordered: readonly string[];
    readonly happens: readonly Happening[];
  }[] = [
    {
      name: 'a payout: its fee is booked, taken back with its block, and booked at the price of the next one',
      order: (to) => stage.payout(to),
      ordered: PAYOUT.ordered,
      happens: [
        ['mined', DEAR, [PAYOUT.paid], [FEE]],
        ['its block goes, it waits', CHEAP, [PAYOUT.unpaid], [back(FEE)]],
        ['mined', CHEAP, [PAYOUT.paid], [CHEAP_FEE]],
        ['its block goes, another has it', DEAR, [PAYOUT.unpaid, PAYOUT.paid], [back(CHEAP_FEE), FEE]],
      ],
    },
    {
      name: 'a payout whose fee is taken out of it: the treasury gives what is sent',
      order: (to) => stage.payout(to, { fee_bearer: 'client' }),
      ordered: ['payout_reserved', 'merchant USD 5000000', 'payouts_in_flight USD -5000000'],
      happens: [
        [
          ...(['mined', DEAR] as const),
          [
            [
              ...['payout_settled', 'payouts_in_flight USD 5000000', 'network_fees USD -143000'],
              ...['trading USD -4857000', `trading ${USDT} 4857000`, `treasury ${USDT} -4857000`],
            ],
          ],
          [FEE],
        ],
      ],
    },
    {
      name: 'a refund: as a payout',
      order: (to) => stage.refund(to),
      ordered: REFUND.ordered,
      happens: [
        ['mined', DEAR, [REFUND.paid], [FEE]],
        ['its block goes, another has it', CHEAP, [REFUND.unpaid, REFUND.paid], [back(FEE), CHEAP_FEE]],
      ],
    },
    {
      name: "G2: a payout without effect: the fee is its merchant's, and so is what gives its nonce up later",
      order: (to) => stage.payout(to),
      ordered: PAYOUT.ordered,
      happens: [
        ['mined without effect', DEAR, [PAYOUT.released, PAYOUT.charged], [FEE]],
        ['its block goes, it waits', CHEAP, [PAYOUT.returned], [back(FEE)]],
        ['mined', CHEAP, [PAYOUT.chargedForVoid], [CHEAP_VOID]],
      ],
    },
    {
      name: 'G2: a payout without effect that has it on another branch: paid after all, for what was quoted',
      order: (to) => stage.payout(to),
      ordered: PAYOUT.ordered,
      happens: [
        ['mined without effect', DEAR, [PAYOUT.released, PAYOUT.charged], [FEE]],
        [
          ...(['its block goes, another has it', CHEAP] as const),
          [PAYOUT.returned, PAYOUT.retaken, PAYOUT.paid],
          [back(FEE), CHEAP_FEE],
        ],
      ],
    },
    {
      name: "G2: a refund without effect: the fee is its merchant's, and so is what gives its nonce up later",
      order: (to) => stage.refund(to),
      ordered: REFUND.ordered,
      happens: [
        ['mined without effect', DEAR, [REFUND.released, REFUND.charged], [FEE]],
        ['its block goes, it waits', CHEAP, [REFUND.returned], [back(FEE)]],
        ['mined', CHEAP, [REFUND.chargedForVoid], [CHEAP_VOID]],
      ],
    },
  ];

  for (const { name, order, ordered, happens } of CASES)
    test(name, async () => {
      const to = stage.stranger();
      const id = await order(to);
      await stage.step();
      const { id: transferId } = await stage.transferOf(id);
      const [txid = ''] = stage.waiting();
      const [payout, transfer] = [[ordered], [] as (readonly string[])[]];
      for (const [what, usd, ofPayout, ofTransfer] of happens) {
        stage.price(usd);
        if (what === 'its block goes, it waits') stage.journey.chain().reorg(33, { requeue: [txid] });
        else if (what === 'its block goes, another has it') stage.journey.chain().reorg(33, { keep: [txid] });
        else {
          if (what === 'mined without effect') stage.journey.chain().revertNext(to);
          await stage.mine();
        }
        await stage.step();
        payout.push(...ofPayout);
        transfer.push(...ofTransfer);
        expect(await stage.entriesOf(id)).toEqual(payout);
        expect(await stage.entriesOf(transferId)).toEqual(transfer);
        await stage.journey.booksAreRight();
      }
      await stage.mine(1);
      await stage.booksAndChainAgree();
    });

  test("a sweep and the gas for it: both fees are the operator's, and go and come with their blocks", async () => {
    stage.price(DEAR);
    const gas = await stage.sweepAStep('topup');
    const sweep = await stage.sweepAStep('sweep');
    const GAS_FEE = took('23100000000000', 46_201);
    const booked = async () => [await stage.entriesOf(gas.id), await stage.entriesOf(sweep.id)];
    expect(await booked()).toEqual([[GAS_FEE], [FEE]]);
    await stage.booksAndChainAgree();

    stage.price(CHEAP);
    stage.journey.chain().reorg(66, { requeue: [gas.txid, sweep.txid] });
    await stage.step();
    expect(await booked()).toEqual([
      [GAS_FEE, back(GAS_FEE)],
      [FEE, back(FEE)],
    ]);
    await stage.mine();
    await stage.mine();
    expect(await booked()).toEqual([
      [GAS_FEE, back(GAS_FEE), took('23100000000000', 23_100)],
      [FEE, back(FEE), CHEAP_FEE],
    ]);
    await stage.booksAndChainAgree();
  });
});

describe.skipIf(!needs('postgres', postgresAvailable()))('what the network took, on solana', () => {
  let stage: PostingsStage;
  beforeAll(async () => {
    stage = await openPostingsStage('solana', 'sol_solana');
  });
  afterAll(() => stage.journey.close());

  test("a sweep that the hot wallet pays for: its fee is the hot wallet's, with its effect and without", async () => {
    const [sol, token] = ['sol_solana', 'usdt_solana'];
    const { on, deps, swept } = stage;
    const hot = hotWalletOf(on);
    const unitsAt = async (wallet: string) => {
      const { units } = await on.sender.balances(wallet, [sol, token]);
      return [units.get(sol), units.get(token)];
    };
    const [before = 0n, tokens = 0n] = await unitsAt(hot);
    const took = (microUsd: number) => [
      ...['network_fee', `treasury ${sol} -71500`, `trading ${sol} 71500`],
      ...[`trading USD -${microUsd}`, `network_fees USD ${microUsd}`],
    ];
    stage.price('150.00001');
    const sweep = await stage.sweepAStep('sweep');
    const stored = async () => (await deps.unitOfWork.run((r) => r.outgoing.find([sweep.id])))[0];
    expect(await stored()).toMatchObject({ status: 'confirmed', feeUnits: 71_500n, hotFeeUnits: 71_500n });
    expect(await unitsAt(hot)).toEqual([before - 71_500n, tokens + 1_010_000_000n]);
    expect(await unitsAt(swept)).toEqual([0n, 0n]);
    expect(await stage.entriesOf(sweep.id)).toEqual([took(10_726)]);
    await stage.booksAndChainAgree();

    stage.price('100');
    stage.journey.chain().reorg(33, { revert: [sweep.txid] });
    await stage.step();
    expect(await stored()).toMatchObject({ status: 'failed', feeUnits: 71_500n, hotFeeUnits: 71_500n });
    expect(await unitsAt(hot)).toEqual([before - 71_500n, tokens]);
    expect(await stage.entriesOf(sweep.id)).toEqual([
      took(10_726),
      opposite(took(10_726), 'network_fee_reversed'),
      took(7_150),
    ]);
    await stage.mine(1);
    await stage.booksAndChainAgree();
  });
});
