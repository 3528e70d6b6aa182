/** The checkout's texts in Vietnamese. */
import type { Messages } from '../message-keys.ts';

export const VI: Messages = {
  nativeName: 'Tiếng Việt',
  payment: 'Thanh toán',
  language: 'Ngôn ngữ',
  secured: 'Vận hành bởi {name}',
  refresh: 'Làm mới trạng thái',

  amountDue: 'Số tiền cần trả',
  amountSuggested: 'Số tiền gợi ý',
  amountAny: 'Bạn có thể gửi bất kỳ số tiền nào từ {least}. Ít hơn sẽ không được ghi nhận.',
  amountPaid: 'Đã nhận',
  amountOver: 'Trả thừa',
  amountWasDue: 'Số tiền đã đến hạn',
  amountSettled: 'Đã thanh toán',
  amountRefunded: 'Đã hoàn tiền',
  itemOrder: 'Đơn hàng',
  itemDiscount: 'Giảm giá',
  itemSurcharge: 'Phụ phí',
  itemFee: 'Phí thanh toán',
  itemTotal: 'Tổng cộng',
  rateHeld: '{rate}, giữ giá {until}',
  orderReference: 'Mã đơn hàng',
  contactTitle: 'Liên hệ {merchant}',
  terms: 'Điều khoản bán hàng',

  chooseTitle: 'Chọn loại tiền mã hóa',
  chooseText: 'Số tiền được cố định khi bạn chọn.',
  waitingTitle: 'Đang chờ thanh toán của bạn',
  waitingText: 'Ngay khi tiền đến, bạn sẽ thấy ở đây.',
  seenLate:
    'Các khoản thanh toán trên {network} hiện hiển thị chậm. Nếu bạn đã trả, đừng trả lại lần nữa: khoản thanh toán sẽ xuất hiện ở đây.',
  seenTitle: 'Đã phát hiện thanh toán',
  seenText: 'Mạng lưới đang xác nhận. Bạn không cần làm gì thêm.',
  seenPartText:
    'Một phần số tiền đang được chuyển. Nếu sau khi xác nhận vẫn còn thời gian, trang này sẽ cho biết cách trả phần còn lại.',
  seenPartLateText:
    'Một phần số tiền đang được chuyển nhưng đã hết thời gian thanh toán. Hãy liên hệ người bán.',
  partialTitle: 'Đã nhận một phần thanh toán',
  partialText: 'Vui lòng gửi số tiền còn lại đến cùng địa chỉ.',
  paidTitle: 'Đã thanh toán',
  paidText: 'Cảm ơn bạn. Người bán đã được thông báo.',
  overText: 'Cảm ơn bạn. Bạn đã trả nhiều hơn số tiền cần trả. Hãy liên hệ người bán về phần chênh lệch.',
  expiredTitle: 'Hóa đơn này đã hết hạn',
  expiredText: 'Vui lòng đừng gửi gì nữa. Hãy yêu cầu người bán tạo hóa đơn mới.',
  lateTitle: 'Đã hết thời gian',
  lateText: 'Chỉ một phần số tiền đã đến. Hãy liên hệ người bán.',
  reviewTitle: 'Khoản thanh toán đang được xem xét',
  reviewText: 'Tiền đã đến và đang được kiểm tra. Người bán sẽ liên hệ với bạn.',
  failedTitle: 'Thanh toán không thành công',
  failedText: 'Mạng lưới đã loại bỏ giao dịch. Nếu tiền đã rời khỏi ví, hãy liên hệ người bán.',
  refundedTitle: 'Đã hoàn tiền',
  refundedText: 'Người bán đã hoàn lại khoản thanh toán này.',
  paidLateTitle: 'Bạn đã trả rồi?',
  paidLateText:
    'Nếu bạn đã gửi, người bán có thể tìm thấy. Hãy liên hệ và cung cấp mã giao dịch hiển thị trong ví của bạn.',

  timeLeft: 'Thời gian còn lại',
  untilDate: 'đến {time}',
  untilTime: 'đến {time}',
  minutesLeft: { other: 'Còn {n} phút để thanh toán.' },

  sendExactly: 'Gửi chính xác',
  stillToSend: 'Còn phải gửi',
  receivedSoFar: 'Đã nhận đến nay: {amount}',
  toAddress: 'Đến địa chỉ này trên {network}',
  withTag: 'Với thẻ đích này (destination tag)',
  tagNeeded: 'Nếu thiếu thẻ, không thể nhận ra khoản thanh toán của bạn.',
  orXAddress: 'Ví của tôi hỗ trợ địa chỉ X',
  xAddress: 'Địa chỉ X, gồm cả địa chỉ và thẻ',
  copy: 'Sao chép',
  copied: 'Đã sao chép',
  scan: 'Quét bằng ví của bạn',
  showQr: 'Hiện mã QR',
  qrLabel: 'Mã QR của khoản thanh toán này: {amount} trên {network}',
  openWallet: 'Mở trong ví',
  onlyNetwork: 'Chỉ gửi {symbol} trên mạng {network}. Mọi thứ khác có thể bị mất.',
  feeOnTop: 'Phí mạng được tính thêm: đúng số tiền này phải đến nơi.',
  noMemo: 'Không cần ghi chú hay memo: địa chỉ này chỉ dành cho khoản thanh toán này.',

  change: 'Đổi loại tiền',
  search: 'Tìm theo loại tiền hoặc mạng',
  noMatch: 'Không tìm thấy kết quả.',
  feeAbout: 'phí mạng khoảng {fee}',
  feeUnder: 'phí mạng dưới {fee}',
  noCurrency: 'Hiện không có loại tiền nào khả dụng. Vui lòng thử lại sau hoặc liên hệ người bán.',

  payments: { other: 'Khoản thanh toán của bạn' },
  inMempool: 'Đã phát hiện, đang chờ khối đầu tiên',
  confirmationsOf: { other: '{n}/{m} xác nhận' },
  confirmationsSoFar: { other: 'Đang xác nhận: đã có {n} xác nhận' },
  confirmed: 'Đã xác nhận',
  viewTransaction: 'Xem giao dịch',
  newTab: '(mở trong thẻ mới)',
  transactionId: 'Mã giao dịch',

  testTitle: 'Hóa đơn thử nghiệm.',
  testWarning: 'Đừng gửi tiền thật: tiền sẽ bị mất.',
  simulate: 'Mô phỏng thanh toán',
  simulatePaid: 'Toàn bộ',
  simulatePartial: 'Một phần',
  simulateOver: 'Trả thừa',

  back: 'Quay lại người bán',
  backTo: 'Quay lại {merchant}',
  cancel: 'Hủy và quay lại',
  leaving: 'Quay lại sau {seconds}',
  stay: 'Ở lại đây',

  notFoundTitle: 'Không có khoản thanh toán này',
  notFoundText: 'Hãy kiểm tra liên kết hoặc yêu cầu người bán gửi liên kết mới.',
  momentTitle: 'Xin chờ một chút',
  busyText: 'Quá nhiều yêu cầu. Vui lòng thử lại sau giây lát.',
  awayText: 'Hiện không thể hiển thị trang thanh toán. Không có gì bị mất; vui lòng tải lại sau vài giây.',
  tryAgain: 'Thử lại',
  problemForeign: 'Vì an toàn của bạn, vui lòng chọn trên trang này.',
  problemChoice: 'Vui lòng chọn một trong các loại tiền bên dưới.',
  problemRejected: 'Không thể thực hiện nữa. Trang này hiển thị trạng thái hiện tại của khoản thanh toán.',
  problemRates: 'Hiện không có tỷ giá mới. Vui lòng thử lại sau giây lát.',
  problemNetwork: 'Mạng này chưa sẵn sàng. Vui lòng thử lại sau vài giây hoặc chọn loại tiền khác.',
  problemOther: 'Không thực hiện được. Vui lòng thử lại.',

  // The receipt.
  receipt: 'Biên nhận',
  receiptDate: 'Ngày',
  receiptNumber: 'Số biên nhận',
  receiptSeller: 'Người bán',
  receiptNetwork: 'Mạng',
  receiptRate: 'Tỷ giá',
  receiptPdf: 'Tải xuống bản PDF',
  receiptPrint: 'In',
  receiptNone: 'Biên nhận sẽ có ngay khi thanh toán hoàn tất.',

  // Payment links.

  // Refund claims.

  // Wallets in the browser.

  // E-mails.
};
