/** The checkout's texts in German. */
import type { Messages } from '../message-keys.ts';

export const DE: Messages = {
  nativeName: 'Deutsch',
  payment: 'Zahlung',
  language: 'Sprache',
  secured: 'Bereitgestellt von {name}',
  refresh: 'Status aktualisieren',

  amountDue: 'Zu zahlen',
  amountSuggested: 'Vorgeschlagener Betrag',
  amountAny: 'Sie können jeden Betrag ab {least} senden. Kommt weniger an, wird es nicht gutgeschrieben.',
  amountPaid: 'Eingegangen',
  amountOver: 'Zu viel gezahlt',
  amountWasDue: 'War fällig',
  amountSettled: 'Bezahlt',
  amountRefunded: 'Erstattet',
  itemOrder: 'Bestellung',
  itemDiscount: 'Rabatt',
  itemSurcharge: 'Aufschlag',
  itemFee: 'Zahlungsgebühr',
  itemTotal: 'Gesamt',
  rateHeld: '{rate}, gilt {until}',
  orderReference: 'Bestellnummer',
  contactTitle: 'Kontakt zu {merchant}',
  terms: 'Verkaufsbedingungen',

  chooseTitle: 'Kryptowährung wählen',
  chooseText: 'Mit Ihrer Wahl steht der Betrag fest.',
  waitingTitle: 'Wir warten auf Ihre Zahlung',
  waitingText: 'Sobald sie eintrifft, sehen Sie es hier.',
  seenLate:
    'Zahlungen über {network} werden zurzeit verspätet erkannt. Wenn Sie schon bezahlt haben, zahlen Sie nicht noch einmal: Ihre Zahlung erscheint hier.',
  seenTitle: 'Zahlung erkannt',
  seenText: 'Das Netzwerk bestätigt sie gerade. Sie müssen nichts weiter tun.',
  seenPartText:
    'Ein Teil des Betrags ist unterwegs. Ist nach der Bestätigung noch Zeit, sehen Sie hier, wie Sie den Rest zahlen.',
  seenPartLateText:
    'Ein Teil des Betrags ist unterwegs, aber die Zeit zum Bezahlen ist abgelaufen. Bitte wenden Sie sich an den Händler.',
  partialTitle: 'Teilzahlung eingegangen',
  partialText: 'Bitte senden Sie den restlichen Betrag an dieselbe Adresse.',
  paidTitle: 'Bezahlt',
  paidText: 'Vielen Dank. Der Händler wurde benachrichtigt.',
  overText:
    'Vielen Dank. Sie haben mehr als nötig gezahlt. Wegen der Differenz wenden Sie sich bitte an den Händler.',
  expiredTitle: 'Diese Rechnung ist abgelaufen',
  expiredText: 'Bitte senden Sie jetzt nichts mehr. Lassen Sie sich vom Händler eine neue Rechnung geben.',
  lateTitle: 'Die Zeit ist abgelaufen',
  lateText: 'Es ist nur ein Teil des Betrags eingegangen. Bitte wenden Sie sich an den Händler.',
  reviewTitle: 'Die Zahlung wird geprüft',
  reviewText: 'Sie ist eingegangen und wird noch geprüft. Der Händler meldet sich bei Ihnen.',
  failedTitle: 'Die Zahlung ist nicht zustande gekommen',
  failedText:
    'Das Netzwerk hat sie verworfen. Wenn der Betrag Ihre Wallet verlassen hat, wenden Sie sich bitte an den Händler.',
  refundedTitle: 'Erstattet',
  refundedText: 'Der Händler hat diese Zahlung erstattet.',
  paidLateTitle: 'Schon gezahlt?',
  paidLateText:
    'Wenn Sie gezahlt haben, kann der Händler die Zahlung finden. Nennen Sie ihm die Transaktions-ID aus Ihrer Wallet.',

  timeLeft: 'Verbleibende Zeit',
  untilDate: 'bis {time}',
  untilTime: 'bis {time}',
  minutesLeft: {
    one: 'Noch {n} Minute Zeit zum Bezahlen.',
    other: 'Noch {n} Minuten Zeit zum Bezahlen.',
  },

  sendExactly: 'Senden Sie genau',
  stillToSend: 'Noch zu senden',
  receivedSoFar: 'Bisher eingegangen: {amount}',
  toAddress: 'An diese Adresse im Netzwerk {network}',
  withTag: 'Mit diesem Destination-Tag',
  tagNeeded: 'Ohne Destination-Tag lässt sich Ihre Zahlung nicht zuordnen.',
  orXAddress: 'Meine Wallet unterstützt X-Adressen',
  xAddress: 'X-Adresse, sie enthält Adresse und Tag',
  copy: 'Kopieren',
  copied: 'Kopiert',
  scan: 'Mit der Wallet scannen',
  showQr: 'QR-Code anzeigen',
  qrLabel: 'QR-Code dieser Zahlung: {amount} im Netzwerk {network}',
  openWallet: 'In der Wallet öffnen',
  onlyNetwork: 'Senden Sie nur {symbol} im Netzwerk {network}. Alles andere kann verloren gehen.',
  feeOnTop: 'Netzwerkgebühren kommen hinzu: Genau dieser Betrag muss ankommen.',
  noMemo: 'Kein Kommentar oder Memo nötig: Diese Adresse gehört nur zu dieser Zahlung.',

  change: 'Währung ändern',
  search: 'Währung oder Netzwerk suchen',
  noMatch: 'Nichts gefunden.',
  feeAbout: 'Netzwerkgebühr etwa {fee}',
  feeUnder: 'Netzwerkgebühr unter {fee}',
  noCurrency:
    'Im Moment ist keine Währung verfügbar. Bitte versuchen Sie es später noch einmal oder wenden Sie sich an den Händler.',

  payments: { one: 'Ihre Zahlung', other: 'Ihre Zahlungen' },
  inMempool: 'Erkannt, wartet auf den ersten Block',
  confirmationsOf: { one: '{n} von {m} Bestätigung', other: '{n} von {m} Bestätigungen' },
  confirmationsSoFar: {
    one: 'Wird bestätigt: bisher {n} Bestätigung',
    other: 'Wird bestätigt: bisher {n} Bestätigungen',
  },
  confirmed: 'Bestätigt',
  viewTransaction: 'Transaktion ansehen',
  newTab: '(öffnet einen neuen Tab)',
  transactionId: 'Transaktions-ID',

  testTitle: 'Testrechnung.',
  testWarning: 'Senden Sie kein echtes Geld: Es wäre verloren.',
  simulate: 'Zahlung simulieren',
  simulatePaid: 'Vollständig',
  simulatePartial: 'Ein Teil',
  simulateOver: 'Zu viel',

  back: 'Zurück zum Händler',
  backTo: 'Zurück zu {merchant}',
  cancel: 'Abbrechen und zurück',
  leaving: 'Sie werden in {seconds} weitergeleitet',
  stay: 'Hier bleiben',

  notFoundTitle: 'Diese Zahlung gibt es nicht',
  notFoundText: 'Prüfen Sie den Link oder lassen Sie sich vom Händler einen neuen geben.',
  momentTitle: 'Einen Moment bitte',
  busyText: 'Zu viele Anfragen. Bitte versuchen Sie es gleich noch einmal.',
  awayText:
    'Die Zahlungsseite lässt sich gerade nicht anzeigen. Es ist nichts verloren; bitte laden Sie sie in ein paar Sekunden neu.',
  tryAgain: 'Noch einmal versuchen',
  problemForeign: 'Bitte treffen Sie die Auswahl zu Ihrer Sicherheit direkt auf dieser Seite.',
  problemChoice: 'Bitte wählen Sie eine der Währungen unten.',
  problemRejected: 'Das ist nicht mehr möglich. So steht es jetzt um die Zahlung.',
  problemRates: 'Gerade liegt kein aktueller Wechselkurs vor. Bitte versuchen Sie es gleich noch einmal.',
  problemNetwork:
    'Dieses Netzwerk ist noch nicht bereit. Bitte versuchen Sie es in ein paar Sekunden noch einmal oder wählen Sie eine andere Währung.',
  problemOther: 'Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.',

  // The receipt.
  receipt: 'Beleg',
  receiptDate: 'Datum',
  receiptNumber: 'Belegnummer',
  receiptSeller: 'Verkäufer',
  receiptNetwork: 'Netzwerk',
  receiptRate: 'Wechselkurs',
  receiptPdf: 'Als PDF herunterladen',
  receiptPrint: 'Drucken',
  receiptNone: 'Einen Beleg gibt es, sobald die Zahlung vollständig ist.',

  // Payment links.
  linkPay: 'Bezahlen',
  linkDonate: 'Spenden',
  linkCharge: 'Kassieren',
  linkAmount: 'Betrag',
  linkFromTo: 'Von {least} bis {most}',
  linkFrom: 'Ab {least}',
  linkUpTo: 'Bis {most}',
  linkName: 'Ihr Name',
  linkEmail: 'Ihre E-Mail-Adresse',
  linkNote: 'Notiz (freiwillig)',
  linkLeft: { one: 'Noch {n} verfügbar', other: 'Noch {n} verfügbar' },
  linkTip: 'Trinkgeld',
  linkNoTip: 'Kein Trinkgeld',
  linkLast: 'Letzte Zahlungen',
  linkNoneYet: 'Hier erscheinen die Zahlungen des letzten Tages.',
  linkClosedTitle: 'Dieser Link ist geschlossen',
  linkClosedText: 'Er nimmt keine Zahlungen mehr an. Fragen Sie den Händler nach einem anderen Weg.',
  linkSoldOutTitle: 'Ausverkauft',
  linkClear: 'Löschen',
  problemAmount: 'Bitte geben Sie einen Betrag ein, der hier erlaubt ist.',
  problemFields: 'Bitte füllen Sie alle Felder aus.',
  problemTooSmall: 'Dieser Betrag ist zu klein, um bezahlt zu werden.',

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
