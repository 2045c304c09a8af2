"""A chat: rooms with members and messages, what each member has read, and the rooms of a user."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from hansang.design import (
    AT_WRITE,
    GSI,
    KEYS_ONLY,
    LSI,
    Attr,
    Entity,
    Expiry,
    Key,
    Query,
    Table,
    Timestamp,
    TimestampMs,
    UpdatedAt,
    Version,
    View,
    attr,
    collection,
    derived,
    pattern,
)

Role = Literal["owner", "member", "guest"]
Count = Annotated[int, Field(ge=0)]


class Chat(Table, name="Chat", type_attribute="Type", stream="NEW_AND_OLD_IMAGES"):
    """Everything of a chat."""

    rooms_of_user = GSI("Rooms_Of_User", pk="UserPK", sk="UserSK", project=KEYS_ONLY)
    mentions = GSI("Mentions", pk="MentionPK", sk="MentionSK")
    by_title = GSI("Title", pk="Type", sk="TitleLower", project=["title"])
    by_sender = LSI("Room_Sender", sk="Sender")


# ── rooms ─────────────────────────────────────────────────────────────────────────────────────────


class RoomKey(Key["Room"], pk="ROOM#{id}", sk="METADATA"):
    """The key of a room."""

    id: str


class Room(RoomKey, Entity, table=Chat, type="Room"):
    """A place to talk."""

    title: str
    title_lower = derived("TitleLower", of="title", by=str.lower)
    topics: frozenset[str] = frozenset()
    messages: Count = 0
    created_at: Timestamp
    updated_at: Annotated[UpdatedAt, Attr("UpdatedAt")] = AT_WRITE
    version: Version = 0

    @pattern
    def with_members(cls, room: str) -> Query[Room | Member]:
        """A room and its members."""
        return collection(Room, Member, where=[Room.id == room])

    @pattern
    def whole(cls, room: str) -> Query[Room | Member | Message | Notice]:
        """Everything of a room."""
        return collection(Room, Member, Message, Notice, where=[Room.id == room])


class RoomTitle(RoomKey, View, index=Chat.by_title):
    """A room as the list of rooms has it."""

    title: str
    title_lower: Annotated[str, Attr("TitleLower")]

    @pattern
    def beginning(cls, text: str) -> Query[RoomTitle]:
        """The rooms whose title begins with a text, in whatever case."""
        return cls.query(attr(RoomTitle.title_lower).begins_with(text.lower()))

    @pattern
    def in_order(cls) -> Query[RoomTitle]:
        """All rooms by their titles."""
        return cls.query()


# ── members ───────────────────────────────────────────────────────────────────────────────────────


class MemberKey(Key["Member"], pk="ROOM#{room}", sk="MEMBER#{user}"):
    """The key of a user in a room."""

    room: str
    user: str


class Member(
    MemberKey,
    Entity,
    table=Chat,
    type="Member",
    index_keys={Chat.rooms_of_user: ("USER#{user}", "{last_at}#{room}")},
):
    """A user in a room; `last_at` is when something happened there."""

    nickname: str
    role: Role = "member"
    last_at: Annotated[TimestampMs, Attr("LastAt")]
    joined_at: Timestamp

    @pattern
    def of(cls, room: str) -> Query[Member]:
        """The members of a room by their names."""
        return cls.query(Member.room == room)

    @pattern
    def owners(cls, room: str) -> Query[Member]:
        """Those who may close a room."""
        return cls.query(Member.room == room).where(Member.role == "owner")


class RoomOfUser(MemberKey, View, index=Chat.rooms_of_user):
    """A room of a user: the keys alone, of which `last_at` is read."""

    last_at: TimestampMs

    @pattern
    def latest(cls, user: str) -> Query[RoomOfUser]:
        """The rooms of a user, the liveliest first."""
        return cls.query(RoomOfUser.user == user).descending()

    @pattern
    def since(cls, user: str, moment: datetime) -> Query[RoomOfUser]:
        """The rooms of a user in which something has happened since."""
        return cls.query(RoomOfUser.user == user, RoomOfUser.last_at >= moment)

    @pattern
    def at(cls, user: str, moment: datetime, room: str) -> Query[RoomOfUser]:
        """One room of a user, if it is as it was at a moment."""
        return cls.query(
            RoomOfUser.user == user, RoomOfUser.last_at == moment, attr(RoomOfUser.room).begins_with(room)
        )


# ── messages ──────────────────────────────────────────────────────────────────────────────────────


class MessageKey(Key["Message"], pk="ROOM#{room}", sk="MSG#{at}#{id}"):
    """The key of a message: its room, and when it was sent."""

    room: str
    at: TimestampMs
    id: str


class Message(
    MessageKey,
    Entity,
    table=Chat,
    type="Message",
    index_keys={Chat.mentions: ("MENTION#{mentioned}", "{at}#{room}")},
):
    """Something that was said, to be forgotten after a while if it `expires_at` all."""

    sender: Annotated[str, Attr("Sender")]
    text: str
    mentioned: str | None = None
    likes: Count = 0
    liked_by: set[str] = Field(default_factory=set)
    expires_at: Annotated[Expiry | None, Attr("TTL")] = None
    edited_at: Annotated[UpdatedAt, Attr("UpdatedAt")] = AT_WRITE

    @pattern
    def in_room(cls, room: str) -> Query[Message]:
        """What was said in a room, from the beginning."""
        return cls.query(Message.room == room)

    @pattern
    def newest(cls, room: str) -> Query[Message]:
        """What was said in a room, the newest first."""
        return cls.query(Message.room == room).descending()

    @pattern
    def between(cls, room: str, first: datetime, last: datetime) -> Query[Message]:
        """What was said in a room from one moment to another, both included."""
        return cls.query(Message.room == room, attr(Message.at).between(first, last))

    @pattern
    def after(cls, room: str, moment: datetime) -> Query[Message]:
        """What was said in a room behind a moment."""
        return cls.query(Message.room == room, Message.at > moment)

    @pattern
    def by(cls, room: str, sender: str) -> Query[Message]:
        """What one user has said in a room."""
        return cls.query(Message.room == room, Message.sender == sender, index=Chat.by_sender)

    @pattern
    def mentioning(cls, user: str) -> Query[Message]:
        """Where a user was mentioned, the newest first."""
        return cls.query(Message.mentioned == user, index=Chat.mentions).descending()

    @pattern
    def mentioning_before(cls, user: str, moment: datetime) -> Query[Message]:
        """Where a user was mentioned before a moment."""
        return cls.query(Message.mentioned == user, Message.at < moment, index=Chat.mentions)


# ── notices ───────────────────────────────────────────────────────────────────────────────────────


class NoticeKey(Key["Notice"], pk="ROOM#{room}", sk="NOTICE#{at}"):
    """The key of a notice: one a second at the most."""

    room: str
    at: Timestamp


class Notice(NoticeKey, Entity, table=Chat, type="Notice"):
    """What the room itself says."""

    text: str

    @pattern
    def until(cls, room: str, moment: datetime) -> Query[Notice]:
        """The notices of a room up to a moment, the newest first."""
        return cls.query(Notice.room == room, Notice.at <= moment).descending()


# ── what was read ─────────────────────────────────────────────────────────────────────────────────


class ReadMarkerKey(Key["ReadMarker"], pk="USER#{user}", sk="READ#{room}"):
    """The key of how far a user has read a room."""

    user: str
    room: str


class ReadMarker(ReadMarkerKey, Entity, table=Chat, type="ReadMarker"):
    """How far a user has read a room, and how much there is to read."""

    read_to: TimestampMs | None = None
    unread: Count = 0

    @pattern
    def of(cls, user: str) -> Query[ReadMarker]:
        """What a user has read."""
        return cls.query(ReadMarker.user == user)

    @pattern
    def waiting(cls, user: str) -> Query[ReadMarker]:
        """Where there is something to read."""
        return cls.query(ReadMarker.user == user).where(ReadMarker.unread > 0)
