"""A chat, played through."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from hansang.backends.base import Backend
from hansang.design import AT_WRITE, Database, Unreadable, attr
from hansang.errors import (
    AlreadyExists,
    Conflict,
    DesignError,
    InvalidCursor,
    InvalidInput,
    InvalidKey,
    NotFound,
    UnexpectedItem,
)
from tests.designs.chat import (
    Chat,
    Member,
    MemberKey,
    Message,
    MessageKey,
    Notice,
    NoticeKey,
    ReadMarker,
    ReadMarkerKey,
    Role,
    Room,
    RoomKey,
    RoomOfUser,
    RoomTitle,
)
from tests.designs.stages import NOW, Watch, fresh, in_pages
from tests.storing import item, load, stored

FAR = datetime(2100, 1, 1, tzinfo=UTC)
ROOM = RoomKey(id="cafe")


def later(milliseconds: int) -> datetime:
    return NOW + timedelta(milliseconds=milliseconds)


def room(id: str = "cafe", title: str = "Café 한상") -> Room:  # noqa: A002
    return Room(id=id, title=title, created_at=NOW)


def member(user: str, at: int = 0, room: str = "cafe", role: Role = "member") -> Member:
    return Member(room=room, user=user, nickname=user.upper(), role=role, last_at=later(at), joined_at=NOW)


def message(at: int, sender: str = "minji", room: str = "cafe", mentioned: str | None = None) -> Message:
    return Message(room=room, at=later(at), id=f"m{at}", sender=sender, text=f"말 {at}", mentioned=mentioned)


@pytest.fixture
def db(backend: Backend, watch: Watch) -> Iterator[Database]:
    with fresh(backend, watch, Chat) as database:
        yield database


# ── rooms ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_room_is_created_once_with_its_version_and_its_time(db: Database) -> None:
    made = db.create(room())
    assert (made.version, made.updated_at) == (1, NOW)
    assert db.get(ROOM, consistent=True) == made
    assert room().updated_at == AT_WRITE
    with pytest.raises(AlreadyExists, match="Room id=cafe") as there:
        db.create(room(title="another"))
    assert there.value.item == made


def test_an_item_is_what_the_design_says(db: Database) -> None:
    db.create(room())
    assert stored(db, Chat) == [
        item(
            {
                "PK": "ROOM#cafe",
                "SK": "METADATA",
                "Type": "Room",
                "title": "Café 한상",
                "TitleLower": "café 한상",
                "messages": 0,
                "created_at": NOW,
                "UpdatedAt": NOW,
                "version": 1,
            }
        )
    ]


def test_every_write_raises_the_version_and_the_time(db: Database, watch: Watch) -> None:
    seen = db.create(room())
    moment = watch.forward(60)
    changed = db.update(ROOM, attr(Room.title).set("찻집"), attr(Room.topics).add(frozenset({"차"})))
    assert (changed.version, changed.updated_at) == (2, moment)
    assert (changed.title, changed.title_lower, changed.topics) == ("찻집", "찻집", frozenset({"차"}))
    moment = watch.forward(60)
    put = db.put(changed.model_copy(update={"title": "밥집"}))
    assert (put.version, put.updated_at) == (3, moment)
    assert db.get(ROOM, consistent=True) == put
    with pytest.raises(Conflict, match="has changed since it was read") as late:
        db.put(seen)
    assert late.value.item == put


def test_who_saw_an_older_version_changes_nothing(db: Database) -> None:
    seen = db.create(room())
    db.update(seen, attr(Room.messages).add(1))
    with pytest.raises(Conflict):
        db.update(seen, attr(Room.messages).add(1))
    with pytest.raises(Conflict):
        db.replace(seen.model_copy(update={"title": "x"}), seen=seen)
    with pytest.raises(Conflict):
        db.delete(seen)
    found = db.get(ROOM, consistent=True)
    assert (found.messages, found.version) == (1, 2)
    assert db.replace(found.model_copy(update={"title": "x"}), seen=found).version == 3


def test_a_room_that_is_new_may_be_put_where_none_is(db: Database) -> None:
    assert db.put(room()).version == 1
    with pytest.raises(Conflict):
        db.put(room())


def test_an_upsert_makes_a_room_or_changes_it(db: Database, watch: Watch) -> None:
    changes = (
        attr(Room.title).set("찻집"),
        attr(Room.created_at).set_if_missing(NOW),
        attr(Room.messages).add(2),
    )
    assert db.update(ROOM, *changes, upsert=True) == Room(
        id="cafe", title="찻집", messages=2, created_at=NOW, updated_at=NOW, version=1
    )
    moment = watch.forward(5)
    again = db.update(ROOM, *changes, upsert=True)
    assert (again.messages, again.version, again.updated_at) == (4, 2, moment)
    assert [row.title for row in db.all(RoomTitle.in_order())] == ["찻집"]


def test_an_upsert_of_too_little_is_refused(db: Database) -> None:
    with pytest.raises(DesignError, match="leave out created_at"):
        db.update(ROOM, attr(Room.title).set("x"), upsert=True)
    assert stored(db, Chat) == []


def test_a_room_that_is_not_there_is_not_found(db: Database) -> None:
    assert db.find(ROOM) is None
    assert db.delete(ROOM) is None
    with pytest.raises(NotFound, match="Room id=cafe not found"):
        db.get(ROOM)
    with pytest.raises(NotFound, match="Room id=cafe not found"):
        db.update(ROOM, attr(Room.messages).add(1))


def test_a_condition_that_does_not_hold_leaves_the_room(db: Database) -> None:
    made = db.create(room())
    with pytest.raises(Conflict, match=r"Room\.messages > 3") as refused:
        db.delete(ROOM, when=Room.messages > 3)
    assert refused.value.item == made
    assert db.delete(ROOM, when=Room.messages == 0) == made
    assert db.find(ROOM) is None


def test_titles_are_found_by_how_they_begin(db: Database) -> None:
    for id_, title in (("a", "Alpha"), ("b", "ALPS"), ("c", "Beta"), ("d", "한강")):
        db.create(room(id_, title))
    assert [row.title for row in db.all(RoomTitle.beginning("AL"))] == ["Alpha", "ALPS"]
    assert [row.id for row in db.all(RoomTitle.beginning("한"))] == ["d"]
    assert [row.id for row in db.all(RoomTitle.in_order().descending())] == ["d", "c", "b", "a"]
    db.update(RoomKey(id="c"), attr(Room.title).set("Alto"))
    assert [row.title for row in db.all(RoomTitle.beginning("al"), limit=2)] == ["Alpha", "ALPS"]
    assert db.count(RoomTitle.beginning("al")) == 3


def test_rows_become_whole_rooms_a_page_at_a_time(db: Database) -> None:
    made = [db.create(room(f"r{number}", f"title {number}")) for number in range(5)]
    page = db.hydrate(RoomTitle.in_order(), limit=2)
    assert page.items == made[:2]
    db.delete(RoomKey(id="r2"))
    following = db.hydrate(RoomTitle.in_order(), limit=2, cursor=page.cursor)
    assert (following.items, following.offset) == (made[3:5], 2)


# ── members ───────────────────────────────────────────────────────────────────────────────────────


def test_a_room_comes_with_its_members(db: Database) -> None:
    made = db.create(room())
    db.batch_write(
        puts=[member("minji", role="owner"), member("jisu"), message(1), member("yuna", room="bar")]
    )
    assert db.all(Room.with_members("cafe").consistent()) == [
        member("jisu"),
        member("minji", role="owner"),
        made,
    ]
    assert db.all(Member.of("cafe")) == [member("jisu"), member("minji", role="owner")]
    assert [each.user for each in db.each(Member.owners("cafe"))] == ["minji"]
    assert db.count(Room.with_members("cafe")) == 3
    assert db.first(Member.of("nowhere")) is None


def test_the_rooms_of_a_user_are_in_the_order_of_what_happened(db: Database) -> None:
    db.batch_write(
        puts=[member("minji", 5, "a"), member("minji", 30, "b"), member("minji", 7, "c"), member("jisu")]
    )
    rows = db.all(RoomOfUser.latest("minji"))
    assert [(row.room, row.last_at) for row in rows] == [("b", later(30)), ("c", later(7)), ("a", later(5))]
    assert [row.room for row in db.all(RoomOfUser.since("minji", later(7)))] == ["c", "b"]
    assert [row.room for row in db.all(RoomOfUser.at("minji", later(7), "c"))] == ["c"]
    assert db.all(RoomOfUser.at("minji", later(8), "c")) == []
    assert db.count(RoomOfUser.latest("minji")) == 3


def test_rows_of_keys_alone_lead_to_the_members(db: Database) -> None:
    db.batch_write(puts=[member("minji", at, f"r{at}") for at in range(5)])
    page = db.hydrate(RoomOfUser.latest("minji"), limit=3)
    assert page.items == [member("minji", 4, "r4"), member("minji", 3, "r3"), member("minji", 2, "r2")]
    rest = db.hydrate(RoomOfUser.latest("minji"), limit=3, cursor=page.cursor)
    assert (rest.items, rest.cursor) == ([member("minji", 1, "r1"), member("minji", 0, "r0")], None)
    row = db.all(RoomOfUser.latest("minji"))[0]
    assert db.get(row, consistent=True) == member("minji", 4, "r4")


def test_a_member_moves_in_the_index_when_something_happens(db: Database) -> None:
    db.batch_write(puts=[member("minji", 5, "a"), member("minji", 6, "b")])
    changed = db.update(MemberKey(room="a", user="minji"), attr(Member.last_at).set(later(9)))
    assert changed == member("minji", 9, "a")
    assert [row.room for row in db.all(RoomOfUser.latest("minji"))] == ["a", "b"]


def test_a_user_with_a_separator_in_the_name_has_no_key(db: Database) -> None:
    with pytest.raises(InvalidKey, match="'#'"):
        db.create(member("min#ji"))
    with pytest.raises(InvalidKey, match="'#'"):
        db.all(RoomOfUser.latest("min#ji"))


# ── messages ──────────────────────────────────────────────────────────────────────────────────────


def test_messages_are_in_the_order_of_their_milliseconds(db: Database) -> None:
    sent = [message(at) for at in (0, 999, 1000, 1001, 61_000)]
    db.create(room())
    db.batch_write(puts=[*reversed(sent), member("jisu"), Notice(room="cafe", at=NOW, text="조용히")])
    stamped = [each.model_copy(update={"edited_at": NOW}) for each in sent]
    assert db.all(Message.in_room("cafe").consistent()) == stamped
    assert db.all(Message.newest("cafe"), limit=2) == stamped[:-3:-1]
    assert db.all(Message.between("cafe", later(999), later(1000))) == stamped[1:3]
    assert db.all(Message.after("cafe", later(1000))) == stamped[3:]
    assert db.count(Message.in_room("cafe")) == 5
    assert db.first(Message.newest("cafe")) == stamped[-1]


def test_a_moment_finer_than_a_millisecond_is_refused(db: Database) -> None:
    with pytest.raises(InvalidInput, match="finer than a millisecond"):
        db.all(Message.after("cafe", NOW + timedelta(microseconds=1)))
    with pytest.raises(InvalidInput, match="finer than a second"):
        db.all(Notice.until("cafe", later(1)))


def test_moments_of_every_zone_are_the_same_moment(db: Database) -> None:
    seoul = NOW.astimezone(datetime.strptime("+0900", "%z").tzinfo)
    written = db.put(Message(room="cafe", at=seoul, id="m", sender="minji", text="밥"))
    assert db.get(MessageKey(room="cafe", at=NOW, id="m")) == written
    assert db.all(Message.between("cafe", seoul, seoul)) == [written]


def test_messages_of_one_sender_are_read_as_they_are_now(db: Database) -> None:
    db.batch_write(puts=[message(1), message(2, "jisu"), message(3), message(4, room="bar")])
    assert [each.id for each in db.all(Message.by("cafe", "minji").consistent())] == ["m1", "m3"]
    assert db.count(Message.by("cafe", "jisu").consistent()) == 1


def test_only_a_mention_is_in_the_index_of_mentions(db: Database) -> None:
    db.batch_write(puts=[message(1), message(2, mentioned="jisu"), message(3, room="bar", mentioned="jisu")])
    assert [each.id for each in db.all(Message.mentioning("jisu"))] == ["m3", "m2"]
    assert [each.id for each in db.all(Message.mentioning_before("jisu", later(3)))] == ["m2"]
    key = MessageKey(room="cafe", at=later(2), id="m2")
    assert db.update(key, attr(Message.mentioned).set(None)).mentioned is None
    assert [each.id for each in db.all(Message.mentioning("jisu"))] == ["m3"]
    db.update(key, attr(Message.mentioned).set("yuna"))
    assert [each.id for each in db.all(Message.mentioning("yuna"))] == ["m2"]


def test_likes_are_counted_and_kept_in_a_set(db: Database) -> None:
    key = db.put(message(1))
    db.update(key, attr(Message.likes).add(1), attr(Message.liked_by).add({"jisu"}))
    liked = db.update(key, attr(Message.likes).add(1), attr(Message.liked_by).add({"yuna"}))
    assert (liked.likes, liked.liked_by) == (2, {"jisu", "yuna"})
    unliked = db.update(
        key,
        attr(Message.likes).add(-1),
        attr(Message.liked_by).discard({"yuna"}),
        when=attr(Message.liked_by).contains("yuna"),
    )
    assert (unliked.likes, unliked.liked_by) == (1, {"jisu"})
    emptied = db.update(key, attr(Message.liked_by).discard({"jisu"}))
    assert emptied.liked_by == set()
    assert db.get(key, consistent=True) == emptied


def test_a_count_never_falls_below_nothing(db: Database) -> None:
    key = db.put(message(1))
    with pytest.raises(Conflict, match=r"Message\.likes") as refused:
        db.update(key, attr(Message.likes).add(-1))
    assert refused.value.item == key
    with pytest.raises(InvalidInput, match=r"Message\.likes"):
        db.update(key, attr(Message.likes).set(-1))


def test_a_set_of_texts_contains_no_number(db: Database) -> None:
    with pytest.raises((DesignError, InvalidInput), match=r"Message\.liked_by"):
        db.all(Message.in_room("cafe").where(attr(Message.liked_by).contains(5)))


def test_an_expiry_is_stored_in_seconds(db: Database) -> None:
    db.put(message(1).model_copy(update={"expires_at": FAR}))
    [found] = stored(db, Chat)
    assert found["TTL"] == {"N": str(int(FAR.timestamp()))}
    assert db.all(Message.in_room("cafe"))[0].expires_at == FAR
    status = db.backend.call("DescribeTimeToLive", {"TableName": db.name(Chat)})["TimeToLiveDescription"]
    assert (status["TimeToLiveStatus"], status["AttributeName"]) == ("ENABLED", "TTL")


def test_pages_of_messages_pass_over_nothing(db: Database) -> None:
    db.create(room())
    db.batch_write(
        puts=[*(message(at) for at in range(7)), member("a"), Notice(room="cafe", at=NOW, text="x")]
    )
    pages = in_pages(db, Message.newest("cafe"), 3)
    assert [[each.id for each in page if isinstance(each, Message)] for page in pages] == [
        ["m6", "m5", "m4"],
        ["m3", "m2", "m1"],
        ["m0"],
    ]
    whole = in_pages(db, Room.whole("cafe"), 4)
    assert [type(each).__name__ for page in whole for each in page] == [
        "Member",
        "Room",
        *["Message"] * 7,
        "Notice",
    ]


def test_a_cursor_belongs_to_its_question(db: Database) -> None:
    db.batch_write(puts=[message(at) for at in range(3)])
    cursor = db.page(Message.in_room("cafe"), limit=1).cursor
    assert cursor is not None
    for other in (Message.in_room("bar"), Message.newest("cafe"), Message.after("cafe", NOW)):
        with pytest.raises(InvalidCursor):
            db.page(other, limit=1, cursor=cursor)
    with pytest.raises(InvalidCursor):
        db.page(Message.in_room("cafe"), cursor=cursor[:-2])


# ── notices ───────────────────────────────────────────────────────────────────────────────────────


def test_notices_are_to_the_second(db: Database) -> None:
    moments = [NOW + timedelta(seconds=number) for number in range(4)]
    db.batch_write(puts=[Notice(room="cafe", at=moment, text=str(moment.second)) for moment in moments])
    assert [each.text for each in db.all(Notice.until("cafe", moments[2]))] == ["2", "1", "0"]
    assert db.get(NoticeKey(room="cafe", at=moments[3])).text == "3"


# ── what was read ─────────────────────────────────────────────────────────────────────────────────


def test_what_is_unread_is_counted_until_it_is_read(db: Database) -> None:
    key = ReadMarkerKey(user="minji", room="cafe")
    assert db.update(key, attr(ReadMarker.unread).add(1), upsert=True).unread == 1
    assert db.update(key, attr(ReadMarker.unread).add(1), upsert=True).unread == 2
    assert [each.room for each in db.all(ReadMarker.waiting("minji"))] == ["cafe"]
    read = db.update(key, attr(ReadMarker.unread).set(0), attr(ReadMarker.read_to).set(later(2)))
    assert read == ReadMarker(user="minji", room="cafe", read_to=later(2))
    assert db.all(ReadMarker.waiting("minji")) == []
    assert db.all(ReadMarker.of("minji")) == [read]
    with pytest.raises(Conflict, match=r"ReadMarker\.unread - 1 >= 0"):
        db.update(key, attr(ReadMarker.unread).add(-1), upsert=True)


# ── together ──────────────────────────────────────────────────────────────────────────────────────


def send(db: Database, sent: Message, reader: str) -> None:
    """Say something in a room: the message, its room, who was there, and what there is to read."""
    with db.transaction() as tx:
        tx.check(MemberKey(room=sent.room, user=sent.sender), Member.role != "guest")
        tx.create(sent)
        tx.update(RoomKey(id=sent.room), attr(Room.messages).add(1))
        tx.update(MemberKey(room=sent.room, user=reader), attr(Member.last_at).set(sent.at))
        tx.update(ReadMarkerKey(user=reader, room=sent.room), attr(ReadMarker.unread).add(1), upsert=True)


def test_a_message_and_what_follows_from_it_are_written_together(db: Database) -> None:
    db.create(room())
    db.batch_write(puts=[member("minji"), member("jisu")])
    send(db, message(5), "jisu")
    found, marker, reader = db.transact_get(
        ROOM, ReadMarkerKey(user="jisu", room="cafe"), MemberKey(room="cafe", user="jisu")
    )
    assert found is not None
    assert marker is not None
    assert reader is not None
    assert (found.messages, found.version, marker.unread, reader.last_at) == (1, 2, 1, later(5))
    assert db.transact_get(ReadMarkerKey(user="minji", room="cafe")) == (None,)


def test_a_guest_says_nothing_and_nothing_is_counted(db: Database) -> None:
    db.create(room())
    db.batch_write(puts=[member("minji", role="guest"), member("jisu")])
    before = stored(db, Chat)
    with pytest.raises(Conflict, match=r"Member\.role <> 'guest'") as refused:
        send(db, message(5), "jisu")
    assert refused.value.item == member("minji", role="guest")
    assert stored(db, Chat) == before


def test_the_same_message_is_not_sent_twice(db: Database) -> None:
    db.create(room())
    db.batch_write(puts=[member("minji"), member("jisu")])
    send(db, message(5), "jisu")
    with pytest.raises(AlreadyExists):
        send(db, message(5), "jisu")
    assert db.get(ROOM, consistent=True).messages == 1


def test_a_transaction_moves_a_member_and_checks_a_version(db: Database) -> None:
    seen = db.create(room())
    db.put(member("minji"))
    with db.transaction() as tx:
        tx.delete(MemberKey(room="cafe", user="minji"))
        tx.put(member("minji", 3, "bar"))
        tx.replace(seen.model_copy(update={"title": "bar"}), seen=seen)
    assert [row.room for row in db.all(RoomOfUser.latest("minji"))] == ["bar"]
    with pytest.raises(Conflict, match="has changed since it was read"), db.transaction() as late:
        late.put(member("jisu"))
        late.put(seen)
    assert db.find(MemberKey(room="cafe", user="jisu")) is None


def test_nothing_is_written_behind_the_end_of_a_transaction(db: Database) -> None:
    with db.transaction() as tx:
        tx.put(member("minji"))
    with pytest.raises(DesignError):
        tx.put(member("jisu"))
    assert db.all(Member.of("cafe")) == [member("minji")]


def test_batches_keep_the_order_of_their_keys(db: Database) -> None:
    sent = [message(at) for at in range(30)]
    assert db.batch_write(puts=sent) == 30
    keys = [MessageKey(room="cafe", at=later(at), id=f"m{at}") for at in (29, 7, 99, 0)]
    assert [each.id for each in db.batch_get(keys, consistent=True)] == ["m29", "m7", "m0"]
    assert db.batch_write(deletes=sent[:28]) == 28
    assert [each.id for each in db.all(Message.in_room("cafe").consistent())] == ["m28", "m29"]


def test_a_room_with_a_version_is_not_written_in_a_batch(db: Database) -> None:
    with pytest.raises(DesignError, match="has a Version"):
        db.batch_write(puts=[room()])


def test_a_feed_tells_what_was_and_what_is(db: Database) -> None:
    feed = db.feed(Chat, start="oldest")
    made = db.create(room())
    changed = db.update(ROOM, attr(Room.messages).add(1))
    db.put(member("minji"))
    db.delete(ROOM)
    assert [(each.kind, each.old, each.new) for each in feed.poll()] == [
        (Room, None, made),
        (Room, made, changed),
        (Member, None, member("minji")),
        (Room, changed, None),
    ]
    db.put(member("jisu"))
    assert [each.new for each in db.feed(Chat, position=feed.position).poll()] == [member("jisu")]


# ── what cannot be read ───────────────────────────────────────────────────────────────────────────

BROKEN = {"PK": "ROOM#cafe", "SK": "MSG#2026-03-01T09:00:00.500Z#m500", "Type": "Message", "text": "누구?"}


def test_what_cannot_be_read_is_told_and_mended(db: Database) -> None:
    db.batch_write(puts=[message(1), message(900)])
    load(db, Chat, BROKEN)
    with pytest.raises(UnexpectedItem, match="no attribute Sender"):
        db.all(Message.in_room("cafe"))
    page = db.page(Message.in_room("cafe"))
    assert [each.id for each in page] == ["m1", "m900"]
    [bad] = page.unreadable
    assert (bad.kind, bad.key) == (Message, {name: item(BROKEN)[name] for name in ("PK", "SK")})
    told: list[Unreadable] = []
    assert len(db.all(Message.in_room("cafe"), unreadable=told.append)) == 2
    assert told == [bad]
    with pytest.raises(UnexpectedItem):
        db.repair(bad, {"text": {"S": "x"}})
    mended = db.repair(bad, {"Sender": {"S": "jisu"}, "UpdatedAt": {"S": "2026-03-01T09:00:00Z"}})
    assert (
        db.all(Message.in_room("cafe"))[1]
        == mended
        == message(500, "jisu").model_copy(update={"text": "누구?", "edited_at": NOW})
    )


def test_a_member_that_cannot_be_read_does_not_hide_the_others(db: Database) -> None:
    db.batch_write(puts=[member("minji", 1, "a"), member("minji", 2, "b")])
    [found] = [each for each in stored(db, Chat) if each["PK"] == {"S": "ROOM#a"}]
    broken = {name: value for name, value in found.items() if name != "nickname"}
    db.backend.call("PutItem", {"TableName": db.name(Chat), "Item": broken})
    page = db.hydrate(RoomOfUser.latest("minji"))
    assert page.items == [member("minji", 2, "b")]
    assert [bad.key["PK"] for bad in page.unreadable] == [{"S": "ROOM#a"}]


def test_what_the_design_does_not_know_is_kept(db: Database) -> None:
    db.put(message(1))
    [found] = stored(db, Chat)
    db.backend.call("PutItem", {"TableName": db.name(Chat), "Item": {**found, "Colour": {"S": "red"}}})
    [seen] = db.all(Message.in_room("cafe"))
    db.put(seen.model_copy(update={"text": "새 말"}))
    [kept] = stored(db, Chat)
    assert (kept["Colour"], kept["text"]) == ({"S": "red"}, {"S": "새 말"})
