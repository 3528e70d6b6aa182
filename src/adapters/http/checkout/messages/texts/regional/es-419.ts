/** The checkout's texts in the Spanish of Latin America, where its words differ from Spain's. */

import type { Messages } from '../../message-keys.ts';
import { ES } from '../es.ts';

export const ES_419: Messages = {
  ...ES,
  nativeName: 'Español (Latinoamérica)',
  amountDue: 'Monto a pagar',
  amountSuggested: 'Monto sugerido',
  amountAny: 'Puede enviar cualquier monto a partir de {least}. Si llega menos, no se acreditará.',
  amountWasDue: 'Monto que se debía',
  chooseText: 'El monto queda fijado al elegirla.',
  seenPartText:
    'Una parte del monto está en camino. Si aún queda tiempo cuando se confirme, aquí verá cómo pagar el resto.',
  seenPartLateText:
    'Una parte del monto está en camino, pero el plazo para pagar terminó. Comuníquese con el comercio.',
  expiredTitle: 'Esta factura venció',
  lateText: 'Solo llegó una parte del monto. Comuníquese con el comercio.',
  failedText: 'La red lo descartó. Si el dinero salió de su billetera, comuníquese con el comercio.',
  paidLateText:
    'Si lo envió, el comercio puede encontrarlo. Comuníquese con él e indique el identificador de la transacción que muestra su billetera.',
  orXAddress: 'Mi billetera admite direcciones X',
  scan: 'Escanee con su billetera',
  openWallet: 'Abrir en la billetera',
  feeOnTop: 'Las comisiones de red se pagan aparte: debe llegar exactamente este monto.',
  linkAmount: 'Monto',
  problemAmount: 'Ingrese un monto permitido aquí.',
  problemFields: 'Complete todos los campos.',
  problemTooSmall: 'Este monto es demasiado pequeño para pagarlo.',
  refundTag: 'Etiqueta de destino, si su billetera muestra una',
  refundCare: 'Copie la dirección de su billetera. El dinero enviado a una dirección equivocada se pierde.',
  refundText: 'Díganos a dónde enviarlo. Ingrese su propia dirección en la red {network}.',
  walletNetwork: 'Cambie su billetera a {network}.',
  walletFailed:
    'La billetera no confirmó el pago. Antes de intentarlo de nuevo, compruebe en la billetera si se envió.',
  mailRefundText:
    'Puede recuperar {amount}. Abra el enlace e ingrese su dirección. Quien tenga este enlace puede reclamar el dinero: no lo comparta.',
  mailLateText: 'Su pago llegó fuera de plazo, por lo que no pagó el pedido. Comuníquese con {merchant}.',
};
