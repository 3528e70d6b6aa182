/** The checkout's texts in Korean. */
import type { Messages } from '../message-keys.ts';

export const KO: Messages = {
  nativeName: '한국어',
  payment: '결제',
  language: '언어',
  secured: '{name} 제공',
  refresh: '상태 새로고침',

  amountDue: '결제할 금액',
  amountSuggested: '권장 금액',
  amountAny: '{least} 이상이면 원하는 금액을 보낼 수 있습니다. 그보다 적은 금액은 입금 처리되지 않습니다.',
  amountPaid: '받은 금액',
  amountOver: '초과 결제액',
  amountWasDue: '청구되었던 금액',
  amountSettled: '결제 완료',
  amountRefunded: '환불 완료',
  itemOrder: '주문',
  itemDiscount: '할인',
  itemSurcharge: '추가 요금',
  itemFee: '결제 수수료',
  itemTotal: '합계',
  rateHeld: '{rate}, {until} 환율 고정',
  orderReference: '주문 번호',
  contactTitle: '{merchant} 문의',
  terms: '판매 약관',

  chooseTitle: '암호화폐를 선택하세요',
  chooseText: '선택하는 순간 금액이 확정됩니다.',
  waitingTitle: '결제를 기다리고 있습니다',
  waitingText: '입금되는 즉시 여기에 표시됩니다.',
  seenLate:
    '지금 {network} 결제가 늦게 표시되고 있습니다. 이미 결제했다면 다시 보내지 마세요. 결제가 여기에 나타납니다.',
  seenTitle: '결제가 감지되었습니다',
  seenText: '네트워크에서 확인하는 중입니다. 더 하실 일은 없습니다.',
  seenPartText:
    '금액의 일부가 들어오고 있습니다. 확인된 뒤에도 시간이 남아 있으면 나머지를 결제하는 방법이 여기에 표시됩니다.',
  seenPartLateText: '금액의 일부가 들어오고 있지만 결제 시간이 끝났습니다. 판매자에게 문의하세요.',
  partialTitle: '일부 금액이 입금되었습니다',
  partialText: '나머지 금액을 같은 주소로 보내 주세요.',
  paidTitle: '결제 완료',
  paidText: '감사합니다. 판매자에게 알렸습니다.',
  overText: '감사합니다. 청구액보다 많이 결제하셨습니다. 차액은 판매자에게 문의하세요.',
  expiredTitle: '만료된 청구서입니다',
  expiredText: '지금은 아무것도 보내지 마세요. 판매자에게 새 청구서를 요청하세요.',
  lateTitle: '시간이 끝났습니다',
  lateText: '금액의 일부만 도착했습니다. 판매자에게 문의하세요.',
  reviewTitle: '결제를 검토하고 있습니다',
  reviewText: '입금되어 확인 중입니다. 판매자가 연락드릴 것입니다.',
  failedTitle: '결제가 이루어지지 않았습니다',
  failedText: '네트워크에서 처리되지 않았습니다. 지갑에서 돈이 빠져나갔다면 판매자에게 문의하세요.',
  refundedTitle: '환불 완료',
  refundedText: '판매자가 이 결제를 환불했습니다.',
  paidLateTitle: '이미 결제하셨나요?',
  paidLateText: '보내셨다면 판매자가 찾을 수 있습니다. 지갑에 표시된 거래 ID를 판매자에게 알려 주세요.',

  timeLeft: '남은 시간',
  untilDate: '{time}까지',
  untilTime: '{time}까지',
  minutesLeft: { other: '결제 시간이 {n}분 남았습니다.' },

  sendExactly: '정확히 보낼 금액',
  stillToSend: '더 보낼 금액',
  receivedSoFar: '지금까지 받은 금액: {amount}',
  toAddress: '보낼 주소({network})',
  withTag: '목적지 태그(destination tag)',
  tagNeeded: '태그가 없으면 결제를 확인할 수 없습니다.',
  orXAddress: 'X-주소를 지원하는 지갑 사용',
  xAddress: '주소와 태그가 함께 들어 있는 X-주소',
  copy: '복사',
  copied: '복사됨',
  scan: '지갑으로 스캔하세요',
  showQr: 'QR 코드 보기',
  qrLabel: '이 결제의 QR 코드: {network}에서 {amount}',
  openWallet: '지갑에서 열기',
  onlyNetwork: '{network} 네트워크에서 {symbol}만 보내세요. 그 외에는 잃을 수 있습니다.',
  feeOnTop: '네트워크 수수료는 별도입니다. 정확히 이 금액이 도착해야 합니다.',
  noMemo: '메모는 필요 없습니다. 이 주소는 이 결제 전용입니다.',

  change: '통화 변경',
  search: '통화 또는 네트워크 검색',
  noMatch: '검색 결과가 없습니다.',
  feeAbout: '네트워크 수수료 약 {fee}',
  feeUnder: '네트워크 수수료 {fee} 미만',
  noCurrency: '지금 사용할 수 있는 통화가 없습니다. 나중에 다시 시도하거나 판매자에게 문의하세요.',

  payments: { other: '내 결제' },
  inMempool: '감지됨, 첫 블록 대기 중',
  confirmationsOf: { other: '확인 {n}/{m}' },
  confirmationsSoFar: { other: '확인 중: 지금까지 {n}회 확인' },
  confirmed: '확인됨',
  viewTransaction: '거래 보기',
  newTab: '(새 탭에서 열림)',
  transactionId: '거래 ID',

  testTitle: '테스트 청구서입니다.',
  testWarning: '실제 돈을 보내지 마세요. 잃게 됩니다.',
  simulate: '결제 시뮬레이션',
  simulatePaid: '전액',
  simulatePartial: '일부',
  simulateOver: '초과',

  back: '판매자에게 돌아가기',
  backTo: '{merchant}(으)로 돌아가기',
  cancel: '취소하고 돌아가기',
  leaving: '{seconds} 후 돌아갑니다',
  stay: '여기 있기',

  notFoundTitle: '결제를 찾을 수 없습니다',
  notFoundText: '링크를 확인하거나 판매자에게 새 링크를 요청하세요.',
  momentTitle: '잠시만요',
  busyText: '요청이 너무 많습니다. 잠시 후 다시 시도하세요.',
  awayText: '지금은 결제 페이지를 표시할 수 없습니다. 잃은 것은 없으니 몇 초 후 새로고침하세요.',
  tryAgain: '다시 시도',
  problemForeign: '안전을 위해 이 페이지에서 선택해 주세요.',
  problemChoice: '아래 통화 중 하나를 선택하세요.',
  problemRejected: '더 이상 할 수 없습니다. 이 페이지에 결제의 현재 상태가 표시됩니다.',
  problemRates: '지금은 최신 환율이 없습니다. 잠시 후 다시 시도하세요.',
  problemNetwork: '이 네트워크는 아직 준비되지 않았습니다. 몇 초 후 다시 시도하거나 다른 통화를 선택하세요.',
  problemOther: '처리되지 않았습니다. 다시 시도하세요.',

  // The receipt.

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
