/** The checkout's texts in Polish. */
import type { Messages } from '../message-keys.ts';

export const PL: Messages = {
  nativeName: 'Polski',
  payment: 'Płatność',
  language: 'Język',
  secured: 'Obsługuje {name}',
  refresh: 'Odśwież status',

  amountDue: 'Do zapłaty',
  amountSuggested: 'Sugerowana kwota',
  amountAny: 'Można wysłać dowolną kwotę od {least}. Mniejsza kwota nie zostanie zaksięgowana.',
  amountPaid: 'Otrzymano',
  amountOver: 'Nadpłata',
  amountWasDue: 'Było do zapłaty',
  amountSettled: 'Zapłacono',
  amountRefunded: 'Zwrócono',
  itemOrder: 'Zamówienie',
  itemDiscount: 'Rabat',
  itemSurcharge: 'Dopłata',
  itemFee: 'Opłata za płatność',
  itemTotal: 'Razem',
  rateHeld: '{rate}, kurs obowiązuje {until}',
  orderReference: 'Numer zamówienia',
  contactTitle: 'Kontakt: {merchant}',
  terms: 'Warunki sprzedaży',

  chooseTitle: 'Wybierz kryptowalutę',
  chooseText: 'Kwota zostanie ustalona w chwili wyboru.',
  waitingTitle: 'Czekamy na płatność',
  waitingText: 'Gdy tylko dotrze, zobaczysz ją tutaj.',
  seenLate:
    'Płatności w sieci {network} są teraz wykrywane z opóźnieniem. Jeśli płatność została już wysłana, nie płać ponownie: pojawi się tutaj.',
  seenTitle: 'Wykryto płatność',
  seenText: 'Sieć ją potwierdza. Nie musisz już nic robić.',
  seenPartText:
    'Część kwoty jest w drodze. Jeśli po potwierdzeniu zostanie jeszcze czas, strona pokaże, jak dopłacić resztę.',
  seenPartLateText: 'Część kwoty jest w drodze, ale czas na zapłatę minął. Skontaktuj się ze sprzedawcą.',
  partialTitle: 'Otrzymano część płatności',
  partialText: 'Wyślij pozostałą kwotę na ten sam adres.',
  paidTitle: 'Zapłacono',
  paidText: 'Dziękujemy. Sprzedawca został powiadomiony.',
  overText: 'Dziękujemy. Wpłacono więcej, niż było trzeba. W sprawie różnicy skontaktuj się ze sprzedawcą.',
  expiredTitle: 'Ten rachunek wygasł',
  expiredText: 'Nie wysyłaj już nic. Poproś sprzedawcę o nowy rachunek.',
  lateTitle: 'Czas minął',
  lateText: 'Dotarła tylko część kwoty. Skontaktuj się ze sprzedawcą.',
  reviewTitle: 'Płatność jest sprawdzana',
  reviewText: 'Dotarła i jest weryfikowana. Sprzedawca się odezwie.',
  failedTitle: 'Płatność nie doszła do skutku',
  failedText: 'Sieć ją odrzuciła. Jeśli środki opuściły portfel, skontaktuj się ze sprzedawcą.',
  refundedTitle: 'Zwrócono',
  refundedText: 'Sprzedawca zwrócił tę płatność.',
  paidLateTitle: 'Płatność już wysłana?',
  paidLateText:
    'Jeśli została wysłana, sprzedawca może ją odnaleźć. Skontaktuj się z nim i podaj identyfikator transakcji z portfela.',

  timeLeft: 'Pozostały czas',
  untilDate: 'do {time}',
  untilTime: 'do {time}',
  minutesLeft: {
    one: 'Została {n} minuta na zapłatę.',
    few: 'Zostały {n} minuty na zapłatę.',
    many: 'Zostało {n} minut na zapłatę.',
    other: 'Zostało {n} minuty na zapłatę.',
  },

  sendExactly: 'Wyślij dokładnie',
  stillToSend: 'Pozostało do wysłania',
  receivedSoFar: 'Otrzymano dotąd: {amount}',
  toAddress: 'Na ten adres w sieci {network}',
  withTag: 'Z tym tagiem docelowym (destination tag)',
  tagNeeded: 'Bez tagu nie rozpoznamy tej płatności.',
  orXAddress: 'Mój portfel obsługuje adresy X',
  xAddress: 'Adres X, który zawiera adres i tag',
  copy: 'Kopiuj',
  copied: 'Skopiowano',
  scan: 'Zeskanuj portfelem',
  showQr: 'Pokaż kod QR',
  qrLabel: 'Kod QR tej płatności: {amount} w sieci {network}',
  openWallet: 'Otwórz w portfelu',
  onlyNetwork: 'Wysyłaj tylko {symbol} i tylko w sieci {network}. Wszystko inne może przepaść.',
  feeOnTop: 'Opłaty sieciowe są doliczane osobno: musi dotrzeć dokładnie ta kwota.',
  noMemo: 'Komentarz ani memo nie są potrzebne: ten adres służy tylko do tej płatności.',

  change: 'Zmień walutę',
  search: 'Szukaj waluty lub sieci',
  noMatch: 'Nic nie znaleziono.',
  feeAbout: 'opłata sieciowa ok. {fee}',
  feeUnder: 'opłata sieciowa poniżej {fee}',
  noCurrency:
    'W tej chwili żadna waluta nie jest dostępna. Spróbuj później lub skontaktuj się ze sprzedawcą.',

  payments: {
    one: 'Twoja płatność',
    few: 'Twoje płatności',
    many: 'Twoje płatności',
    other: 'Twoje płatności',
  },
  inMempool: 'Wykryto, czeka na pierwszy blok',
  confirmationsOf: {
    one: '{n} z {m} potwierdzenia',
    few: '{n} z {m} potwierdzeń',
    many: '{n} z {m} potwierdzeń',
    other: '{n} z {m} potwierdzeń',
  },
  confirmationsSoFar: {
    one: 'W trakcie potwierdzania: na razie {n} potwierdzenie',
    few: 'W trakcie potwierdzania: na razie {n} potwierdzenia',
    many: 'W trakcie potwierdzania: na razie {n} potwierdzeń',
    other: 'W trakcie potwierdzania: na razie {n} potwierdzenia',
  },
  confirmed: 'Potwierdzono',
  viewTransaction: 'Zobacz transakcję',
  newTab: '(otwiera się w nowej karcie)',
  transactionId: 'Identyfikator transakcji',

  testTitle: 'Rachunek testowy.',
  testWarning: 'Nie wysyłaj prawdziwych pieniędzy: przepadną.',
  simulate: 'Symuluj płatność',
  simulatePaid: 'W całości',
  simulatePartial: 'Częściowo',
  simulateOver: 'Za dużo',

  back: 'Wróć do sprzedawcy',
  backTo: 'Wróć do: {merchant}',
  cancel: 'Anuluj i wróć',
  leaving: 'Powrót do sprzedawcy za {seconds}',
  stay: 'Zostań tutaj',

  notFoundTitle: 'Nie ma takiej płatności',
  notFoundText: 'Sprawdź link lub poproś sprzedawcę o nowy.',
  momentTitle: 'Chwileczkę',
  busyText: 'Zbyt wiele żądań. Spróbuj ponownie za chwilę.',
  awayText: 'Nie można teraz pokazać strony płatności. Nic nie przepadło; odśwież ją za kilka sekund.',
  tryAgain: 'Spróbuj ponownie',
  problemForeign: 'Dla bezpieczeństwa dokonaj wyboru na tej stronie.',
  problemChoice: 'Wybierz jedną z walut poniżej.',
  problemRejected: 'To już nie jest możliwe. Ta strona pokazuje bieżący stan płatności.',
  problemRates: 'Brak aktualnego kursu. Spróbuj ponownie za chwilę.',
  problemNetwork: 'Ta sieć nie jest jeszcze gotowa. Spróbuj za kilka sekund lub wybierz inną walutę.',
  problemOther: 'Nie udało się. Spróbuj ponownie.',

  // The receipt.
  receipt: 'Potwierdzenie',
  receiptDate: 'Data',
  receiptNumber: 'Numer potwierdzenia',
  receiptSeller: 'Sprzedawca',
  receiptNetwork: 'Sieć',
  receiptRate: 'Kurs wymiany',
  receiptPdf: 'Pobierz jako PDF',
  receiptPrint: 'Drukuj',
  receiptNone: 'Potwierdzenie pojawi się, gdy płatność będzie kompletna.',

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
