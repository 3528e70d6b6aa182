/**
 * What a recipient's own code does to its trial: it may take more gas than a block has, too long,
 * or have the node refuse.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { isRevert } from '../../../../../src/adapters/chains/evm/send/gas.ts';
import { readUnsigned } from '../../../../../src/adapters/chains/evm/send/transaction.ts';
import { RpcError } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import { ChainUnavailable } from '../../../../../src/ports/chains/chain-scanner.ts';
import type { ChainSender } from '../../../../../src/ports/sending/chain-sender.ts';
import { type RpcProxy, startRpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { anvilAvailable } from '../../../../support/evm/anvil.ts';
import { gasBurner } from '../../../../support/evm/evm-burner.ts';
import { openSendingStage, type SendingStage } from '../../../../support/evm/evm-sending.ts';
import { needs } from '../../../../support/runtime/needs.ts';

const BLOCK_GAS = 30_000_000;
const TRANSACTION_GAS = 2 ** 24;
/** Ordinary payments are tried within it on a busy machine, too. */
const DEADLINE_MS = 1_000;

describe.skipIf(!needs('anvil', anvilAvailable()))('the trial of a payment on EVM', () => {
  let stage: SendingStage;
  let proxy: RpcProxy;
  let sender: ChainSender;
  beforeAll(async () => {
    stage = await openSendingStage();
    proxy = stage.proxy;
    sender = stage.open({ timing: { coolDownMs: 60_000, trialMs: 30_000 } });
  });
  beforeEach(() => proxy.behave({}));
  afterAll(() => stage.stop());

  const blockGas = async (gas: number): Promise<void> => {
    await stage.lab.anvil.rpc('evm_setBlockGasLimit', [`0x${gas.toString(16)}`]);
    await stage.lab.mine();
  };
  const burner = (gas: number) => gasBurner(stage.lab, gas);
  type Asked = { readonly method: string; readonly params: readonly unknown[] };
  const isAbout = (address: string) => (call: Asked) =>
    call.method === 'eth_estimateGas' && JSON.stringify(call.params).includes(address);

  test('G3: a payment that takes more gas than EIP-7825 gives a transaction is refused before it is signed', async () => {
    const order = await stage.orderOf({ to: await burner(TRANSACTION_GAS + 1_000_000) });
    await expect(sender.prepare(order, null)).rejects.toMatchObject({ because: 'undone' });
  });

  test('G3: a payment that takes more gas than a block has is refused, also by a node that heeds no limit', async () => {
    const order = await stage.orderOf({ to: await burner(9_000_000) });
    await sender.prepare(order, null);
    await blockGas(8_000_000);
    await expect(sender.prepare(order, null)).rejects.toMatchObject({ because: 'undone' });
    proxy.behave({ instead: ({ method }) => (method === 'eth_estimateGas' ? '0x895440' : undefined) });
    await expect(sender.prepare(order, null)).rejects.toMatchObject({
      because: 'undone',
      message: expect.stringContaining('9000000 gas'),
    });
    await blockGas(BLOCK_GAS);
  });

  test('G3: the room above the estimate ends at the most that a transaction may take', async () => {
    const order = await stage.orderOf({ to: await burner(15_000_000) });
    const { payload } = await sender.prepare(order, null);
    expect(readUnsigned(payload)!.gasLimit).toBe(BigInt(TRANSACTION_GAS));
  });

  test('G4: a payment that the node tries for too long, or refuses to try, is refused alone, and the node serves the others', async () => {
    const hard = await stage.orderOf();
    const { to } = hard.payments[0]!;
    const other = await stage.orderOf();
    const impatient = stage.open({ timing: { coolDownMs: 60_000, trialMs: DEADLINE_MS } });
    const { promise: whenever, resolve } = Promise.withResolvers<undefined>();
    for (const behaviour of [
      { answer: (call: Asked) => (isAbout(to)(call) ? whenever : undefined) },
      { refuse: isAbout(to) },
    ]) {
      proxy.behave(behaviour);
      await expect(impatient.prepare(hard, null)).rejects.toMatchObject({ because: 'untried' });
      await impatient.prepare(other, null);
    }
    resolve(undefined);
  });

  test('G4: a recipient that was quoted is tried with little more gas than that, so that nobody keeps a node busy with it', async () => {
    const dear = await burner(9_000_000);
    const given: bigint[] = [];
    const note = ({ params: [call] }: Asked) => void given.push(BigInt((call as { gas: string }).gas));
    proxy.behave({ answer: (call) => (isAbout(dear)(call) ? note(call) : undefined) });
    const order = await stage.orderOf({ to: dear, extraGas: 50_000n });
    await expect(sender.prepare(order, null)).rejects.toMatchObject({ because: 'cost' });
    expect(given.length).toBeGreaterThan(0);
    for (const gas of given) expect(gas).toBeLessThanOrEqual(21_000n + 50_000n + 1_000_000n);
  });

  test('G4: a recipient whose code is broken is refused for good, and not tried again and again', async () => {
    // JUMP of an empty stack, a jump to nowhere, and what is no instruction
    for (const code of ['0x56', '0x600356', '0x0c']) {
      const broken = await burner(0);
      await stage.lab.anvil.rpc('anvil_setCode', [broken, code]);
      const order = await stage.orderOf({ to: broken, extraGas: 0n });
      await expect(sender.prepare(order, null)).rejects.toMatchObject({ because: 'undone' });
    }
  });

  test.each([
    ['stack underflow (0 <=> 1)'],
    ['stack limit reached 1024 (1023)'],
    ['invalid jump destination'],
    ['return data out of bounds'],
    ['write protection'],
    ['EVM error: StackOverflow'],
    ['Bad instruction f1'],
  ])('G4: what nodes say of broken code is told from their own trouble: %s', (message) => {
    expect(isRevert(new RpcError(-32_000, message))).toBe(true);
    expect(isRevert(new RpcError(-32_000, 'the request took too long'))).toBe(false);
  });

  test('G4: a node that can try nothing at all is away, and no payment is to blame', async () => {
    proxy.behave({ refuse: ['eth_estimateGas'] });
    await expect(sender.prepare(await stage.orderOf(), null)).rejects.toThrow(ChainUnavailable);
  });

  test('G4: what one node cannot try another prepares', async () => {
    const order = await stage.orderOf();
    const second = await startRpcProxy(stage.lab.anvil.url);
    const both = stage.open({ rpc: [proxy.url, second.url] });
    const refuse = isAbout(order.payments[0]!.to);
    proxy.behave({ refuse });
    await both.prepare(order, null);
    second.behave({ refuse });
    await expect(both.prepare(order, null)).rejects.toMatchObject({ because: 'untried' });
    await second.stop();
  });
});
