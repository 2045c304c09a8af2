"""The words of a design document, in Korean and in English."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """Headings and labels in one language."""

    title: str
    purpose: str
    table: str
    item: str
    value: str
    meaning: str
    partition: str
    sort: str
    billing: str
    stream: str
    expiry: str
    kind: str
    off: str
    none: str
    entities: str
    attribute: str
    type: str
    needed: str
    yes: str
    no: str
    hidden: str
    personal: str
    derived: str
    kind_value: str
    example: str
    indexes: str
    primary: str
    projection: str
    used_by: str
    patterns: str
    pattern: str
    asks: str
    condition: str
    values: str
    order: str
    ascending: str
    descending: str
    cost: str
    cost_note: str
    request: str
    writes: str
    size: str
    get: str
    put: str
    update: str
    delete: str
    update_note: str
    ceiling: str
    review: str
    no_findings: str
    accepted: str


ENGLISH = DocumentWords(
    title="DynamoDB table design",
    purpose="One table holds these kinds of items",
    table="Table",
    item="Item",
    value="Value",
    meaning="Meaning",
    partition="Partition key",
    sort="Sort key",
    billing="Billing",
    stream="Stream",
    expiry="Time to live",
    kind="Type attribute",
    off="off",
    none="none",
    entities="Entities",
    attribute="Attribute",
    type="Type",
    needed="Required",
    yes="yes",
    no="no",
    hidden="Secret: shown to nobody.",
    personal="Personal: shown to {roles} only.",
    derived="derived from",
    kind_value="always",
    example="Example item",
    indexes="Indexes",
    primary="Primary key",
    projection="Projection",
    used_by="Used by",
    patterns="Access patterns",
    pattern="Pattern",
    asks="Asks",
    condition="Key condition",
    values="Example values",
    order="Order",
    ascending="ascending",
    descending="descending",
    cost="Read units",
    cost_note="Read units are for {answers} answers of the size of the example items, eventually consistent "
    "unless the request says otherwise; a pattern with a filter is counted with a whole page of 1 MB.",
    request="Request",
    writes="Reading and writing one item",
    size="Bytes",
    get="Get",
    put="Put",
    update="Update",
    delete="Delete",
    update_note="Put is of a new item. Of two numbers for an update, the second is for a change of index keys, which "
    "deletes an entry of the index and puts another. In a transaction the item itself costs double.",
    ceiling="Writes a second for one key",
    review="Review",
    no_findings="No findings.",
    accepted="Accepted",
)

KOREAN = DocumentWords(
    title="DynamoDB 테이블 설계 문서",
    purpose="하나의 테이블이 다음 엔티티를 담는다",
    table="테이블",
    item="항목",
    value="값",
    meaning="설명",
    partition="파티션 키",
    sort="정렬 키",
    billing="과금 방식",
    stream="스트림",
    expiry="TTL",
    kind="타입 속성",
    off="사용 안 함",
    none="없음",
    entities="엔티티",
    attribute="속성",
    type="타입",
    needed="필수",
    yes="예",
    no="아니요",
    hidden="비밀: 아무에게도 보이지 않음.",
    personal="개인 정보: {roles}에게만 보임.",
    derived="다음에서 계산됨:",
    kind_value="고정값",
    example="예시 아이템",
    indexes="인덱스",
    primary="기본 키",
    projection="프로젝션",
    used_by="사용 패턴",
    patterns="조회 패턴",
    pattern="패턴",
    asks="대상",
    condition="키 조건",
    values="예시 값",
    order="정렬",
    ascending="오름차순",
    descending="내림차순",
    cost="읽기 유닛",
    cost_note="읽기 유닛은 예시 아이템 크기의 응답 {answers}건 기준이며, 요청에 따로 적지 않으면 최종 일관성 읽기이다. "
    "필터가 있는 패턴은 1MB 한 페이지를 모두 읽는 것으로 계산한다.",
    request="요청",
    writes="아이템 한 건의 읽기와 쓰기",
    size="바이트",
    get="조회",
    put="저장",
    update="수정",
    delete="삭제",
    update_note="저장은 새 아이템 기준이다. 수정에 숫자가 둘이면 뒤의 것은 인덱스 키를 바꿀 때의 값으로, 인덱스에서 "
    "항목을 지우고 다시 쓴다. 트랜잭션에서는 아이템 자체의 비용이 두 배이다.",
    ceiling="키 하나의 초당 쓰기 한도",
    review="검토 결과",
    no_findings="지적할 것이 없다.",
    accepted="수용한 이유",
)

LANGUAGES = {"en": ENGLISH, "ko": KOREAN}
