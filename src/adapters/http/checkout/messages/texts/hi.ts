/** The checkout's texts in Hindi. */
import type { Messages } from '../message-keys.ts';

export const HI: Messages = {
  nativeName: 'हिन्दी',
  payment: 'भुगतान',
  language: 'भाषा',
  secured: '{name} द्वारा संचालित',
  refresh: 'स्थिति ताज़ा करें',

  amountDue: 'भुगतान की राशि',
  amountSuggested: 'सुझाई गई राशि',
  amountAny: 'आप {least} या उससे ज़्यादा कोई भी राशि भेज सकते हैं। इससे कम राशि जमा नहीं होगी।',
  amountPaid: 'प्राप्त',
  amountOver: 'अधिक भुगतान',
  amountWasDue: 'देय राशि थी',
  amountSettled: 'भुगतान हो गया',
  amountRefunded: 'राशि लौटाई गई',
  itemOrder: 'ऑर्डर',
  itemDiscount: 'छूट',
  itemSurcharge: 'अतिरिक्त शुल्क',
  itemFee: 'भुगतान शुल्क',
  itemTotal: 'कुल',
  rateHeld: '{rate}, {until} तय',
  orderReference: 'ऑर्डर संख्या',
  contactTitle: '{merchant} से संपर्क करें',
  terms: 'बिक्री की शर्तें',

  chooseTitle: 'क्रिप्टोकरेंसी चुनें',
  chooseText: 'चुनते ही राशि तय हो जाती है।',
  waitingTitle: 'आपके भुगतान की प्रतीक्षा है',
  waitingText: 'भुगतान आते ही आपको यहाँ दिखेगा।',
  seenLate:
    '{network} पर भुगतान अभी देर से दिख रहे हैं। अगर आप भुगतान कर चुके हैं, तो दोबारा न करें: आपका भुगतान यहाँ दिखेगा।',
  seenTitle: 'भुगतान दिख गया',
  seenText: 'नेटवर्क इसकी पुष्टि कर रहा है। आपको और कुछ नहीं करना है।',
  seenPartText: 'राशि का एक हिस्सा आ रहा है। पुष्टि के बाद समय बचा तो यह पृष्ठ बताएगा कि बाकी राशि कैसे दें।',
  seenPartLateText: 'राशि का एक हिस्सा आ रहा है, लेकिन भुगतान का समय समाप्त हो गया है। विक्रेता से संपर्क करें।',
  partialTitle: 'आंशिक भुगतान मिला',
  partialText: 'कृपया बाकी राशि उसी पते पर भेजें।',
  paidTitle: 'भुगतान हो गया',
  paidText: 'धन्यवाद। विक्रेता को सूचना दे दी गई है।',
  overText: 'धन्यवाद। आपने देय राशि से ज़्यादा भुगतान किया है। अंतर के लिए विक्रेता से संपर्क करें।',
  expiredTitle: 'इस बिल की अवधि समाप्त हो गई है',
  expiredText: 'कृपया अब कुछ न भेजें। विक्रेता से नया बिल माँगें।',
  lateTitle: 'समय समाप्त हो गया',
  lateText: 'राशि का केवल एक हिस्सा आया। विक्रेता से संपर्क करें।',
  reviewTitle: 'भुगतान की जाँच हो रही है',
  reviewText: 'भुगतान आ गया है और जाँचा जा रहा है। विक्रेता आपसे संपर्क करेगा।',
  failedTitle: 'भुगतान नहीं हो सका',
  failedText: 'नेटवर्क ने इसे हटा दिया। अगर राशि आपके वॉलेट से निकल गई है, तो विक्रेता से संपर्क करें।',
  refundedTitle: 'राशि लौटाई गई',
  refundedText: 'विक्रेता ने यह भुगतान लौटा दिया है।',
  paidLateTitle: 'पहले ही भुगतान कर दिया?',
  paidLateText:
    'अगर आपने भेजा है, तो विक्रेता उसे ढूँढ सकता है। अपने वॉलेट में दिखने वाली लेनदेन आईडी के साथ विक्रेता से संपर्क करें।',

  timeLeft: 'शेष समय',
  untilDate: '{time} तक',
  untilTime: '{time} तक',
  minutesLeft: { one: 'भुगतान के लिए {n} मिनट बचा है।', other: 'भुगतान के लिए {n} मिनट बचे हैं।' },

  sendExactly: 'ठीक इतना भेजें',
  stillToSend: 'अभी भेजना बाकी',
  receivedSoFar: 'अब तक प्राप्त: {amount}',
  toAddress: '{network} पर इस पते पर',
  withTag: 'इस डेस्टिनेशन टैग (destination tag) के साथ',
  tagNeeded: 'टैग के बिना आपका भुगतान पहचाना नहीं जा सकता।',
  orXAddress: 'मेरा वॉलेट X-पते का समर्थन करता है',
  xAddress: 'X-पता, जिसमें पता और टैग दोनों हैं',
  copy: 'कॉपी करें',
  copied: 'कॉपी हो गया',
  scan: 'अपने वॉलेट से स्कैन करें',
  showQr: 'QR कोड दिखाएँ',
  qrLabel: 'इस भुगतान का QR कोड: {network} पर {amount}',
  openWallet: 'वॉलेट में खोलें',
  onlyNetwork: '{network} नेटवर्क पर केवल {symbol} भेजें। बाकी सब खो सकता है।',
  feeOnTop: 'नेटवर्क शुल्क अलग से लगता है: ठीक यही राशि पहुँचनी चाहिए।',
  noMemo: 'किसी टिप्पणी या मेमो की ज़रूरत नहीं: यह पता केवल इसी भुगतान के लिए है।',

  change: 'मुद्रा बदलें',
  search: 'मुद्रा या नेटवर्क खोजें',
  noMatch: 'कुछ नहीं मिला।',
  feeAbout: 'नेटवर्क शुल्क लगभग {fee}',
  feeUnder: 'नेटवर्क शुल्क {fee} से कम',
  noCurrency: 'अभी कोई मुद्रा उपलब्ध नहीं है। कृपया बाद में फिर कोशिश करें या विक्रेता से संपर्क करें।',

  payments: { one: 'आपका भुगतान', other: 'आपके भुगतान' },
  inMempool: 'दिख गया, पहले ब्लॉक की प्रतीक्षा है',
  confirmationsOf: { one: '{m} में से {n} पुष्टि', other: '{m} में से {n} पुष्टियाँ' },
  confirmationsSoFar: { one: 'पुष्टि हो रही है: अब तक {n} पुष्टि', other: 'पुष्टि हो रही है: अब तक {n} पुष्टियाँ' },
  confirmed: 'पुष्टि हो गई',
  viewTransaction: 'लेनदेन देखें',
  newTab: '(नए टैब में खुलता है)',
  transactionId: 'लेनदेन आईडी',

  testTitle: 'परीक्षण बिल।',
  testWarning: 'असली पैसे न भेजें: वे खो जाएँगे।',
  simulate: 'भुगतान का अनुकरण करें',
  simulatePaid: 'पूरा',
  simulatePartial: 'आंशिक',
  simulateOver: 'ज़्यादा',

  back: 'विक्रेता पर वापस जाएँ',
  backTo: '{merchant} पर वापस जाएँ',
  cancel: 'रद्द करें और वापस जाएँ',
  leaving: '{seconds} में वापस ले जाया जाएगा',
  stay: 'यहीं रहें',

  notFoundTitle: 'ऐसा कोई भुगतान नहीं है',
  notFoundText: 'लिंक जाँचें या विक्रेता से नया लिंक माँगें।',
  momentTitle: 'एक क्षण',
  busyText: 'बहुत ज़्यादा अनुरोध। कृपया थोड़ी देर में फिर कोशिश करें।',
  awayText: 'भुगतान पृष्ठ अभी नहीं दिखाया जा सकता। कुछ भी खोया नहीं है; कृपया कुछ सेकंड में फिर लोड करें।',
  tryAgain: 'फिर कोशिश करें',
  problemForeign: 'आपकी सुरक्षा के लिए कृपया इसी पृष्ठ पर चुनें।',
  problemChoice: 'कृपया नीचे दी गई मुद्राओं में से एक चुनें।',
  problemRejected: 'यह अब संभव नहीं है। यह पृष्ठ भुगतान की मौजूदा स्थिति दिखाता है।',
  problemRates: 'अभी कोई ताज़ा विनिमय दर उपलब्ध नहीं है। कृपया थोड़ी देर में फिर कोशिश करें।',
  problemNetwork: 'यह नेटवर्क अभी तैयार नहीं है। कृपया कुछ सेकंड में फिर कोशिश करें या दूसरी मुद्रा चुनें।',
  problemOther: 'यह नहीं हो सका। कृपया फिर कोशिश करें।',

  // The receipt.

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
