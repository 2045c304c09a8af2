"""What a backend that is not ours is known to get wrong: the test, and what it does instead."""

from __future__ import annotations

# By moto 5.2.5. A test stands here with its name, and with its parameters when it is excused of some only.
MOTO = {
    "test_a_batch_over_25_writes_is_refused": "moto writes all 26.",
    "test_a_batch_that_writes_an_item_twice_is_refused": "moto does both writes.",
    "test_a_meter_counts_reads_and_writes": "moto answers one unit for every write, and half for any read.",
    "test_a_number_is_neither_below_nor_above_a_text": "moto answers 500.",
    "test_a_number_that_dynamodb_cannot_hold_is_refused[1E126]": "moto stores it.",
    "test_a_number_that_dynamodb_cannot_hold_is_refused[39 digits]": "moto stores it.",
    "test_a_projection_of_an_aliased_list_element": "moto finds the name of `#row[1]` unused.",
    "test_a_request_that_means_nothing[a key of another type]": "moto finds no item and says nothing.",
    "test_a_request_that_means_nothing[a query of no such index]": "moto says ResourceNotFoundException.",
    "test_a_request_that_means_nothing[a value that is not defined]": "moto answers 500.",
    "test_a_request_that_means_nothing[a value that is not used]": "moto does not look.",
    "test_a_request_that_means_nothing[an expression that is none]": "moto answers 500.",
    "test_a_request_that_means_nothing[an index key of another type]": "moto stores the item.",
    "test_a_token_makes_a_transaction_happen_once": "moto does not look at ClientRequestToken.",
    "test_a_value_that_is_none_is_refused[no type]": "moto answers 500.",
    "test_a_value_that_is_none_is_refused[two equal members]": "moto stores both.",
    "test_a_value_that_is_none_is_refused[two types]": "moto stores the first.",
    "test_the_cost_of_a_write_names_its_indexes": "moto answers one unit for every write.",
}


def excuse(contender: str, function: str, test: str) -> str | None:
    """Why a test need not pass, if so; `test` is its name with the contender's name among its parameters."""
    if contender != "moto":
        return None
    parameters = test.partition("[")[2].removesuffix("]")
    others = parameters.removeprefix("moto").removeprefix("-")
    return MOTO.get(function) or MOTO.get(f"{function}[{others}]")
