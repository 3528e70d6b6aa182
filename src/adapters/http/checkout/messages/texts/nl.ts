/** The checkout's texts in Dutch. */
import type { Messages } from '../message-keys.ts';

export const NL: Messages = {
  nativeName: 'Nederlands',
  payment: 'Betaling',
  language: 'Taal',
  secured: 'Mogelijk gemaakt door {name}',
  refresh: 'Status vernieuwen',

  amountDue: 'Te betalen',
  amountSuggested: 'Voorgesteld bedrag',
  amountAny: 'U kunt elk bedrag vanaf {least} sturen. Minder wordt niet bijgeschreven.',
  amountPaid: 'Ontvangen',
  amountOver: 'Te veel betaald',
  amountWasDue: 'Was verschuldigd',
  amountSettled: 'Betaald',
  amountRefunded: 'Terugbetaald',
  itemOrder: 'Bestelling',
  itemDiscount: 'Korting',
  itemSurcharge: 'Toeslag',
  itemFee: 'Betaalkosten',
  itemTotal: 'Totaal',
  rateHeld: '{rate}, geldig {until}',
  orderReference: 'Bestelnummer',
  contactTitle: 'Contact met {merchant}',
  terms: 'Verkoopvoorwaarden',

  chooseTitle: 'Kies een cryptovaluta',
  chooseText: 'Het bedrag ligt vast zodra u kiest.',
  waitingTitle: 'We wachten op uw betaling',
  waitingText: 'Zodra ze binnenkomt, ziet u het hier.',
  seenLate:
    'Betalingen op {network} worden nu met vertraging getoond. Hebt u al betaald, betaal dan niet opnieuw: uw betaling verschijnt hier.',
  seenTitle: 'Betaling gedetecteerd',
  seenText: 'Het netwerk bevestigt ze nu. U hoeft niets meer te doen.',
  seenPartText:
    'Een deel van het bedrag is onderweg. Is er na de bevestiging nog tijd, dan ziet u hier hoe u de rest betaalt.',
  seenPartLateText:
    'Een deel van het bedrag is onderweg, maar de betaaltijd is voorbij. Neem contact op met de verkoper.',
  partialTitle: 'Gedeeltelijke betaling ontvangen',
  partialText: 'Stuur het resterende bedrag naar hetzelfde adres.',
  paidTitle: 'Betaald',
  paidText: 'Dank u. De verkoper is op de hoogte gebracht.',
  overText: 'Dank u. U hebt meer betaald dan nodig. Neem over het verschil contact op met de verkoper.',
  expiredTitle: 'Deze factuur is verlopen',
  expiredText: 'Stuur nu niets meer. Vraag de verkoper om een nieuwe factuur.',
  lateTitle: 'De tijd is om',
  lateText: 'Slechts een deel van het bedrag is aangekomen. Neem contact op met de verkoper.',
  reviewTitle: 'De betaling wordt gecontroleerd',
  reviewText: 'Ze is aangekomen en wordt gecontroleerd. De verkoper neemt contact met u op.',
  failedTitle: 'De betaling is niet gelukt',
  failedText:
    'Het netwerk heeft ze laten vallen. Heeft het geld uw wallet verlaten, neem dan contact op met de verkoper.',
  refundedTitle: 'Terugbetaald',
  refundedText: 'De verkoper heeft deze betaling terugbetaald.',
  paidLateTitle: 'Al betaald?',
  paidLateText:
    'Als u hebt betaald, kan de verkoper de betaling vinden. Neem contact op en vermeld de transactie-id uit uw wallet.',

  timeLeft: 'Resterende tijd',
  untilDate: 'tot {time}',
  untilTime: 'tot {time}',
  minutesLeft: { one: 'Nog {n} minuut om te betalen.', other: 'Nog {n} minuten om te betalen.' },

  sendExactly: 'Stuur precies',
  stillToSend: 'Nog te sturen',
  receivedSoFar: 'Tot nu toe ontvangen: {amount}',
  toAddress: 'Naar dit adres op {network}',
  withTag: 'Met deze bestemmingstag (destination tag)',
  tagNeeded: 'Zonder de tag kan uw betaling niet worden herkend.',
  orXAddress: 'Mijn wallet ondersteunt X-adressen',
  xAddress: 'X-adres, dat adres en tag bevat',
  copy: 'Kopiëren',
  copied: 'Gekopieerd',
  scan: 'Scan met uw wallet',
  showQr: 'QR-code tonen',
  qrLabel: 'QR-code van deze betaling: {amount} op {network}',
  openWallet: 'Openen in wallet',
  onlyNetwork: 'Stuur alleen {symbol} op het netwerk {network}. Al het andere kan verloren gaan.',
  feeOnTop: 'Netwerkkosten komen erbij: precies dit bedrag moet aankomen.',
  noMemo: 'Een opmerking of memo is niet nodig: dit adres hoort alleen bij deze betaling.',

  change: 'Valuta wijzigen',
  search: 'Zoek op valuta of netwerk',
  noMatch: 'Niets gevonden.',
  feeAbout: 'netwerkkosten ongeveer {fee}',
  feeUnder: 'netwerkkosten minder dan {fee}',
  noCurrency:
    'Er is nu geen valuta beschikbaar. Probeer het later opnieuw of neem contact op met de verkoper.',

  payments: { one: 'Uw betaling', other: 'Uw betalingen' },
  inMempool: 'Gedetecteerd, wacht op het eerste blok',
  confirmationsOf: { one: '{n} van {m} bevestiging', other: '{n} van {m} bevestigingen' },
  confirmationsSoFar: {
    one: 'Wordt bevestigd: tot nu toe {n} bevestiging',
    other: 'Wordt bevestigd: tot nu toe {n} bevestigingen',
  },
  confirmed: 'Bevestigd',
  viewTransaction: 'Transactie bekijken',
  newTab: '(opent in een nieuw tabblad)',
  transactionId: 'Transactie-id',

  testTitle: 'Testfactuur.',
  testWarning: 'Stuur geen echt geld: het zou verloren zijn.',
  simulate: 'Een betaling simuleren',
  simulatePaid: 'Volledig',
  simulatePartial: 'Gedeeltelijk',
  simulateOver: 'Te veel',

  back: 'Terug naar de verkoper',
  backTo: 'Terug naar {merchant}',
  cancel: 'Annuleren en terug',
  leaving: 'U gaat terug over {seconds}',
  stay: 'Hier blijven',

  notFoundTitle: 'Deze betaling bestaat niet',
  notFoundText: 'Controleer de link of vraag de verkoper om een nieuwe.',
  momentTitle: 'Een ogenblik',
  busyText: 'Te veel verzoeken. Probeer het zo opnieuw.',
  awayText:
    'De betaalpagina kan nu niet worden getoond. Er is niets verloren; laad de pagina over enkele seconden opnieuw.',
  tryAgain: 'Opnieuw proberen',
  problemForeign: 'Maak uw keuze voor uw veiligheid op deze pagina.',
  problemChoice: 'Kies een van de valuta’s hieronder.',
  problemRejected: 'Dat kan niet meer. Deze pagina toont de huidige status van de betaling.',
  problemRates: 'Er is nu geen actuele wisselkoers. Probeer het zo opnieuw.',
  problemNetwork:
    'Dit netwerk is nog niet klaar. Probeer het over enkele seconden opnieuw of kies een andere valuta.',
  problemOther: 'Dat is niet gelukt. Probeer het opnieuw.',

  // The receipt.
  receipt: 'Ontvangstbewijs',
  receiptDate: 'Datum',
  receiptNumber: 'Bonnummer',
  receiptSeller: 'Verkoper',
  receiptNetwork: 'Netwerk',
  receiptRate: 'Wisselkoers',
  receiptPdf: 'Downloaden als PDF',
  receiptPrint: 'Afdrukken',
  receiptNone: 'Er is een ontvangstbewijs zodra de betaling compleet is.',

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
