/** The checkout's texts in English. The other languages have the same keys and placeholders. */

export const EN = {
  /** The language itself, in the language itself. */
  nativeName: 'English',
  payment: 'Payment',
  language: 'Language',
  secured: 'Powered by {name}',
  refresh: 'Refresh the status',

  amountDue: 'Amount to pay',
  amountSuggested: 'Suggested amount',
  amountAny: 'You may send any amount from {least}. Less than that is not credited.',
  amountPaid: 'Received',
  amountOver: 'Overpaid by',
  amountWasDue: 'Was due',
  amountSettled: 'Paid',
  amountRefunded: 'Refunded',
  itemOrder: 'Order',
  itemDiscount: 'Discount',
  itemSurcharge: 'Surcharge',
  itemFee: 'Payment fee',
  itemTotal: 'Total',
  rateHeld: '{rate}, held {until}',
  orderReference: 'Order reference',
  contactTitle: 'Contact {merchant}',
  terms: 'Terms of sale',

  chooseTitle: 'Choose a currency',
  chooseText: 'The amount is fixed when you choose.',
  waitingTitle: 'Waiting for your payment',
  waitingText: 'As soon as it arrives, you will see it here.',
  seenLate:
    'Payments on {network} are showing up late right now. If you have already paid, do not pay again: your payment will appear here.',
  seenTitle: 'Payment detected',
  seenText: 'It is being confirmed by the network. There is nothing more for you to do.',
  seenPartText:
    'Part of the amount is on its way. If there is still time once it is confirmed, this page shows how to pay the rest.',
  seenPartLateText:
    'Part of the amount is on its way, but the time to pay is over. Contact the merchant about it.',
  partialTitle: 'Partial payment received',
  partialText: 'Please send the remaining amount to the same address.',
  paidTitle: 'Paid',
  paidText: 'Thank you. The merchant has been notified.',
  overText: 'Thank you. You paid more than was due. Contact the merchant about the difference.',
  expiredTitle: 'This invoice has expired',
  expiredText: 'Please don’t send anything to it now. Ask the merchant for a new invoice.',
  lateTitle: 'Time has run out',
  lateText: 'Only part of the amount arrived. Contact the merchant about it.',
  reviewTitle: 'The payment is being reviewed',
  reviewText: 'It has arrived and is being checked. The merchant will get back to you.',
  failedTitle: 'The payment did not go through',
  failedText: 'The network dropped it. Contact the merchant if money has left your wallet.',
  refundedTitle: 'Refunded',
  refundedText: 'The merchant has refunded this payment.',
  paidLateTitle: 'Paid already?',
  paidLateText:
    'If you sent it, the merchant can find it. Contact the merchant with the transaction id that your wallet shows.',

  timeLeft: 'Time left',
  untilDate: 'until {time}',
  untilTime: 'until {time}',
  minutesLeft: { one: '{n} minute left to pay.', other: '{n} minutes left to pay.' },

  sendExactly: 'Send exactly',
  stillToSend: 'Still to send',
  receivedSoFar: 'Received so far: {amount}',
  toAddress: 'To this address on {network}',
  withTag: 'With this destination tag',
  tagNeeded: 'Without the tag, your payment cannot be recognized.',
  orXAddress: 'My wallet supports X-addresses',
  xAddress: 'X-address, which contains both address and tag',
  copy: 'Copy',
  copied: 'Copied',
  scan: 'Scan with your wallet',
  showQr: 'Show the QR code',
  qrLabel: 'QR code of this payment: {amount} on {network}',
  openWallet: 'Open in wallet',
  onlyNetwork: 'Send only {symbol} on the {network} network. Anything else may be lost.',
  feeOnTop: 'Network fees come on top: exactly this amount has to arrive.',
  noMemo: 'No comment or memo is needed: this address belongs to this payment alone.',

  change: 'Change currency',
  search: 'Search by currency or network',
  noMatch: 'Nothing matches your search.',
  feeAbout: 'network fee about {fee}',
  feeUnder: 'network fee under {fee}',
  noCurrency: 'No currency is available right now. Please try again later, or contact the merchant.',

  payments: { one: 'Your payment', other: 'Your payments' },
  inMempool: 'Detected, waiting for the first block',
  confirmationsOf: { one: '{n} of {m} confirmation', other: '{n} of {m} confirmations' },
  confirmationsSoFar: {
    one: 'Being confirmed: {n} confirmation so far',
    other: 'Being confirmed: {n} confirmations so far',
  },
  confirmed: 'Confirmed',
  viewTransaction: 'View transaction',
  newTab: '(opens in a new tab)',
  transactionId: 'Transaction id',

  testTitle: 'Test invoice.',
  testWarning: 'Do not send real money: it would be lost.',
  simulate: 'Simulate a payment',
  simulatePaid: 'In full',
  simulatePartial: 'In part',
  simulateOver: 'Too much',

  back: 'Back to the merchant',
  backTo: 'Back to {merchant}',
  cancel: 'Cancel and go back',
  leaving: 'Taking you back in {seconds}',
  stay: 'Stay here',

  notFoundTitle: 'No such payment',
  notFoundText: 'Check the link, or ask the merchant for a new one.',
  momentTitle: 'One moment',
  busyText: 'Too many requests. Please try again shortly.',
  awayText: 'The payment page cannot be shown right now. Nothing is lost; please reload in a few seconds.',
  tryAgain: 'Try again',
  problemForeign: 'For your safety, please choose on this page.',
  problemChoice: 'Please choose one of the currencies below.',
  problemRejected: 'That is no longer possible. This page shows the current status of the payment.',
  problemRates: 'No fresh exchange rate is known right now. Please try again in a moment.',
  problemNetwork:
    'This network is not ready yet. Please try again in a few seconds, or choose another currency.',
  problemOther: 'That did not work. Please try again.',

  // The receipt.
  receipt: 'Receipt',
  receiptDate: 'Date',
  receiptNumber: 'Receipt number',
  receiptSeller: 'Seller',
  receiptNetwork: 'Network',
  receiptRate: 'Exchange rate',
  receiptPdf: 'Download as PDF',
  receiptPrint: 'Print',
  receiptNone: 'There is a receipt as soon as the payment is complete.',

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
