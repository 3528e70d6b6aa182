/**
 * TON addresses: the deriver's contract, and the wallet class of TON's own library as the second
 * opinion on every one of them.
 */
import { describe, expect, test } from 'bun:test';
import { Address, beginCell, type Cell, contractAddress } from '@ton/core';
import { keyPairFromSeed } from '@ton/crypto';
import { WalletContractV5R1 } from '@ton/ton';
import { bitsOf, cellId } from '../../../../src/adapters/chains/ton/codec/cell-hash.ts';
import { V5R1_CODE, walletAddress } from '../../../../src/adapters/chains/ton/codec/wallet-v5.ts';
import { tonDeriver } from '../../../../src/adapters/chains/ton/deriver.ts';
import { tonNetwork } from '../../../../src/adapters/chains/ton/network.ts';
import { jettonIndex } from '../../../../src/adapters/chains/ton/read/jetton-index.ts';
import { possibleJettonWallets } from '../../../../src/adapters/chains/ton/read/jetton-wallets.ts';
import { describeAddressDeriver } from '../../../contracts/chains/address-deriver.ts';
import { type Seeded, seeded } from '../../../support/runtime/seeded.ts';

const main = tonNetwork('main');
const testNet = tonNetwork('test');
const bytes = (from: Seeded, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => from.int(256)));
const publicKey = keyPairFromSeed(Buffer.alloc(32, 7)).publicKey;
const deriverOf = (network: typeof main, key: Buffer = publicKey) =>
  tonDeriver({ network, publicKey: key.toString('hex') });

for (const network of [main, testNet])
  describeAddressDeriver(`ton, ${network.name} network`, () => ({
    deriver: deriverOf(network),
    twin: deriverOf(network),
    notAddresses: [
      'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDt', // the checksum fails
      'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id/sDs_', // both alphabets
      '1:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe',
      '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621d',
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    ],
  }));

describe('ton deriver', () => {
  test('1,000 addresses of random keys and indexes are those of the wallet class of @ton/ton, on both networks', () => {
    const random = seeded(607);
    for (let round = 0; round < 500; round++)
      for (const network of [main, testNet]) {
        const [key, index] = [bytes(random, 32), random.int(2 ** 31)];
        const [ours] = deriverOf(network, key).derive({ from: index, count: 1 });
        const wallet = WalletContractV5R1.create({
          publicKey: key,
          walletId: { networkGlobalId: network.globalId, context: index },
        });
        const testOnly = network.name === 'test';
        expect(ours).toBe(wallet.address.toString({ bounceable: false, testOnly }));
        expect(wallet.address.equals(contractAddress(0, wallet.init))).toBe(true);
      }
  });

  test('the hot wallet is the one that wallet apps open by default', () => {
    for (const network of [main, testNet]) {
      const wallet = WalletContractV5R1.create({
        publicKey,
        walletId: {
          networkGlobalId: network.globalId,
          context: { walletVersion: 'v5r1', workchain: 0, subwalletNumber: 0 },
        },
      });
      const { hotWallet, normalize } = deriverOf(network);
      expect(normalize(hotWallet()!)).toBe(wallet.address.toRawString());
    }
    expect(deriverOf(main).hotWallet()).not.toBe(deriverOf(testNet).hotWallet());
  });

  test("the contract's code is the one of @ton/ton", () => {
    const { code } = WalletContractV5R1.create({ publicKey }).init;
    expect({ ...V5R1_CODE }).toEqual({ hash: code.hash(), depth: code.depth() });
  });

  test('hashes of 1,000 random cells are those of @ton/core', () => {
    const random = seeded(5);
    const built: { cell: Cell; id: ReturnType<typeof cellId> }[] = [];
    for (let round = 0; round < 1_000; round++) {
      const length = random.int(1_024);
      const value =
        length === 0 ? 0n : BigInt.asUintN(length, BigInt(`0x${bytes(random, 128).toString('hex')}`));
      const refs =
        built.length === 0
          ? []
          : Array.from({ length: random.int(5) }, () => built[random.int(built.length)]!);
      const cell = refs
        .reduce((to, ref) => to.storeRef(ref.cell), beginCell().storeUint(value, length))
        .endCell();
      const id = cellId(
        bitsOf([value, length]),
        refs.map((ref) => ref.id),
      );
      expect(Buffer.from(id.hash).toString('hex')).toBe(cell.hash().toString('hex'));
      expect(id.depth).toBe(cell.depth());
      if (cell.depth() < 500) built.push({ cell, id });
    }
  });

  test('1,000 random addresses in every form have one key, which is the raw form of @ton/core', () => {
    const random = seeded(9);
    const deriver = deriverOf(main);
    for (let round = 0; round < 1_000; round++) {
      const address = new Address(random.pick([0, -1]), bytes(random, 32));
      const raw = address.toRawString();
      for (const form of [
        raw,
        raw.toUpperCase(),
        address.toString({ bounceable: true }),
        address.toString({ bounceable: false }),
        address.toString({ urlSafe: false }),
      ])
        expect(deriver.normalize(form)).toBe(raw);
      expect(deriver.normalize(address.toString({ testOnly: true }))).toBeNull();
      expect(deriverOf(testNet).normalize(address.toString({ testOnly: true }))).toBe(raw);
    }
  });

  test('jetton wallets of 3,000 addresses are found again, and no other', async () => {
    const code = { hash: Buffer.alloc(32, 1), depth: 3 };
    const master = Buffer.alloc(32, 2);
    const ownerOf = (index: number) => walletAddress(main, publicKey, { role: 'deposit', index }).hash;
    const walletOf = (owner: Uint8Array) => possibleJettonWallets({ owner, master, code })[0]!;
    const index = jettonIndex({ walletOf, ownerOf });
    expect(index.indexOf(walletOf(ownerOf(0)))).toBeNull();
    await Promise.all([index.extend(700), index.extend(2_000)]);
    await index.extend(3_000);
    await index.extend(10);
    for (const at of [0, 1, 699, 700, 1_999, 2_000, 2_999])
      expect(index.indexOf(walletOf(ownerOf(at)))).toBe(at);
    expect(index.indexOf(walletOf(ownerOf(3_000)))).toBeNull();
    const random = seeded(4);
    for (let round = 0; round < 1_000; round++) expect(index.indexOf(bytes(random, 32))).toBeNull();
  });

  test('N2: jetton wallets that share their first four bytes are told apart, and a stranger’s is nobody’s', async () => {
    // Of wallets that begin alike in fours, each is found by all of its bytes.
    const walletOf = (owner: Uint8Array) => Buffer.concat([Buffer.alloc(4, owner[0]! >> 2), owner.slice(4)]);
    const ownerOf = (index: number) => Buffer.alloc(32, index);
    const index = jettonIndex({ walletOf, ownerOf });
    await index.extend(200);
    for (let at = 0; at < 200; at++) {
      const wallet = walletOf(ownerOf(at));
      expect(index.indexOf(wallet)).toBe(at);
      for (const place of [4, 5, 31]) {
        const another = Buffer.from(wallet);
        another[place] = 255;
        expect(index.indexOf(another)).toBeNull();
      }
    }
  });

  test('nothing of the libraries of TON is loaded to hand out addresses, or to be ready to sign', async () => {
    const modules = ['deriver.ts', 'codec/sign.ts'].map((file) =>
      JSON.stringify(`${import.meta.dir}/../../../../src/adapters/chains/ton/${file}`),
    );
    const script = `${modules.map((file) => `await import(${file});`).join('')}
      console.log(Object.keys(require.cache).filter((path) => path.includes('/@ton/')).length)`;
    const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
    expect((await new Response(child.stdout).text()).trim()).toBe('0');
  });

  test('what is no public key is refused without repeating it', () => {
    for (const text of ['', 'ab'.repeat(31), 'secret words', 'AB'.repeat(32)])
      expect(() => tonDeriver({ network: main, publicKey: text })).toThrow('not 32 bytes in hex');
  });
});
