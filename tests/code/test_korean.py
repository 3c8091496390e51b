"""Questions in Korean over code whose names are English and whose comments and documents are
Korean, without vectors.
"""

from collections.abc import Callable, Mapping

from gieok.code.ask.query import search_symbols
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]
_FILES = {
    "shop/payment.py": '''"""결제 대행사와 통신한다."""

TIMEOUT = 3


class PaymentGateway:
    """결제 승인과 취소를 맡는다."""

    def approve(self, order):
        """주문 금액을 승인 요청한다. 승인 번호를 돌려준다."""
        return self._post("approve", order)

    def cancel(self, number):
        """승인된 결제를 취소하고 환불한다."""
        return self._post("cancel", number)

    def _post(self, path, body):
        # 응답이 없으면 세 번까지 다시 시도한다
        for _ in range(TIMEOUT):
            return (path, body)
''',
    "shop/coupon.py": '''def discount(price, coupon):
    """쿠폰 할인을 적용한 가격을 계산한다."""
    return price - coupon


def is_expired(coupon, today):
    """유효기간이 지난 쿠폰인지 확인한다."""
    return coupon < today
''',
    "shop/stock.py": '''class Inventory:
    """창고별 재고를 센다."""

    def reserve(self, item, count):
        """재고를 예약한다. 모자라면 예외를 던진다."""
        if count > self.left(item):
            raise OutOfStock(item)

    def left(self, item):
        """남은 수량을 센다."""
        return 0


class OutOfStock(Exception):
    """재고가 부족할 때 던지는 예외."""
''',
    "shop/auth.py": '''def login(name, password):
    """비밀번호를 확인하고 세션을 만든다."""
    return new_session(name) if check_password(name, password) else None


def check_password(name, password):
    # 해시를 비교한다: 평문은 저장하지 않는다
    return hash(password) == hash(name)


def new_session(name):
    """로그인 세션 토큰을 발급한다."""
    return name
''',
    "web/format.ts": """/** 금액을 원화 표기로 바꾼다: 1000 → 1,000원 */
export function formatWon(amount: number): string {
  return amount.toLocaleString("ko-KR") + "원";
}

// 전화번호에 하이픈을 넣는다
export function formatPhone(digits: string): string {
  return digits.replace(/(\\d{3})(\\d{4})(\\d{4})/, "$1-$2-$3");
}
""",
    "server/Mailer.java": """/** 주문 확인 메일을 보낸다. */
public class Mailer {
    /** 배송이 시작되면 고객에게 알림 메일을 보낸다. */
    public void notifyShipped(String order) {}

    // 보내지 못한 메일은 대기열에 다시 넣는다
    public void requeue(String mail) {}
}
""",
    "tests/test_payment.py": '''from shop.payment import PaymentGateway


def test_cancel():
    """승인된 결제를 취소하면 환불된다."""
    assert PaymentGateway().cancel(1)
''',
}


_QUESTIONS = {
    "결제 승인은 어디에서 요청해?": "PaymentGateway.approve",
    "환불은 어떻게 처리되나요?": "PaymentGateway.cancel",
    "응답이 없을 때 재시도하는 코드": "PaymentGateway._post",
    "할인된 가격을 계산하는 함수가 뭐야?": "discount",
    "유효기간 지난 쿠폰 확인": "is_expired",
    "재고가 모자라면 어떤 예외가 나?": "Inventory.reserve",
    "남은 수량은 어디서 세지?": "Inventory.left",
    "비밀번호 해시 비교": "check_password",
    "세션 토큰은 어디서 발급하나": "new_session",
    "원화로 금액을 표기하려면?": "formatWon",
    "전화번호에 하이픈 넣기": "formatPhone",
    "배송 시작 알림 메일": "Mailer.notifyShipped",
    "못 보낸 메일을 다시 보내는 대기열": "Mailer.requeue",
    "PaymentGateway의 cancel은 무엇을 하나?": "PaymentGateway.cancel",
    "discount 함수는 어디서 정의했어?": "discount",
    "formatWon을 고치려고 한다": "formatWon",
}


def test_a_question_in_korean_finds_its_symbol_among_the_first_three(indexed: Make) -> None:
    shop = indexed(_FILES)
    found = {
        q: [a.symbol.key.partition("::")[2] for a in search_symbols(shop, None, q, 3).answers]
        for q in _QUESTIONS
    }
    assert {q: keys for q, keys in found.items() if _QUESTIONS[q] not in keys} == {}
