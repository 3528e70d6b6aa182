/** The checkout's texts in Italian. */
import type { Messages } from '../message-keys.ts';

export const IT: Messages = {
  nativeName: 'Italiano',
  payment: 'Pagamento',
  language: 'Lingua',
  secured: 'Realizzato con {name}',
  refresh: 'Aggiorna lo stato',

  amountDue: 'Importo da pagare',
  amountSuggested: 'Importo suggerito',
  amountAny: 'Può inviare qualsiasi importo a partire da {least}. Una somma inferiore non viene accreditata.',
  amountPaid: 'Ricevuto',
  amountOver: 'Pagato in eccesso',
  amountWasDue: 'Importo che era dovuto',
  amountSettled: 'Pagato',
  amountRefunded: 'Rimborsato',
  itemOrder: 'Ordine',
  itemDiscount: 'Sconto',
  itemSurcharge: 'Supplemento',
  itemFee: 'Commissione di pagamento',
  itemTotal: 'Totale',
  rateHeld: '{rate}, garantito {until}',
  orderReference: 'Riferimento dell’ordine',
  contactTitle: 'Contatta {merchant}',
  terms: 'Condizioni di vendita',

  chooseTitle: 'Scelga una criptovaluta',
  chooseText: 'L’importo viene fissato al momento della scelta.',
  waitingTitle: 'In attesa del pagamento',
  waitingText: 'Appena arriva, lo vedrà qui.',
  seenLate:
    'In questo momento i pagamenti su {network} vengono rilevati in ritardo. Se ha già pagato, non paghi di nuovo: il pagamento comparirà qui.',
  seenTitle: 'Pagamento rilevato',
  seenText: 'La rete lo sta confermando. Non deve fare altro.',
  seenPartText:
    'Una parte dell’importo è in arrivo. Se dopo la conferma c’è ancora tempo, qui vedrà come pagare il resto.',
  seenPartLateText:
    'Una parte dell’importo è in arrivo, ma il tempo per pagare è scaduto. Contatti il venditore.',
  partialTitle: 'Pagamento parziale ricevuto',
  partialText: 'Invii l’importo rimanente allo stesso indirizzo.',
  paidTitle: 'Pagato',
  paidText: 'Grazie. Il venditore è stato avvisato.',
  overText: 'Grazie. Ha pagato più del dovuto. Contatti il venditore per la differenza.',
  expiredTitle: 'Questa fattura è scaduta',
  expiredText: 'Non invii più nulla. Chieda al venditore una nuova fattura.',
  lateTitle: 'Tempo scaduto',
  lateText: 'È arrivata solo una parte dell’importo. Contatti il venditore.',
  reviewTitle: 'Il pagamento è in verifica',
  reviewText: 'È arrivato ed è in corso un controllo. Il venditore La contatterà.',
  failedTitle: 'Il pagamento non è andato a buon fine',
  failedText: 'La rete lo ha scartato. Se l’importo è uscito dal Suo wallet, contatti il venditore.',
  refundedTitle: 'Rimborsato',
  refundedText: 'Il venditore ha rimborsato questo pagamento.',
  paidLateTitle: 'Ha già pagato?',
  paidLateText:
    'Se ha inviato il pagamento, il venditore può ritrovarlo. Lo contatti indicando l’ID della transazione mostrato dal Suo wallet.',

  timeLeft: 'Tempo rimasto',
  untilDate: 'fino al {time}',
  untilTime: 'fino alle {time}',
  minutesLeft: {
    one: 'Resta {n} minuto per pagare.',
    many: 'Restano {n} minuti per pagare.',
    other: 'Restano {n} minuti per pagare.',
  },

  sendExactly: 'Invii esattamente',
  stillToSend: 'Ancora da inviare',
  receivedSoFar: 'Ricevuto finora: {amount}',
  toAddress: 'A questo indirizzo su {network}',
  withTag: 'Con questo tag di destinazione (destination tag)',
  tagNeeded: 'Senza il tag non è possibile riconoscere il pagamento.',
  orXAddress: 'Il mio wallet supporta gli indirizzi X',
  xAddress: 'Indirizzo X, che contiene indirizzo e tag',
  copy: 'Copia',
  copied: 'Copiato',
  scan: 'Scansioni con il wallet',
  showQr: 'Mostra il codice QR',
  qrLabel: 'Codice QR di questo pagamento: {amount} su {network}',
  openWallet: 'Apri nel wallet',
  onlyNetwork: 'Invii solo {symbol} sulla rete {network}. Qualsiasi altra cosa potrebbe andare persa.',
  feeOnTop: 'Le commissioni di rete sono a parte: deve arrivare esattamente questo importo.',
  noMemo: 'Non servono commenti né memo: questo indirizzo è riservato a questo pagamento.',

  change: 'Cambia criptovaluta',
  search: 'Cerca criptovaluta o rete',
  noMatch: 'Nessun risultato.',
  feeAbout: 'commissione di rete circa {fee}',
  feeUnder: 'commissione di rete inferiore a {fee}',
  noCurrency: 'Al momento non è disponibile alcuna criptovaluta. Riprovi più tardi o contatti il venditore.',

  payments: { one: 'Il Suo pagamento', many: 'I Suoi pagamenti', other: 'I Suoi pagamenti' },
  inMempool: 'Rilevato, in attesa del primo blocco',
  confirmationsOf: { one: '{n} di {m} conferma', many: '{n} di {m} conferme', other: '{n} di {m} conferme' },
  confirmationsSoFar: {
    one: 'In conferma: finora {n} conferma',
    many: 'In conferma: finora {n} conferme',
    other: 'In conferma: finora {n} conferme',
  },
  confirmed: 'Confermato',
  viewTransaction: 'Vedi la transazione',
  newTab: '(si apre in una nuova scheda)',
  transactionId: 'ID della transazione',

  testTitle: 'Fattura di prova.',
  testWarning: 'Non invii denaro reale: andrebbe perso.',
  simulate: 'Simula un pagamento',
  simulatePaid: 'Completo',
  simulatePartial: 'Parziale',
  simulateOver: 'In eccesso',

  back: 'Torna al venditore',
  backTo: 'Torna a {merchant}',
  cancel: 'Annulla e torna indietro',
  leaving: 'Ritorno al venditore tra {seconds}',
  stay: 'Resta qui',

  notFoundTitle: 'Pagamento inesistente',
  notFoundText: 'Controlli il link o ne chieda uno nuovo al venditore.',
  momentTitle: 'Un momento',
  busyText: 'Troppe richieste. Riprovi tra poco.',
  awayText:
    'Al momento la pagina di pagamento non può essere mostrata. Nulla è andato perso: la ricarichi tra qualche secondo.',
  tryAgain: 'Riprova',
  problemForeign: 'Per la Sua sicurezza, faccia la scelta su questa pagina.',
  problemChoice: 'Scelga una delle criptovalute qui sotto.',
  problemRejected: 'Non è più possibile. Questa pagina mostra lo stato attuale del pagamento.',
  problemRates: 'Al momento non c’è un tasso di cambio aggiornato. Riprovi tra poco.',
  problemNetwork:
    'Questa rete non è ancora pronta. Riprovi tra qualche secondo o scelga un’altra criptovaluta.',
  problemOther: 'Non ha funzionato. Riprovi.',

  // The receipt.
  receipt: 'Ricevuta',
  receiptDate: 'Data',
  receiptNumber: 'Numero della ricevuta',
  receiptSeller: 'Venditore',
  receiptNetwork: 'Rete',
  receiptRate: 'Tasso di cambio',
  receiptPdf: 'Scarica in PDF',
  receiptPrint: 'Stampa',
  receiptNone: 'La ricevuta è disponibile non appena il pagamento è completo.',

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
