/**
 * A signer under test with everything around it: a keystore in a folder of its own, a policy file,
 * and orders for it.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HDNodeWallet, Transaction } from 'ethers';
import { openKeystore } from '../../../src/adapters/signer/keystore.ts';
import { type LogVerdict, verifySigningLog } from '../../../src/adapters/signer/verify-signing-log.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import type { SigningOrder } from '../../../src/ports/sending/signer.ts';
import { anId } from '../builders.ts';
import { temporaryDirectory } from '../runtime/temp-directory.ts';
import { TEST_MASTER_KEY } from '../test-service.ts';
import { type Change, changed, paymentOf, signingOrder } from '../utxo/lone-orders.ts';

const catalog = new AssetCatalog();

export interface SigningWorld {
  readonly dataDir: string;
  readonly policyFile: string;
  /** Lower case, as wallets are stored. */
  readonly hot: string;
  deposit(index: number): string;
  /** A payout of 1.5 USDT to a stranger under the next nonce, with the payload that says so. */
  order(change?: OrderChange): SigningOrder;
  /** Replaces the policy file at once, as an editor does. */
  policy(content: unknown): Promise<void>;
  log(): Promise<LogVerdict>;
  logText(): Promise<string>;
  remove(): Promise<void>;
}

/** What an order says otherwise, and how its payload is written. */
export type OrderChange = Omit<Change<SigningOrder>, 'payload'> & { readonly gasPrice?: bigint };

export const STRANGER = '0x8589427373D6D84E98730D7795D8f6f8731FDA16';

export async function signingWorld(): Promise<SigningWorld> {
  const folder = await temporaryDirectory();
  const keystore = await openKeystore({
    directory: folder.path,
    masterKey: Buffer.from(TEST_MASTER_KEY, 'hex'),
    createIfMissing: true,
  });
  const account = HDNodeWallet.fromPhrase(await keystore.mnemonic(), '', "m/44'/60'/0'");
  const hot = account.derivePath('1/0').address.toLowerCase();
  const deposit = (index: number): string => account.derivePath(`0/${index}`).address.toLowerCase();
  const policyFile = join(folder.path, 'policy.json');
  await writeFile(policyFile, '{}');
  let nonce = 0n;
  return {
    dataDir: folder.path,
    policyFile,
    hot,
    deposit,
    order({ gasPrice, ...change } = {}) {
      nonce += 1n;
      const usual = signingOrder({
        transferId: anId(),
        chain: 'ethereum',
        key: { role: 'hot' },
        wallet: hot,
        nonce,
        purpose: 'payout',
        referenceId: anId(),
        asset: 'usdt_ethereum',
        to: STRANGER,
        toKey: null,
        units: 1_500_000n,
        voids: false,
        payload: '',
      });
      const order = changed(usual, change);
      return { ...order, payload: payloadOf(order, gasPrice) };
    },
    async policy(content) {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      await writeFile(`${policyFile}.new`, text);
      await rename(`${policyFile}.new`, policyFile);
    },
    log: () => verifySigningLog(join(folder.path, 'signer.log')),
    logText: () => readFile(join(folder.path, 'signer.log'), 'utf8'),
    remove: () => folder.remove(),
  };
}

/** The EIP-1559 transaction that the order describes, built here and not by the code under test. */
function payloadOf(order: SigningOrder, gasPrice = 20_000_000_000n): string {
  const asset = catalog.require(order.asset);
  const { to, units } = paymentOf(order);
  const amount = units.toString(16).padStart(64, '0');
  const call = `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, '0')}${amount}`;
  const isToken = asset.contract !== null;
  const paying = isToken ? { to: asset.contract, value: 0n, data: call } : { to, value: units, data: '0x' };
  return Transaction.from({
    type: 2,
    chainId: chainNamed(order.chain).chainId,
    nonce: Number(order.nonce),
    gasLimit: isToken ? 90_000n : 21_000n,
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: 1_000_000_000n,
    ...(order.voids ? { to: order.wallet, value: 0n, data: '0x' } : paying),
  }).unsignedSerialized;
}
