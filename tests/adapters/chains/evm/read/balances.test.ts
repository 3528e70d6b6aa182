/**
 * Reconciliation asks for the balances of many addresses at once, and hears the same as by asking
 * for each.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { ChainSender } from '../../../../../src/ports/sending/chain-sender.ts';
import { anvilAvailable } from '../../../../support/evm/anvil.ts';
import { recordingLogger } from '../../../../support/evm/evm-lab.ts';
import { NATIVE, openSendingStage, type SendingStage } from '../../../../support/evm/evm-sending.ts';
import { needs } from '../../../../support/runtime/needs.ts';

/** The most that a transaction may take (EIP-7825). */
const TRANSACTION_GAS = '0x1000000';
const ASSETS = [NATIVE, 'usdc_ethereum', 'usdt_ethereum'];

describe.skipIf(!needs('anvil', anvilAvailable()))('balances of many EVM addresses', () => {
  let stage: SendingStage;
  let sender: ChainSender;
  let at: { height: number };
  let wallets: readonly string[];
  beforeAll(async () => {
    stage = await openSendingStage();
    const { lab, contracts, wallet } = stage;
    wallets = [wallet, ...Array.from({ length: 1_200 }, () => lab.freshAddress())];
    for (const [position, units] of [
      [1, 5n],
      [1_199, 7n],
    ] as const) {
      const to = wallets[position]!;
      await lab.send({ to, value: units });
      for (const token of Object.values(contracts))
        await lab.send({ to: token, data: lab.call('TetherLikeToken', 'transfer', [to, units]) });
    }
    at = { height: await lab.mine() };
    await lab.send({ to: wallets[2]!, value: 1n });
    await lab.mine();
    sender = stage.open();
    await sender.balances(wallet, ASSETS);
  });
  beforeEach(() => stage.proxy.behave({}));
  afterAll(() => stage.stop());

  test('are those of each, as of one block, for some calls an asset', async () => {
    const { block, units: told } = await sender.balancesOf!(wallets, ASSETS, at);
    // The block, the coin, and two of each token: 1,000 holders are asked for in one.
    expect(stage.proxy.asked.toSorted()).toEqual([...Array(5).fill('eth_call'), 'eth_getBlockByNumber']);
    expect([...told.keys()]).toEqual([...wallets]);
    for (const wallet of [wallets[0]!, wallets[1]!, wallets[2]!, wallets[1_199]!])
      expect(await sender.balances(wallet, ASSETS, at)).toEqual({ block, units: told.get(wallet)! });
    expect([...told.get(wallets[1_199]!)!.values()]).toEqual([7n, 7n, 7n]);
  });

  test('of the coin are asked for 5,000 at once, for less gas than a transaction may take', async () => {
    const { lab, proxy } = stage;
    const many = [...wallets, ...Array.from({ length: 8_799 }, () => lab.freshAddress())];
    expect(many.length).toBe(10_000);
    proxy.behave({
      instead: ({ method, params: [call, ...rest] }) =>
        method === 'eth_call'
          ? lab.anvil.rpc(method, [{ ...(call as object), gas: TRANSACTION_GAS }, ...rest])
          : undefined,
    });
    const { units: told } = await sender.balancesOf!(many, [NATIVE], at);
    expect(proxy.asked.toSorted()).toEqual(['eth_call', 'eth_call', 'eth_getBlockByNumber']);
    expect(told.get(wallets[1_199]!)!.get(NATIVE)).toBe(7n);
  });

  test('are not told where a contract answers none, and the node is not taken for faulty', async () => {
    const logger = recordingLogger();
    const own = stage.open({ logger });
    await own.balances(wallets[0]!, ASSETS, at);
    stage.proxy.behave({ answer: ({ method }) => (method === 'eth_call' ? '0x' : undefined) });
    await expect(own.balances(wallets[0]!, ASSETS, at)).rejects.toThrow('answers no balance: 0x');
    expect(logger.lines).toEqual([]);
  });

  test('are asked for one by one where a node knows no state overrides', async () => {
    const few = wallets.slice(0, 3);
    const told = await sender.balancesOf!(few, ASSETS, at);
    stage.proxy.behave({ refuse: ({ params }) => params.length === 3 });
    expect(await sender.balancesOf!(few, ASSETS, at)).toEqual(told);
  });
});
