/** The checkout's texts in Spanish. */
import type { Messages } from '../message-keys.ts';

export const ES: Messages = {
  nativeName: 'Español',
  payment: 'Pago',
  language: 'Idioma',
  secured: 'Con tecnología de {name}',
  refresh: 'Actualizar el estado',

  amountDue: 'Importe a pagar',
  amountSuggested: 'Importe sugerido',
  amountAny: 'Puede enviar cualquier importe a partir de {least}. Si llega menos, no se abonará.',
  amountPaid: 'Recibido',
  amountOver: 'Pago en exceso',
  amountWasDue: 'Importe que se debía',
  amountSettled: 'Pagado',
  amountRefunded: 'Reembolsado',
  itemOrder: 'Pedido',
  itemDiscount: 'Descuento',
  itemSurcharge: 'Recargo',
  itemFee: 'Comisión de pago',
  itemTotal: 'Total',
  rateHeld: '{rate}, garantizado {until}',
  orderReference: 'Referencia del pedido',
  contactTitle: 'Contactar con {merchant}',
  terms: 'Condiciones de venta',

  chooseTitle: 'Elija una criptomoneda',
  chooseText: 'El importe queda fijado al elegirla.',
  waitingTitle: 'Esperando su pago',
  waitingText: 'En cuanto llegue, lo verá aquí.',
  seenLate:
    'Los pagos en {network} se detectan con retraso en este momento. Si ya ha pagado, no pague de nuevo: su pago aparecerá aquí.',
  seenTitle: 'Pago detectado',
  seenText: 'La red lo está confirmando. No tiene que hacer nada más.',
  seenPartText:
    'Una parte del importe está en camino. Si aún queda tiempo cuando se confirme, aquí verá cómo pagar el resto.',
  seenPartLateText:
    'Una parte del importe está en camino, pero el plazo para pagar ha terminado. Póngase en contacto con el comercio.',
  partialTitle: 'Pago parcial recibido',
  partialText: 'Envíe el resto a la misma dirección.',
  paidTitle: 'Pagado',
  paidText: 'Gracias. El comercio ya está avisado.',
  overText: 'Gracias. Ha pagado más de lo debido. Consulte al comercio sobre la diferencia.',
  expiredTitle: 'Esta factura ha caducado',
  expiredText: 'No envíe nada ahora. Pida una factura nueva al comercio.',
  lateTitle: 'Se ha acabado el tiempo',
  lateText: 'Solo ha llegado una parte del importe. Póngase en contacto con el comercio.',
  reviewTitle: 'El pago está en revisión',
  reviewText: 'Ha llegado y se está comprobando. El comercio se pondrá en contacto con usted.',
  failedTitle: 'El pago no se ha completado',
  failedText:
    'La red lo ha descartado. Si el dinero salió de su monedero, póngase en contacto con el comercio.',
  refundedTitle: 'Reembolsado',
  refundedText: 'El comercio ha reembolsado este pago.',
  paidLateTitle: '¿Ya ha pagado?',
  paidLateText:
    'Si lo envió, el comercio puede encontrarlo. Póngase en contacto con él e indique el identificador de la transacción que muestra su monedero.',

  timeLeft: 'Tiempo restante',
  untilDate: 'hasta el {time}',
  untilTime: 'hasta las {time}',
  minutesLeft: {
    one: 'Queda {n} minuto para pagar.',
    many: 'Quedan {n} minutos para pagar.',
    other: 'Quedan {n} minutos para pagar.',
  },

  sendExactly: 'Envíe exactamente',
  stillToSend: 'Falta por enviar',
  receivedSoFar: 'Recibido hasta ahora: {amount}',
  toAddress: 'A esta dirección en {network}',
  withTag: 'Con esta etiqueta de destino (destination tag)',
  tagNeeded: 'Sin la etiqueta no podremos reconocer su pago.',
  orXAddress: 'Mi monedero admite direcciones X',
  xAddress: 'Dirección X, que incluye la dirección y la etiqueta',
  copy: 'Copiar',
  copied: 'Copiado',
  scan: 'Escanee con su monedero',
  showQr: 'Mostrar el código QR',
  qrLabel: 'Código QR de este pago: {amount} en {network}',
  openWallet: 'Abrir en el monedero',
  onlyNetwork: 'Envíe solo {symbol} por la red {network}. Cualquier otra cosa podría perderse.',
  feeOnTop: 'Las comisiones de red van aparte: debe llegar exactamente este importe.',
  noMemo: 'No hace falta comentario ni memo: esta dirección es solo para este pago.',

  change: 'Cambiar de moneda',
  search: 'Buscar moneda o red',
  noMatch: 'No se ha encontrado nada.',
  feeAbout: 'comisión de red aprox. {fee}',
  feeUnder: 'comisión de red inferior a {fee}',
  noCurrency:
    'Ahora mismo no hay ninguna moneda disponible. Inténtelo más tarde o póngase en contacto con el comercio.',

  payments: { one: 'Su pago', many: 'Sus pagos', other: 'Sus pagos' },
  inMempool: 'Detectado, a la espera del primer bloque',
  confirmationsOf: {
    one: '{n} de {m} confirmación',
    many: '{n} de {m} confirmaciones',
    other: '{n} de {m} confirmaciones',
  },
  confirmationsSoFar: {
    one: 'Confirmándose: {n} confirmación por ahora',
    many: 'Confirmándose: {n} confirmaciones por ahora',
    other: 'Confirmándose: {n} confirmaciones por ahora',
  },
  confirmed: 'Confirmado',
  viewTransaction: 'Ver la transacción',
  newTab: '(se abre en otra pestaña)',
  transactionId: 'Identificador de la transacción',

  testTitle: 'Factura de prueba.',
  testWarning: 'No envíe dinero real: se perdería.',
  simulate: 'Simular un pago',
  simulatePaid: 'Completo',
  simulatePartial: 'Una parte',
  simulateOver: 'De más',

  back: 'Volver al comercio',
  backTo: 'Volver a {merchant}',
  cancel: 'Cancelar y volver',
  leaving: 'Volverá al comercio en {seconds}',
  stay: 'Quedarme aquí',

  notFoundTitle: 'Este pago no existe',
  notFoundText: 'Compruebe el enlace o pida uno nuevo al comercio.',
  momentTitle: 'Un momento',
  busyText: 'Demasiadas solicitudes. Vuelva a intentarlo enseguida.',
  awayText:
    'Ahora mismo no podemos mostrar la página de pago. No se ha perdido nada; vuelva a cargarla en unos segundos.',
  tryAgain: 'Intentar de nuevo',
  problemForeign: 'Por su seguridad, haga la elección en esta página.',
  problemChoice: 'Elija una de las criptomonedas de abajo.',
  problemRejected: 'Eso ya no es posible. Así está el pago en este momento.',
  problemRates: 'Ahora mismo no hay un tipo de cambio actualizado. Vuelva a intentarlo en un momento.',
  problemNetwork: 'Esta red todavía no está lista. Vuelva a intentarlo en unos segundos o elija otra moneda.',
  problemOther: 'No ha funcionado. Vuelva a intentarlo.',

  // The receipt.
  receipt: 'Recibo',
  receiptDate: 'Fecha',
  receiptNumber: 'Número de recibo',
  receiptSeller: 'Vendedor',
  receiptNetwork: 'Red',
  receiptRate: 'Tipo de cambio',
  receiptPdf: 'Descargar en PDF',
  receiptPrint: 'Imprimir',
  receiptNone: 'Habrá un recibo en cuanto el pago esté completo.',

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
