/** What wallets of the browser are asked for, and how they end. */
import { describe, expect, test } from 'bun:test';
import { Interface } from 'ethers';
import fc from 'fast-check';
import { announcedWallet, callOf } from '../../../../../src/adapters/http/checkout/client/wallets/eip6963.ts';
import {
  type Order,
  Unpaid,
  type Wallet,
} from '../../../../../src/adapters/http/checkout/client/wallets/order.ts';
import {
  type StandardWallet,
  standardWallet,
} from '../../../../../src/adapters/http/checkout/client/wallets/standard.ts';
import {
  type TronLink,
  type TronWeb,
  tronLinkWallet,
} from '../../../../../src/adapters/http/checkout/client/wallets/tronlink.ts';

const TO = '0x52908400098527886E0F7030069857D2E4169EE7';
const TOKEN = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const FROM = '0x1111111111111111111111111111111111111111';
const ERC20 = new Interface(['function transfer(address to, uint256 units)']);

function anOrder(given: Partial<Order> = {}): Order {
  return {
    ...{ network: '0x1', to: TO, units: 25_250_000n, contract: '' },
    unsigned: async () => Uint8Array.of(1, 2, 3),
    ...given,
  };
}

const why = async (wallet: Wallet, order: Order): Promise<string> => {
  try {
    await wallet.pay(order);
    return 'paid';
  } catch (error) {
    return error instanceof Unpaid ? error.why : `not Unpaid: ${String(error)}`;
  }
};
const rejection = (code: number) => Object.assign(new Error('no'), { code });

/** `replies`: what the provider answers by method; an Error is thrown. */
function provider(replies: Record<string, unknown[]>) {
  const calls: [method: string, params: readonly unknown[] | undefined][] = [];
  const wallet = announcedWallet('Fox', {
    async request({ method, params }) {
      calls.push([method, params]);
      const reply = replies[method]?.shift();
      if (reply instanceof Error) throw reply;
      return reply;
    },
  });
  return { wallet, calls };
}

describe('a wallet of an EVM chain', () => {
  test('pays the coin by value, and a token as ethers encodes its transfer', () => {
    expect(callOf(anOrder())).toEqual({ to: TO, value: '0x18148d0' });
    fc.assert(
      fc.property(fc.bigInt(1n, 2n ** 256n - 1n), fc.bigInt(1n, 2n ** 160n - 1n), (units, who) => {
        const to = `0x${who.toString(16).padStart(40, '0')}`;
        expect(callOf({ to, units, contract: TOKEN })).toEqual({
          ...{ to: TOKEN, value: '0x0', data: ERC20.encodeFunctionData('transfer', [to, units]) },
        });
      }),
    );
  });

  test('is asked for its account, for the network, and for one transaction', async () => {
    const { wallet, calls } = provider({
      eth_requestAccounts: [[FROM]],
      eth_chainId: ['0x89', '0x1'],
      eth_sendTransaction: ['0xhash'],
    });
    expect(await why(wallet, anOrder())).toBe('paid');
    expect(calls).toEqual([
      ['eth_requestAccounts', undefined],
      ['eth_chainId', undefined],
      ['wallet_switchEthereumChain', [{ chainId: '0x1' }]],
      ['eth_chainId', undefined],
      ['eth_sendTransaction', [{ from: FROM, to: TO, value: '0x18148d0' }]],
    ]);
  });

  test('is not asked to pay on another network, whatever it says about the change', async () => {
    const [elsewhere, asks] = [['0x89', '0x89'], () => ({ eth_requestAccounts: [[FROM]] })];
    const cases: readonly (readonly [Record<string, unknown[]>, end: string])[] = [
      [{ ...asks(), eth_chainId: elsewhere }, 'network'],
      [{ ...asks(), eth_chainId: ['0x89'], wallet_switchEthereumChain: [rejection(4902)] }, 'network'],
      [{ ...asks(), eth_chainId: ['0x89'], wallet_switchEthereumChain: [rejection(4001)] }, 'rejected'],
      [{ ...asks(), eth_chainId: [null, undefined] }, 'network'],
      [{ eth_requestAccounts: [rejection(4001)] }, 'rejected'],
      [{ eth_requestAccounts: [[]] }, 'rejected'],
      [{ eth_requestAccounts: ['nonsense'] }, 'rejected'],
    ];
    for (const [replies, end] of cases) {
      const { wallet, calls } = provider(replies);
      expect(await why(wallet, anOrder())).toBe(end);
      expect(calls.map(([method]) => method)).not.toContain('eth_sendTransaction');
    }
  });

  test('tells a refusal from a failure that may have sent something', async () => {
    const ready = () => ({ eth_requestAccounts: [[FROM]], eth_chainId: [1] });
    for (const [error, end] of [
      [rejection(4001), 'rejected'],
      [new Error('MetaMask Tx Signature: User denied transaction signature.'), 'rejected'],
      [rejection(-32_603), 'failed'],
      [new Error('timeout'), 'failed'],
    ] as const)
      expect([
        error.message,
        await why(provider({ ...ready(), eth_sendTransaction: [error] }).wallet, anOrder()),
      ]).toEqual([error.message, end]);
  });
});

const MAIN_FIRST_BLOCK = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';

function tron({
  blockID = MAIN_FIRST_BLOCK,
  base58 = 'TFrom' as string | false,
  result = true,
  signs = true,
} = {}) {
  const calls: unknown[] = [];
  const web: TronWeb = {
    defaultAddress: { base58 },
    trx: {
      getBlock: async () => ({ blockID }),
      async sign(transaction) {
        if (!signs) throw new Error('Confirmation declined by user');
        return { signed: transaction };
      },
      async sendRawTransaction(signed) {
        calls.push(signed);
        return { result };
      },
    },
    transactionBuilder: {
      sendTrx: async (...given) => ({ trx: given }),
      triggerSmartContract: async (...given) => ({ transaction: { token: given } }),
    },
  };
  const link: TronLink = { tronWeb: web, request: async () => ({ code: 200 }) };
  return { wallet: tronLinkWallet('TronLink', link), calls };
}

describe('TronLink', () => {
  const order = anOrder({ network: 'main', to: 'TTo', units: 25_000_000n });

  test('pays the coin, or a token by its transfer', async () => {
    const coin = tron();
    expect(await why(coin.wallet, order)).toBe('paid');
    expect(coin.calls).toEqual([{ signed: { trx: ['TTo', 25_000_000, 'TFrom'] } }]);
    const token = tron();
    expect(await why(token.wallet, { ...order, contract: 'TToken' })).toBe('paid');
    const values = [
      { type: 'address', value: 'TTo' },
      { type: 'uint256', value: '25000000' },
    ];
    expect(token.calls).toEqual([
      {
        signed: {
          token: ['TToken', 'transfer(address,uint256)', { feeLimit: 100_000_000 }, values, 'TFrom'],
        },
      },
    ]);
  });

  test('signs nothing on another network, locked, or refused', async () => {
    const cases = [
      [tron({ blockID: 'another' }), order, 'network'],
      [tron(), { ...order, network: 'test' }, 'network'],
      [tron({ base58: false }), order, 'rejected'],
      [tron({ signs: false }), order, 'rejected'],
      [tron(), { ...order, units: 2n ** 60n }, 'failed'],
    ] as const;
    for (const [{ wallet, calls }, asked, end] of cases) {
      expect(await why(wallet, asked)).toBe(end);
      expect(calls).toEqual([]);
    }
    expect(await why(tron({ result: false }).wallet, order)).toBe('failed');
    expect(await why(tron({ blockID: 'another' }).wallet, { ...order, network: 'test' })).toBe('paid');
  });
});

function solana({ chains = ['solana:mainnet'], accounts = 1, error = null as Error | null } = {}) {
  const calls: unknown[] = [];
  const features: StandardWallet['features'] = {
    'standard:connect': {
      connect: async () => ({ accounts: accounts === 0 ? [] : [{ address: 'From', chains }] }),
    },
    'solana:signAndSendTransaction': {
      async signAndSendTransaction(input) {
        if (error) throw error;
        calls.push(input);
      },
    },
  };
  return { wallet: standardWallet({ name: 'Ghost', chains, features }), calls };
}

describe('a wallet of the Wallet Standard', () => {
  const order = anOrder({ network: 'main' });

  test('gets the transaction that the server made for its account', async () => {
    const { wallet, calls } = solana();
    const asked: string[] = [];
    const unsigned = async (from: string) => {
      asked.push(from);
      return Uint8Array.of(7);
    };
    expect(await why(wallet, { ...order, unsigned })).toBe('paid');
    expect(asked).toEqual(['From']);
    expect(calls).toEqual([
      {
        account: { address: 'From', chains: ['solana:mainnet'] },
        ...{ chain: 'solana:mainnet', transaction: Uint8Array.of(7) },
      },
    ]);
  });

  test('sends nothing on another network, without an account, refused, or without a transaction', async () => {
    const unsigned = () => Promise.reject(new Error('503'));
    for (const [{ wallet, calls }, asked, end] of [
      [solana(), { ...order, network: 'test' }, 'network'],
      [solana({ chains: ['solana:devnet'] }), order, 'network'],
      [solana({ accounts: 0 }), order, 'rejected'],
      [solana({ error: new Error('User rejected the request.') }), order, 'rejected'],
      [solana(), { ...order, unsigned }, 'failed'],
    ] as const) {
      expect(await why(wallet, asked)).toBe(end);
      expect(calls).toEqual([]);
    }
  });
});
