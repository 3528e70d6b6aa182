/** What gas is to cost: the market as nodes tell it, and the laws of the fee fields. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  chooseFees,
  type GasMarket,
  presentPrice,
  readMarket,
  reservedPrice,
  usualPolicy,
} from '../../../../../src/adapters/chains/evm/send/fees.ts';
import { type GasFees, highestPrice } from '../../../../../src/adapters/chains/evm/send/transaction.ts';
import { RpcError } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import type { RpcNode } from '../../../../../src/adapters/chains/shared/nodes/rpc-node.ts';

const price = fc.bigInt({ min: 0n, max: 10n ** 13n });
const aMarket: fc.Arbitrary<GasMarket> = fc.oneof(
  fc.record({ kind: fc.constant('dynamic' as const), basePerGas: price, tipPerGas: price }),
  fc.record({ kind: fc.constant('legacy' as const), gasPrice: price }),
);
const someFees: fc.Arbitrary<GasFees> = fc.oneof(
  fc.record({ kind: fc.constant('legacy' as const), gasPrice: price }),
  fc.tuple(price, price).map(([tip, rest]) => {
    return { kind: 'dynamic', maxFeePerGas: tip + rest, maxPriorityFeePerGas: tip } as const;
  }),
);
const aLimit = fc.oneof(price, fc.constant(10n ** 15n));
const prices = (fees: GasFees): readonly [bigint, bigint] =>
  fees.kind === 'legacy' ? [fees.gasPrice, fees.gasPrice] : [fees.maxFeePerGas, fees.maxPriorityFeePerGas];

/** What a new transaction offers. */
const roomy = ({ basePerGas, tipPerGas }: { basePerGas: bigint; tipPerGas: bigint }) =>
  ({ kind: 'dynamic', maxFeePerGas: 2n * basePerGas + tipPerGas, maxPriorityFeePerGas: tipPerGas }) as const;

describe('the fee fields', () => {
  test('keep to ceiling and wallet, cover present prices, and outbid what they replace in both fields', () => {
    fc.assert(
      fc.property(
        aMarket,
        fc.option(someFees),
        fc.option(aLimit),
        aLimit,
        (market, replaced, ceilingPerGas, affordablePerGas) => {
          const chosen = chooseFees({ market, replaced, slow: false, ceilingPerGas, affordablePerGas });
          if ('lacking' in chosen) return;
          const { fees } = chosen;
          expect(fees.kind).toBe((replaced ?? market).kind);
          const [highest, tip] = prices(fees);
          expect(highest <= affordablePerGas && highest <= (ceilingPerGas ?? highest)).toBe(true);
          expect(tip <= highest && highest >= presentPrice(market)).toBe(true);
          if (market.kind === 'dynamic') expect(tip >= market.tipPerGas).toBe(true);
          if (replaced === null) return;
          for (const [position, before] of prices(replaced).entries()) {
            const after = prices(fees)[position]!;
            expect(after > before && after * 1_000n >= before * 1_125n).toBe(true);
          }
        },
      ),
    );
  });

  test('can always be found where neither ceiling nor wallet is in the way, and need no more than is reserved', () => {
    fc.assert(
      fc.property(aMarket, fc.option(someFees), (market, replaced) => {
        const free = { ceilingPerGas: null, affordablePerGas: 10n ** 15n };
        const chosen = chooseFees({ market, replaced, slow: false, ...free });
        if ('lacking' in chosen) throw new Error(`lacks ${chosen.lacking}`);
        const policy = { floorPerGas: 0n, ceilingPerGas: null };
        if (replaced === null)
          expect(highestPrice(chosen.fees)).toBeLessThanOrEqual(reservedPrice(market, policy));
      }),
    );
  });

  test('are raised for slowness until they offer twice the market, and no further', () => {
    fc.assert(
      fc.property(aMarket, (market) => {
        const options = { market, slow: true, ceilingPerGas: null, affordablePerGas: 10n ** 30n };
        let fees: GasFees | null = null;
        for (let replacements = 0; ; replacements += 1) {
          const chosen = chooseFees({ ...options, replaced: fees });
          if ('lacking' in chosen) {
            expect(chosen.lacking).toBe('patience');
            break;
          }
          fees = chosen.fees;
          expect(replacements).toBeLessThan(200);
        }
        if (fees === null) throw new Error('nothing was offered');
        const highestOffer = 3n * highestPrice(market.kind === 'legacy' ? market : roomy(market)) + 3n;
        expect(highestPrice(fees)).toBeLessThan(highestOffer);
      }),
    );
  });

  test('leave room for a doubled base fee, and less where the ceiling or the wallet ends', () => {
    const market = { kind: 'dynamic', basePerGas: 80n, tipPerGas: 10n } as const;
    const chosen = (ceilingPerGas: bigint | null, affordablePerGas: bigint) =>
      chooseFees({ market, replaced: null, slow: false, ceilingPerGas, affordablePerGas });
    const fees = (maxFeePerGas: bigint) => ({
      fees: { kind: 'dynamic', maxFeePerGas, maxPriorityFeePerGas: 10n } as const,
    });
    expect(chosen(null, 1_000n)).toEqual(fees(170n));
    expect(chosen(150n, 1_000n)).toEqual(fees(150n));
    expect(chosen(150n, 120n)).toEqual(fees(120n));
    expect(chosen(100n, 100n)).toEqual(fees(100n));
    expect(chosen(99n, 1_000n)).toEqual({ lacking: 'ceiling' });
    expect(chosen(null, 99n)).toEqual({ lacking: 'money' });
  });
});

describe('the market', () => {
  const hex = (value: bigint | number): string => `0x${value.toString(16)}`;
  /** A node that answers these methods and refuses the rest. */
  const nodeWith = (answers: Readonly<Record<string, unknown>>): RpcNode => {
    const outcome = (method: string) =>
      Object.hasOwn(answers, method)
        ? { result: answers[method] }
        : { error: new RpcError(-32_601, `${method} is not available`) };
    return {
      label: 'node 1',
      outcomes: async (calls) => calls.map(({ method }) => outcome(method)),
      call: () => Promise.reject(new Error('not asked here')),
      batch: () => Promise.reject(new Error('not asked here')),
    };
  };
  const block = { eth_getBlockByNumber: { baseFeePerGas: hex(100), gasLimit: hex(30_000_000) } };
  const marketOf = async (node: RpcNode, floor: bigint) => (await readMarket(node, floor)).market;

  test('is the next base fee, and the median tip of the blocks that had transactions', async () => {
    const node = nodeWith({
      ...block,
      eth_feeHistory: {
        baseFeePerGas: [90, 95, 99, 100, 112].map(hex),
        gasUsedRatio: [0.5, 0, 0.9, 0.2],
        reward: [[hex(7)], [hex(0)], [hex(900)], [hex(9)]],
      },
    });
    expect(await marketOf(node, 1n)).toEqual({ kind: 'dynamic', basePerGas: 112n, tipPerGas: 9n });
    expect(await marketOf(node, 50n)).toMatchObject({ tipPerGas: 50n });
  });

  test('of blocks without transactions has the floor for a tip', async () => {
    const node = nodeWith({
      ...block,
      eth_feeHistory: { baseFeePerGas: [hex(100), hex(88)], gasUsedRatio: [0], reward: [[hex(0)]] },
    });
    expect(await marketOf(node, 3n)).toEqual({ kind: 'dynamic', basePerGas: 100n, tipPerGas: 3n });
  });

  test('of a node without fee history has the tip that it suggests, or the floor', async () => {
    const suggesting = nodeWith({ ...block, eth_maxPriorityFeePerGas: hex(5) });
    expect(await marketOf(suggesting, 1n)).toEqual({ kind: 'dynamic', basePerGas: 100n, tipPerGas: 5n });
    expect(await marketOf(nodeWith(block), 1n)).toMatchObject({ tipPerGas: 1n });
  });

  test('of a chain without base fees is its gas price, and unknown when the node tells none', async () => {
    const legacy = { eth_getBlockByNumber: { number: '0x1', gasLimit: '0x1' } };
    const priced = nodeWith({ ...legacy, eth_gasPrice: hex(2) });
    expect(await marketOf(priced, 1n)).toEqual({ kind: 'legacy', gasPrice: 2n });
    expect(await marketOf(priced, 4n)).toEqual({ kind: 'legacy', gasPrice: 4n });
    await expect(readMarket(nodeWith(legacy), 1n)).rejects.toThrow(RpcError);
  });

  test('has a floor and a ceiling on every chain; a chain without them is refused', () => {
    expect(usualPolicy('polygon')).toEqual({
      floorPerGas: 25_000_000_000n,
      ceilingPerGas: 10_000_000_000_000n,
    });
    expect(() => usualPolicy('constructor')).toThrow('no such chain: constructor');
    expect(() => usualPolicy('bitcoin')).toThrow('not an EVM chain: bitcoin');
  });
});
