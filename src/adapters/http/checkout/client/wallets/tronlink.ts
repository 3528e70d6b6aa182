/** TronLink, and wallets that offer the same object. */
import { type Order, Unpaid, unpaid, type Wallet } from './order.ts';

export interface TronLink {
  readonly tronWeb?: TronWeb | false;
  request(call: { readonly method: string }): Promise<unknown>;
}

export interface TronWeb {
  readonly defaultAddress: { readonly base58: string | false };
  readonly trx: {
    getBlock(height: number): Promise<{ readonly blockID?: string }>;
    sign(transaction: unknown): Promise<unknown>;
    sendRawTransaction(signed: unknown): Promise<{ readonly result?: boolean }>;
  };
  readonly transactionBuilder: {
    sendTrx(to: string, sun: number, from: string): Promise<unknown>;
    triggerSmartContract(
      contract: string,
      method: string,
      options: { readonly feeLimit: number },
      values: readonly { readonly type: string; readonly value: string }[],
      from: string,
    ): Promise<{ readonly transaction?: unknown }>;
  };
}

/** The id of the first block of Tron's main network. */
const MAIN_FIRST_BLOCK = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';
/** In sun: what a transfer of a token may cost, 100 TRX. It uses as much as it needs. */
const FEE_LIMIT = 100_000_000;

export function tronLinkWallets(add: (wallet: Wallet) => void, ended: AbortSignal): void {
  let added = false;
  const look = (): void => {
    const { tronLink } = window as { readonly tronLink?: TronLink };
    if (added || tronLink === undefined) return;
    added = true;
    add(tronLinkWallet('TronLink', tronLink));
  };
  addEventListener('tronLink#initialized', look, { signal: ended });
  look();
}

export function tronLinkWallet(name: string, link: TronLink): Wallet {
  return {
    name,
    async pay(order) {
      try {
        await link.request({ method: 'tron_requestAccounts' });
        const web = link.tronWeb;
        const from = web ? web.defaultAddress.base58 : false;
        if (!web || from === false) throw new Unpaid('rejected');
        if (!(await isOn(web, order.network))) throw new Unpaid('network');
        const signed = await web.trx.sign(await transactionOf(web, from, order));
        const { result } = await web.trx.sendRawTransaction(signed);
        if (result !== true) throw new Unpaid('failed');
      } catch (error) {
        throw unpaid(error);
      }
    },
  };
}

/** Of test networks only that it is not the main one. */
async function isOn({ trx }: TronWeb, network: string): Promise<boolean> {
  const { blockID } = await trx.getBlock(0);
  return (blockID === MAIN_FIRST_BLOCK) === (network === 'main');
}

async function transactionOf(
  { transactionBuilder }: TronWeb,
  from: string,
  { to, units, contract }: Order,
): Promise<unknown> {
  if (contract === '') {
    if (units > BigInt(Number.MAX_SAFE_INTEGER)) throw new Unpaid('failed');
    return transactionBuilder.sendTrx(to, Number(units), from);
  }
  const values = [
    { type: 'address', value: to },
    { type: 'uint256', value: units.toString() },
  ];
  const made = await transactionBuilder.triggerSmartContract(
    contract,
    'transfer(address,uint256)',
    { feeLimit: FEE_LIMIT },
    values,
    from,
  );
  if (made.transaction === undefined) throw new Unpaid('failed');
  return made.transaction;
}
