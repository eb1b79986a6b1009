"""Keys of releases: secret without a seed; with one, bound to the plan and the input."""

from itertools import combinations

from allonym.release_key import ReleaseKey


def test_random_keys_differ_and_stay_out_of_their_representation() -> None:
    one, other = ReleaseKey.random(), ReleaseKey.random()
    assert one.secret != other.secret
    assert not one.reproducible
    assert "secret" not in repr(one)


def test_seed_plan_and_input_all_change_a_key() -> None:
    keys = [
        ReleaseKey.from_seed(*x) for x in ((1, "p", "i"), (2, "p", "i"), (1, "q", "i"), (1, "p", "j"), (1, "pi", ""))
    ]
    assert all(a.number("ties") != b.number("ties") for a, b in combinations(keys, 2))
    assert keys[0] == ReleaseKey.from_seed(1, "p", "i")
    assert keys[0].reproducible


def test_purposes_share_no_draw() -> None:
    key = ReleaseKey.from_seed(1, "p", "i")
    numbers = [key.number(*x) for x in (("noise", "a"), ("noise", "b"), ("noisea",), ("ties", "a"))]
    assert len(set(numbers)) == len(numbers)


def test_row_order_is_a_permutation_that_depends_on_the_input() -> None:
    key = ReleaseKey.from_seed(1, "p", "i")
    order = key.row_order(1000, "one")
    assert sorted(order) == list(range(1000))
    assert (order == key.row_order(1000, "one")).all()
    assert (order != key.row_order(1000, "other")).any()
