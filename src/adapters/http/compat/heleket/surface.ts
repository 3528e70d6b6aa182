/** Heleket's API: Cryptomus' API with other names of chains and one more status. */
import { heleketPayment } from '../../../shared/providers/cryptomus-payment.ts';
import { heleketNetworks } from '../../../shared/providers/heleket.ts';
import { cryptomusSurface } from '../cryptomus/surface.ts';

export const HELEKET = cryptomusSurface({
  provider: 'heleket',
  prefix: '/compat/heleket/v1',
  networks: heleketNetworks,
  payment: heleketPayment,
});
