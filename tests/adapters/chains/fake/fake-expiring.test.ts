/** Fake chains whose transactions expire keep the contract of such senders. */
import { fakeChain } from '../../../../src/adapters/chains/fake/fake-chain.ts';
import { fakeDeriver } from '../../../../src/adapters/chains/fake/fake-deriver.ts';
import { fakeSigner } from '../../../../src/adapters/chains/fake/fake-signer.ts';
import { describeExpiringSender, type ExpiringCase } from '../../../contracts/sending/expiring-sender.ts';
import { paymentOf } from '../../../support/utxo/lone-orders.ts';

const CONFIRMATIONS = 3;
const clock = { now: () => new Date(1_700_000_000_000) };

async function openFake(family: string): Promise<ExpiringCase> {
  const assets = [`coin_${family}`, `token_${family}`];
  const { sender, control } = fakeChain({
    chain: family,
    family,
    assets: assets.map((asset) => ({ asset, decimals: 6 })),
    clock,
    confirmations: CONFIRMATIONS,
  });
  const deriver = fakeDeriver({ family });
  const signer = fakeSigner({ derivers: new Map([[family, deriver]]) });
  const normalized = (text: string): string => deriver.normalize(text)!;
  const wallet = normalized(deriver.hotWallet()!);
  let used = 0;
  for (const asset of assets) control.fund(wallet, asset, 10n ** 9n);
  const waiting = (): void => {
    for (const txid of control.waiting()) control.drop(txid);
  };
  return {
    sender,
    assets,
    units: 10_000n,
    wallet,
    poorWallet: normalized(deriver.derive({ from: 7, count: 1 })[0]!),
    freshAddress: () => normalized(deriver.derive({ from: 100 + used++, count: 1 })[0]!),
    sign: (order, { payload, validUntil }) =>
      signer.sign({
        ...order,
        ...{ chain: family, key: { role: 'hot' }, purpose: 'payout', payload, validUntil, replaces: null },
        payments: [{ ...paymentOf(order), transferId: 'transfer', referenceId: 'payout', toKey: null }],
      }),
    balanceOf: async (address, asset) => control.balanceOf(address, asset),
    mine: async (count) => control.mine(count),
    finalAfter: CONFIRMATIONS,
    settle: async () => control.mine(CONFIRMATIONS),
    drop: async () => waiting(),
    pass: async (validUntil) => {
      waiting();
      const { block } = await sender.balances(wallet, []);
      const left = Number(validUntil) + 1 - block.height;
      if (left > 0) control.mine(left);
    },
    outage: async (on) => control.fail(on),
    close: () => sender.close(),
  };
}

describeExpiringSender('fake, of a chain that counts', () => openFake('xrp'), { counted: true });
describeExpiringSender('fake, of a chain that does not', () => openFake('tron'), { counted: false });
