/** The clients of a configured chain: what reads it and what sends on it. A family's code is loaded only when one of its chains is configured. */
import type { ChainClients, ClientParts } from './client-parts.ts';

export async function clientsOf(parts: ClientParts): Promise<ChainClients> {
  switch (parts.chain.family) {
    case 'evm': {
      const { evmClients } = await import('./evm.ts');
      return evmClients(parts);
    }
    case 'bitcoin':
    case 'litecoin':
    case 'bitcoincash': {
      const { utxoClients } = await import('./utxo.ts');
      return utxoClients(parts, parts.chain.family);
    }
    case 'monero': {
      const { moneroClients } = await import('./monero.ts');
      return moneroClients(parts);
    }
    case 'tron': {
      const { tronClients } = await import('./tron.ts');
      return tronClients(parts);
    }
    case 'solana': {
      const { solanaClients } = await import('./solana.ts');
      return solanaClients(parts);
    }
    case 'ton': {
      const { tonClients } = await import('./ton.ts');
      return tonClients(parts);
    }
    case 'xrp': {
      const { xrpClients } = await import('./xrp.ts');
      return xrpClients(parts);
    }
  }
}
