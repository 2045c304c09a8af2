"""Every rule of the review. A code keeps its meaning for ever; a new rule takes the next free number."""

from __future__ import annotations

from hansang.blueprint.findings import LintRule

UNSERVED = LintRule(
    "H001",
    "unserved-pattern",
    "error",
    "No key and no index answers the access pattern.",
    "Ask for fields of the key, in its order, or add an index that has them in its key.",
)
RANGE_OF_PARTITIONS = LintRule(
    "H002",
    "range-on-partition-key",
    "error",
    "A partition key is asked for by a range; DynamoDB takes one exact value.",
    "Ask one Query for each value, in parallel, or BatchGetItem when the whole keys are known.",
)
OR_IN_KEY = LintRule(
    "H003",
    "or-on-key",
    "error",
    "A key condition has OR, IN or NOT; DynamoDB takes conditions joined by AND alone.",
    "Ask one Query for each alternative and join the answers.",
)
UNPROJECTED = LintRule(
    "H004",
    "unprojected-attribute",
    "error",
    "An attribute is wanted from an index that does not hold it.",
    "Project the attribute, answer with a View of what the index holds, or get the item by its key.",
)
WRONG_KEY = LintRule(
    "H005",
    "wrong-key-attribute",
    "error",
    "A condition is on an attribute that is not the key of the table or index that is asked.",
    "Use the key attributes of that table or index by their own names.",
)
SYNTAX = LintRule(
    "H006",
    "expression-syntax",
    "error",
    "DynamoDB cannot read the expression.",
    "Write functions before their operands: begins_with(SK, :prefix).",
)
BARE_RESERVED = LintRule(
    "H007",
    "bare-reserved-word",
    "error",
    "A reserved word is used in an expression without an alias, which DynamoDB refuses.",
    "Write an alias, such as #t, and give its name in ExpressionAttributeNames.",
)
INVALID_TABLE = LintRule(
    "H008",
    "invalid-table",
    "error",
    "DynamoDB would not create the table.",
    "Change the keys or the indexes as the message says.",
)
UNLOADABLE = LintRule(
    "H009",
    "design-does-not-load",
    "error",
    "The design contradicts itself and cannot be loaded.",
    "Change the class that the message names.",
)
UNTRIED = LintRule(
    "H010",
    "untried-pattern",
    "info",
    "The pattern could not be tried with values made from its annotations.",
    "Give an example entity in EXAMPLES of the design's module, so that real values are used.",
)
COMMON_SEPARATOR = LintRule(
    "H101",
    "common-separator",
    "warning",
    "Two texts in one key are kept apart by a character that texts often have, and the first may not contain it.",
    "Put a separator such as # between them.",
)
COLLIDING_KEYS = LintRule(
    "H102",
    "colliding-keys",
    "warning",
    "Items of two kinds can have the same key, and one would overwrite the other.",
    "Begin the sort key of each kind with a word of its own.",
)
NEIGHBOUR_PREFIX = LintRule(
    "H103",
    "prefix-matches-neighbour",
    "warning",
    "A prefix ends in a value, so it also matches longer values: 배우자1 finds 배우자10.",
    "Ask for the whole field by equality, so that the separator behind it ends the prefix.",
)
STRANGERS = LintRule(
    "H104",
    "strangers-in-answer",
    "warning",
    "Items of another kind lie among those that the question reads; they are passed over, and paid for.",
    "Give the sort key a prefix of its own, or ask for both kinds with collection() where both are wanted.",
)
UNORDERED_ID = LintRule(
    "H105",
    "id-does-not-sort",
    "warning",
    "The order that is promised is the order of a text id, which is not the order of time.",
    "Use ids of fixed width that grow with time (ULID), or an index by a timestamp.",
)
UNPADDED_NUMBER = LintRule(
    "H106",
    "unpadded-number",
    "warning",
    "A question answers in the order of a number inside a key, which sorts as text: 10 comes before 9.",
    "Give it a fixed width: {number:06d}.",
)
INEXACT_RANGE = LintRule(
    "H107",
    "inexact-range",
    "error",
    "A range is asked of a part of a key that does not sort as its values do, or that ends nowhere fixed.",
    "Ask for one value or for a prefix, give the part a fixed width, or put it last in the key.",
)
UNSORTED_TIME = LintRule(
    "H108",
    "time-does-not-sort",
    "warning",
    "A question answers in the order of a time inside a key that is written in another order: 31-01-2026.",
    "Write the year first, and every number with its zeros: {day:%Y-%m-%d}.",
)
LOW_CARDINALITY = LintRule(
    "H201",
    "low-cardinality-partition",
    "warning",
    "Few values of a partition key share all items: 1,000 writes and 3,000 reads a second for each.",
    "Add a field to the partition key, spread it over shards, or keep the table below that rate.",
)
TIME_PARTITION = LintRule(
    "H202",
    "time-partition",
    "warning",
    "All writes of a period go to one partition: 1,000 writes a second, and back-pressure on the table.",
    "Pace the writes below that rate, or add a shard to the partition key.",
)
LOCAL_INDEX = LintRule(
    "H203",
    "local-index-10-gb",
    "warning",
    "A local index limits the items of one partition key to 10 GB, and cannot be added or dropped later.",
    "Keep each partition small by its key, or use a global index.",
)
GROWING_COLLECTION = LintRule(
    "H204",
    "growing-collection",
    "info",
    "The items of one partition key grow without end.",
    "Read them by pages; let old ones expire, or put a period into the partition key.",
)
GROWING_ATTRIBUTE = LintRule(
    "H205",
    "unbounded-attribute",
    "warning",
    "A list, set or map can grow until the item is over 400 KB, and every write pays for all of it.",
    "Bound it with Field(max_length=…), or make its members items of their own.",
)
UNUSED_INDEX = LintRule(
    "H206",
    "unused-index",
    "warning",
    "No access pattern reads the index, and every write pays for it.",
    "Write the pattern down, or drop the index.",
)
UNMARKED_SECRET = LintRule(
    "H207",
    "unmarked-secret",
    "warning",
    "A text has the name of a secret and is not marked as one, so whoever may read the item sees it.",
    "Mark it: Annotated[str, SecretField()]. If everybody may see it, accept the finding.",
)
MARKED_KEY = LintRule(
    "H208",
    "marked-key",
    "warning",
    "A secret or personal field stands in a key, which cannot be hidden: addresses and requests have it.",
    "Put an id or a digest into the key, and keep the value in an attribute of its own.",
)
RESERVED_WORD = LintRule(
    "H301",
    "reserved-word",
    "info",
    "The name of an attribute is a reserved word, and needs an alias in every expression.",
    "Nothing to do in Hansang, which aliases every name; elsewhere write #name.",
)
STALE_ACCEPTANCE = LintRule(
    "H302",
    "stale-acceptance",
    "warning",
    "The design accepts something that is not found, that has no reason, or that cannot be accepted.",
    "Take the line out of ACCEPTED, or write why the finding may stay.",
)

RULES: tuple[LintRule, ...] = tuple(each for each in dict(globals()).values() if isinstance(each, LintRule))
BY_CODE = {rule.code: rule for rule in RULES}
