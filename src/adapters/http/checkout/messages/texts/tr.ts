/** The checkout's texts in Turkish. */
import type { Messages } from '../message-keys.ts';

export const TR: Messages = {
  nativeName: 'Türkçe',
  payment: 'Ödeme',
  language: 'Dil',
  secured: '{name} ile çalışır',
  refresh: 'Durumu yenile',

  amountDue: 'Ödenecek tutar',
  amountSuggested: 'Önerilen tutar',
  amountAny:
    'En az {least} olmak üzere dilediğiniz tutarı gönderebilirsiniz. Daha azı hesabınıza yansıtılmaz.',
  amountPaid: 'Alınan tutar',
  amountOver: 'Fazla ödenen',
  amountWasDue: 'Ödenmesi gereken',
  amountSettled: 'Ödendi',
  amountRefunded: 'İade edildi',
  itemOrder: 'Sipariş',
  itemDiscount: 'İndirim',
  itemSurcharge: 'Ek ücret',
  itemFee: 'Ödeme ücreti',
  itemTotal: 'Toplam',
  rateHeld: '{rate}, kur sabit. {until}',
  orderReference: 'Sipariş numarası',
  contactTitle: '{merchant} ile iletişim',
  terms: 'Satış koşulları',

  chooseTitle: 'Kripto para seçin',
  chooseText: 'Tutar, seçiminizle birlikte sabitlenir.',
  waitingTitle: 'Ödemeniz bekleniyor',
  waitingText: 'Ödemeniz ulaştığında burada göreceksiniz.',
  seenLate:
    '{network} ağındaki ödemeler şu anda gecikmeli olarak görünüyor. Ödemeyi zaten yaptıysanız tekrar ödemeyin: ödemeniz burada görünecek.',
  seenTitle: 'Ödeme algılandı',
  seenText: 'Ağ tarafından onaylanıyor. Başka bir şey yapmanıza gerek yok.',
  seenPartText:
    'Tutarın bir kısmı yolda. Onaylandığında hâlâ süre varsa kalanı nasıl ödeyeceğiniz bu sayfada gösterilecek.',
  seenPartLateText: 'Tutarın bir kısmı yolda, ancak ödeme süresi doldu. Lütfen satıcıyla iletişime geçin.',
  partialTitle: 'Kısmi ödeme alındı',
  partialText: 'Lütfen kalanı aynı adrese gönderin.',
  paidTitle: 'Ödendi',
  paidText: 'Teşekkürler. Satıcıya haber verildi.',
  overText: 'Teşekkürler. Gerekenden fazla ödediniz. Aradaki fark için satıcıyla iletişime geçin.',
  expiredTitle: 'Bu faturanın süresi doldu',
  expiredText: 'Lütfen artık bir şey göndermeyin. Satıcıdan yeni bir fatura isteyin.',
  lateTitle: 'Süre doldu',
  lateText: 'Tutarın yalnızca bir kısmı ulaştı. Lütfen satıcıyla iletişime geçin.',
  reviewTitle: 'Ödeme inceleniyor',
  reviewText: 'Ödeme ulaştı ve kontrol ediliyor. Satıcı sizinle iletişime geçecek.',
  failedTitle: 'Ödeme gerçekleşmedi',
  failedText: 'Ağ bu işlemi reddetti. Cüzdanınızdan para çıktıysa satıcıyla iletişime geçin.',
  refundedTitle: 'İade edildi',
  refundedText: 'Satıcı bu ödemeyi iade etti.',
  paidLateTitle: 'Ödemeyi yaptınız mı?',
  paidLateText:
    'Gönderdiyseniz satıcı ödemeyi bulabilir. Satıcıyla iletişime geçin ve cüzdanınızda görünen işlem kimliğini iletin.',

  timeLeft: 'Kalan süre',
  untilDate: 'Son ödeme zamanı: {time}',
  untilTime: 'Son ödeme saati: {time}',
  minutesLeft: {
    one: 'Ödeme için {n} dakika kaldı.',
    other: 'Ödeme için {n} dakika kaldı.',
  },

  sendExactly: 'Tam olarak şu tutarı gönderin',
  stillToSend: 'Gönderilecek kalan',
  receivedSoFar: 'Şimdiye kadar alınan: {amount}',
  toAddress: '{network} ağındaki bu adrese',
  withTag: 'Bu hedef etiketiyle (destination tag)',
  tagNeeded: 'Etiket olmadan ödemeniz tanınamaz.',
  orXAddress: 'Cüzdanım X adreslerini destekliyor',
  xAddress: 'Adresi ve etiketi birlikte içeren X adresi',
  copy: 'Kopyala',
  copied: 'Kopyalandı',
  scan: 'Cüzdanınızla tarayın',
  showQr: 'Karekodu göster',
  qrLabel: 'Bu ödemenin karekodu: {network} ağında {amount}',
  openWallet: 'Cüzdanda aç',
  onlyNetwork: 'Yalnızca {network} ağında {symbol} gönderin. Başka her şey kaybolabilir.',
  feeOnTop: 'Ağ ücretleri ayrıca eklenir: tam olarak bu tutarın ulaşması gerekir.',
  noMemo: 'Yorum veya memo gerekmez: bu adres yalnızca bu ödemeye aittir.',

  change: 'Para birimini değiştir',
  search: 'Para birimi veya ağ ara',
  noMatch: 'Sonuç bulunamadı.',
  feeAbout: 'ağ ücreti yaklaşık {fee}',
  feeUnder: 'ağ ücreti {fee} altında',
  noCurrency:
    'Şu anda kullanılabilir bir para birimi yok. Lütfen daha sonra tekrar deneyin veya satıcıyla iletişime geçin.',

  payments: { one: 'Ödemeniz', other: 'Ödemeleriniz' },
  inMempool: 'Algılandı, ilk blok bekleniyor',
  confirmationsOf: { one: '{n}/{m} onay', other: '{n}/{m} onay' },
  confirmationsSoFar: {
    one: 'Onaylanıyor: şimdiye kadar {n} onay',
    other: 'Onaylanıyor: şimdiye kadar {n} onay',
  },
  confirmed: 'Onaylandı',
  viewTransaction: 'İşlemi görüntüle',
  newTab: '(yeni sekmede açılır)',
  transactionId: 'İşlem kimliği',

  testTitle: 'Test faturası.',
  testWarning: 'Gerçek para göndermeyin: kaybolur.',
  simulate: 'Ödemeyi simüle et',
  simulatePaid: 'Tamamı',
  simulatePartial: 'Bir kısmı',
  simulateOver: 'Fazlası',

  back: 'Satıcıya dön',
  backTo: '{merchant} sitesine dön',
  cancel: 'İptal et ve geri dön',
  leaving: 'Yönlendiriliyorsunuz: {seconds}',
  stay: 'Burada kal',

  notFoundTitle: 'Böyle bir ödeme yok',
  notFoundText: 'Bağlantıyı kontrol edin veya satıcıdan yenisini isteyin.',
  momentTitle: 'Bir dakika lütfen',
  busyText: 'Çok fazla istek gönderildi. Lütfen birazdan tekrar deneyin.',
  awayText:
    'Ödeme sayfası şu anda gösterilemiyor. Hiçbir şey kaybolmadı; lütfen birkaç saniye sonra yeniden yükleyin.',
  tryAgain: 'Tekrar dene',
  problemForeign: 'Güvenliğiniz için lütfen seçimi doğrudan bu sayfada yapın.',
  problemChoice: 'Lütfen aşağıdaki para birimlerinden birini seçin.',
  problemRejected: 'Bu artık mümkün değil. Ödemenin şu anki durumu aşağıda.',
  problemRates: 'Şu anda güncel bir kur yok. Lütfen birazdan tekrar deneyin.',
  problemNetwork:
    'Bu ağ henüz hazır değil. Lütfen birkaç saniye sonra tekrar deneyin veya başka bir para birimi seçin.',
  problemOther: 'İşlem tamamlanamadı. Lütfen tekrar deneyin.',

  // The receipt.
  receipt: 'Makbuz',
  receiptDate: 'Tarih',
  receiptNumber: 'Makbuz numarası',
  receiptSeller: 'Satıcı',
  receiptNetwork: 'Ağ',
  receiptRate: 'Döviz kuru',
  receiptPdf: 'PDF olarak indir',
  receiptPrint: 'Yazdır',
  receiptNone: 'Ödeme tamamlandığında makbuz hazır olur.',

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
