/**
 * T1 to T6 of the safety catalogue on the test server, and what contracts pay or pretend to pay in
 * the coin.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { addressHex } from '../../../../src/adapters/chains/tron/address.ts';
import { type TronScannerOptions, tronScanner } from '../../../../src/adapters/chains/tron/read/scanner.ts';
import type { ChainScanner, ScannedBlock, Transfer } from '../../../../src/ports/chains/chain-scanner.ts';
import { watching } from '../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../support/evm/evm-lab.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';
import { openTronLab, TOKEN_SUPPLY, type TronLab } from '../../../support/tron/lab.ts';
import { TRX } from '../../../support/tron/parameters.ts';
import { relisted } from '../../../support/tron/relisted.ts';

describe('what Tron credits', () => {
  let lab: TronLab;
  let scanner: ChainScanner;
  const opened: ChainScanner[] = [];
  const open = (changes: Partial<TronScannerOptions> = {}): ChainScanner => {
    const made = tronScanner({
      chain: 'tron',
      network: 'main',
      rpc: [lab.server.node.url],
      asset: 'trx_tron',
      tokens: [{ asset: 'usdt_tron', contract: lab.contracts.usdt, decimals: 6 }],
      confirmations: null,
      logger: silentLogger,
      ...changes,
    });
    opened.push(made);
    return made;
  };
  beforeAll(async () => {
    lab = await openTronLab();
    scanner = open();
  });
  afterAll(async () => {
    for (const each of opened) await each.close();
    await lab.server.stop();
  });

  async function minedBlock(addresses: readonly string[], by = scanner): Promise<ScannedBlock> {
    const height = await lab.mine();
    const [block] = await by.blocks({ from: height, to: height }, watching(addresses));
    return block!;
  }
  const paid = async (...addresses: readonly string[]): Promise<readonly Transfer[]> =>
    (await minedBlock(addresses)).transfers;
  const resultOf = (txid: string): string => lab.server.chain.find(txid)!.entry.contractRet;
  const router = (method: string, args: readonly unknown[], value: bigint): Promise<string> =>
    lab.trigger(lab.contracts.router, { name: 'Router', method, args, value });

  test('T1: a transaction that was reverted, or ran out of energy, pays nothing although its data says so', async () => {
    const to = lab.freshAddress();
    const reverted = await lab.payToken('usdt', to, TOKEN_SUPPLY + 1n);
    const poor = await lab.party();
    await lab.payToken('usdt', poor.address, 10n ** 9n);
    await lab.payTrx(lab.customer.address, 9_999n * TRX, poor);
    await lab.mine();
    const starved = await lab.payToken('usdt', to, 1_000n, poor);
    expect(await paid(to)).toEqual([]);
    expect([resultOf(reverted), resultOf(starved)]).toEqual(['REVERT', 'OUT_OF_ENERGY']);
  });

  test('T1: a block and a node that disagree about success pay nothing', async () => {
    const to = lab.freshAddress();
    await lab.payToken('usdt', to, 1_000n);
    const failed = { result: 'FAILED', receipt: { result: 'REVERT' } };
    lab.server.node.behave({
      answer: (path, _question, given) =>
        path.endsWith('infobyblocknum')
          ? (given as object[]).map((info) => ({ ...info, ...failed }))
          : undefined,
    });
    expect(await paid(to)).toEqual([]);
    lab.server.node.behave({});
  });

  test('T2: a Transfer event of another contract named USDT pays nothing', async () => {
    const to = lab.freshAddress();
    const spoof = { name: 'SpoofingToken', args: [lab.customer.address, to, 1_000_000n] } as const;
    for (const method of ['spoof', 'spoofShape'])
      await lab.trigger(lab.contracts.spoofing, { ...spoof, method });
    await lab.payToken('usdc', to, 5_000_000n);
    expect(await paid(to)).toEqual([]);
    const listed = open({ tokens: [{ asset: 'usdt_tron', contract: lab.contracts.spoofing, decimals: 6 }] });
    await lab.trigger(lab.contracts.spoofing, { ...spoof, method: 'spoofShape' });
    expect((await minedBlock([to], listed)).transfers).toEqual([]);
  });

  test('T3: a TRC-10 token pays nothing, whatever its name', async () => {
    const to = lab.freshAddress();
    const asset_name = Buffer.from('1000001').toString('hex');
    const value = { to_address: addressHex(to), amount: 25_000_000, asset_name };
    const txid = await lab.send({ type: 'TransferAssetContract', value });
    expect(await paid(to)).toEqual([]);
    expect(resultOf(txid)).toBe('SUCCESS');
  });

  test('T4: a payment is seen at once, and final when its block is solidified', async () => {
    const to = lab.freshAddress();
    const txid = await lab.payToken('usdt', to, 25_000_000n);
    const { height, transfers } = await minedBlock([to]);
    expect(transfers).toMatchObject([{ txid, to, units: 25_000_000n, asset: 'usdt_tron', kind: 'payment' }]);
    expect((await scanner.head()).finalizedHeight).toBe(height - 2);
    await lab.mine(2);
    expect((await scanner.head()).finalizedHeight).toBe(height);
  });

  test('T5: an address of ours whose permissions changed is frozen, and only it', async () => {
    const [victim, stranger, thief] = [await lab.party(), await lab.party(), await lab.party()];
    for (const each of [victim, stranger]) await lab.changePermissions(each, thief);
    const changed = await minedBlock([victim.address, thief.address]);
    expect(changed.frozen).toEqual([victim.address]);
    await lab.payTrx(victim.address, 5n);
    expect(await minedBlock([victim.address])).not.toHaveProperty('frozen');
    // The network itself takes the owner's key no more.
    await expect(lab.payTrx(thief.address, 5n, victim)).rejects.toThrow('is not contained of permission');
  });

  test('T5: a change of permissions that failed freezes nothing', async () => {
    const [poor, thief] = [await lab.party(), await lab.party()];
    await lab.changePermissions(poor, thief);
    lab.server.node.behave({
      answer: (path, _question, given) => {
        if (!path.endsWith('getblockbylimitnext')) return undefined;
        type Listed = Parameters<typeof relisted>[0] & { transactions: object[] };
        const { block } = given as { block: Listed[] };
        const failed = ({ transactions }: Listed) => transactions.map((each) => ({ ...each, ret: [{}] }));
        return { block: block.map((each) => relisted(each, failed(each))) };
      },
    });
    expect(await minedBlock([poor.address])).not.toHaveProperty('frozen');
    lab.server.node.behave({});
  });

  test('T6: what `transfer` returns says nothing: the log does', async () => {
    const to = lab.freshAddress();
    const works = await lab.payToken('usdt', to, 7n);
    expect(await paid(to)).toMatchObject([
      { txid: works, units: 7n, output: `log:${lab.contracts.usdt}:${to}:0` },
    ]);
    const said = String(lab.server.chain.find(works)?.entry.info.contractResult);
    expect(BigInt(`0x${said}`)).toBe(0n);
    await lab.set(lab.contracts.usdt, 'TronTetherToken', 'setFailing', [true]);
    const silent = await lab.payToken('usdt', to, 7n);
    expect(await paid(to)).toEqual([]);
    expect(resultOf(silent)).toBe('SUCCESS');
    await lab.set(lab.contracts.usdt, 'TronTetherToken', 'setFailing', [false]);
  });

  test('a fee on transfers is not credited, and a token with other decimals than the catalog says is not scanned', async () => {
    const to = lab.freshAddress();
    await lab.set(lab.contracts.usdt, 'TronTetherToken', 'setFee', [100]);
    await lab.payToken('usdt', to, 1_000n);
    expect(await paid(to)).toMatchObject([{ units: 990n }]);
    await lab.set(lab.contracts.usdt, 'TronTetherToken', 'setFee', [0]);
    const logger = recordingLogger();
    const wrong = open({
      logger,
      tokens: [
        { asset: 'usdt_tron', contract: lab.contracts.usdt, decimals: 18 },
        { asset: 'dai_tron', contract: lab.contracts.router, decimals: 18 },
        { asset: 'eurc_tron', contract: lab.freshAddress(), decimals: 6 },
      ],
    });
    await lab.payToken('usdt', to, 1_000n);
    expect((await minedBlock([to], wrong)).transfers).toEqual([]);
    expect(await wrong.unscannedAssets()).toEqual([
      { asset: 'usdt_tron', reason: expect.stringContaining('has 6 decimals, the catalog says 18') },
      { asset: 'dai_tron', reason: expect.stringContaining('has no decimals()') },
      { asset: 'eurc_tron', reason: expect.stringContaining('is not a contract') },
    ]);
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(3);
  });

  test('E9: a token that an operator listed must say its symbol', async () => {
    const { named, usdc, spoofing } = lab.contracts;
    const listed = [named, spoofing, usdc].map((contract, index) => ({
      ...{ asset: `t${index}_tron`, contract, decimals: 6, symbol: 'LAB' },
    }));
    const scanner = open({ logger: recordingLogger(), tokens: listed });
    expect((await scanner.unscannedAssets()).map(({ asset, reason }) => [asset, reason.slice(35)])).toEqual([
      ['t1_tron', 'says the symbol "USDT", the catalog "LAB"'],
      ['t2_tron', 'says no symbol, the catalog "LAB"'],
    ]);
  });

  test('transfers of nothing, and to the sender himself, are ignored', async () => {
    const self = await lab.party();
    await lab.payToken('usdt', self.address, 1_000n);
    await lab.mine();
    await lab.payToken('usdt', self.address, 0n);
    await lab.payToken('usdt', self.address, 5n, self);
    expect(await paid(self.address)).toEqual([]);
  });

  test('what contracts pay in the coin is credited, also by selfdestruct, each payment by itself', async () => {
    const [alice, bob, carol] = [lab.freshAddress(), lab.freshAddress(), lab.freshAddress()];
    const each = await router('pay', [[alice, bob, alice], 500n], 1_500n);
    const boom = await router('payBySelfdestruct', [carol], 77n);
    const common = { asset: 'trx_tron', kind: 'payment' };
    expect(await paid(alice, bob, carol)).toMatchObject([
      {
        ...common,
        txid: each,
        output: `call:${alice}:0`,
        to: alice,
        units: 500n,
        from: lab.contracts.router,
      },
      { ...common, txid: each, output: `call:${bob}:0`, to: bob, units: 500n },
      { ...common, txid: each, output: `call:${alice}:1`, to: alice, units: 500n },
      { ...common, txid: boom, output: `call:${carol}:0`, to: carol, units: 77n },
    ]);
  });

  test('a payment of a contract that was taken back inside pays nothing', async () => {
    const to = lab.freshAddress();
    const inside = await router('payAndRevertInside', [to], 1_000n);
    const whole = await router('payAndRevert', [to], 1_000n);
    await router('payNothingByDelegatecall', [to], 1_000n);
    expect(await paid(to)).toEqual([]);
    expect([resultOf(inside), resultOf(whole)]).toEqual(['SUCCESS', 'REVERT']);
    expect(await lab.balanceOf(to, null)).toBe(0n);
  });

  test('stake that a contract freezes for an address or lends to it, and TRC-10 it pays, are no payment', async () => {
    const to = lab.freshAddress();
    const toHex = addressHex(to);
    const notes = [
      'freezeForENERGY',
      'delegateResourceOfENERGY',
      'unDelegateResourceOfENERGY',
      'withdrawExpireUnfreezeWhileSuiciding',
    ];
    const lies = notes.map((note) => ({
      caller_address: addressHex(lab.contracts.router),
      transferTo_address: toHex,
      callValueInfo: [{ callValue: 5_000_000 }],
      note: Buffer.from(note).toString('hex'),
    }));
    const trc10 = { ...lies[0], note: '63616c6c', callValueInfo: [{ callValue: 9, tokenId: '1000001' }] };
    const real = {
      ...lies[0],
      note: '63616c6c',
      callValueInfo: [{ callValue: 8 }, { callValue: 9, tokenId: '1000001' }],
    };
    const odd = { ...real, transferTo_address: '' };
    await router('pay', [[], 0n], 0n);
    lab.server.node.behave({
      answer: (path, _question, given) =>
        path.endsWith('infobyblocknum')
          ? (given as object[]).map((info) => ({
              ...info,
              internal_transactions: [...lies, trc10, odd, real],
            }))
          : undefined,
    });
    expect(await paid(to)).toMatchObject([{ units: 8n, output: `call:${to}:0` }]);
    lab.server.node.behave({});
  });
});
