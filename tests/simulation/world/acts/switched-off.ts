/** What is brought to a halt: signing, and addresses that another key may spend from. */
import { startSigning, stopSigning } from '../../../../src/app/sending/operate-payouts.ts';
import { thawAddress } from '../../../../src/app/treasury/treasury.ts';
import { type Act, familyOf, pick } from './stage.ts';

const stop: Act = {
  name: 'stop signing',
  weight: 3,
  needs: 'signing switch',
  isFault: true,
  run(stage) {
    const { dependencies } = stage.api().service;
    stage.order('stops signing', () => stopSigning(dependencies)('simulated'));
  },
};

const start: Act = {
  name: 'start signing',
  weight: 4,
  needs: 'signing switch',
  run(stage) {
    const { dependencies } = stage.api().service;
    stage.order('starts signing', () => startSigning(dependencies)());
  },
};

/** Only Tron's accounts change their owner (safety.md T5). */
const changeOwner: Act = {
  name: 'change the owner of an address',
  weight: 4,
  needs: 'frozen addresses',
  isFault: true,
  run(stage) {
    const invoice = pick(stage, stage.invoices);
    const chain = invoice && stage.assets('').find(({ key }) => key === invoice.asset)?.chain;
    if (!invoice || !chain || familyOf(chain) !== 'tron') return;
    stage.chains.get(chain)!.control.changeOwner(invoice.to);
    stage.tell('thief', `may spend from ${invoice.to}`);
  },
};

const thaw: Act = {
  name: 'thaw an address',
  weight: 2,
  needs: 'frozen addresses',
  run(stage) {
    const { dependencies } = stage.api().service;
    const invoice = pick(stage, stage.invoices);
    const asset = invoice && stage.assets('').find(({ key }) => key === invoice.asset);
    const address = asset && dependencies.liveDerivers.get(asset.family)?.normalize(invoice.to);
    if (!address) return;
    stage.order(`thaws ${address}`, () => thawAddress(dependencies)({ chain: asset.chain, address }));
  },
};

export const SWITCHED_OFF: readonly Act[] = [stop, start, changeOwner, thaw];
