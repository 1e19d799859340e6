import contextlib
import math
import socket
from dataclasses import dataclass

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from autograder.cargo import remember_arguments
from autograder.proxy import opaque
from autograder.receiving import Receiver
from autograder.sending import Sender
from autograder.values import DTYPES, Decoder, Encoder
from autograder.wire import Closed, WireError, receive, send


def refuse(encoder, value):
    raise WireError("no plain value")


def there_and_back(value):
    encoder = Encoder(refuse)
    node = encoder.node(value)
    buffers = [bytearray(buffer) for buffer in encoder.buffers()]
    ours, theirs = socket.socketpair()
    with ours, theirs:
        send(ours, {"node": node}, buffers)
        message, buffers = receive(theirs)
    return Decoder(buffers, opaque).value(message["node"])


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -(10**300),
        0.1,
        math.inf,
        "naïve",
        (),
        [1, (2.0, None)],
        {"a": []},
    ],
)
def test_plain_values_come_back_as_they_were(value):
    assert there_and_back(value) == value
    assert type(there_and_back(value)) is type(value)


@pytest.mark.parametrize("dtype", DTYPES.values())
def test_tensors_keep_numbers_dtype_and_strides(dtype):
    tensor = torch.arange(24).reshape(2, 3, 4).to(dtype)
    turned = (tensor, tensor.mT, tensor[1:, ::2], tensor[:, :1].expand(2, 5, 4))
    for one in (*turned, tensor[:0], tensor[0, 0, 0]):
        back = there_and_back(one)
        assert torch.equal(back, one)
        assert (back.dtype, back.stride()) == (one.dtype, one.stride())


def test_views_of_one_tensor_still_share_memory():
    x = torch.arange(6.0)
    one, two = there_and_back((x[:4], x[2:]))
    one[2] = 70
    assert two[0] == 70


def test_nothing_is_sent_of_a_tensor_but_what_a_view_reaches_over():
    encoder = Encoder(refuse)
    encoder.node(torch.arange(100.0)[10:12])
    assert [len(buffer) for buffer in encoder.buffers()] == [8]


def test_a_list_that_holds_itself_comes_back():
    value = [1]
    value.append(value)
    back = there_and_back(value)
    assert back[1] is back


@pytest.mark.parametrize(
    "node",
    [
        [],
        ["code", "print()"],
        ["ref", 0],
        ["ref", True],
        ["list", 3],
        ["dict", [[["list", []], 1]]],
        ["other", "a", "b"],
        ["tensor", "float32", [4], [1], 0, 0, False],  # longer than its buffer
        ["tensor", "float32", [1], [1], 0, 2, False],  # begins behind it
        ["tensor", "float32", [1], [1], 0, -1, False],
        ["tensor", "float32", [-1], [1], 0, 0, False],
        ["tensor", "float32", [10**9, 10**9], [0, 0], 0, 0, False],
        ["tensor", "float32", [1 << 39, 1 << 39, 0], [0, 0, 0], -1, 0, False],
        ["tensor", "float32", [1 << 39, 1 << 39, 0], [0, 0, 0], 0, 0, False],
        ["tensor", "float32", [1], [1], 7, 0, False],
        ["tensor", "float64x", [1], [1], 0, 0, False],
        ["tensor", "float32", [1.0], [1], 0, 0, False],
        ["tensor", ["float32"], [1], [1], 0, 0, False],
    ],
)
def test_malformed_nodes_are_refused(node):
    with pytest.raises(WireError):
        Decoder([bytearray(8)], opaque).value(node)


NODES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=7)
        | st.lists(inner, max_size=6).flatmap(
            lambda items: st.sampled_from(
                [["tensor", *items], ["list", items], ["dict", items], ["tuple", items]]
            )
        )
    ),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(NODES, st.binary(max_size=32))
def test_any_node_is_decoded_or_refused(node, data):
    with contextlib.suppress(WireError):
        Decoder([bytearray(data)], opaque).value(node)


def test_a_true_of_another_byte_is_a_plain_true():
    node = ["tensor", "bool", [2], [1], 0, 0, False]
    value = Decoder([bytearray(b"\x02\x00")], opaque).value(node)
    assert value.int().tolist() == [1, 0]


def test_an_opaque_result_equals_nothing():
    value = Decoder([], opaque).value(["other", "ndarray"])
    assert type(value).__name__ == "ndarray"
    assert value != value and value != 4
    with pytest.raises(TypeError):
        bool(value)


def test_a_frame_that_is_cut_off_is_told_from_a_malformed_one():
    ours, theirs = socket.socketpair()
    with theirs:
        ours.sendall(b"\x10" + bytes(15) + b"{")
        ours.close()
        with pytest.raises(Closed):
            receive(theirs)


class Net(nn.Module):
    def __init__(self, width, bias=True):
        super().__init__()
        self.part = nn.Linear(width, width, bias)
        self.seen = 0

    def forward(self, x):
        self.seen += len(x)
        return self.part(x)


remember_arguments(Net)


def call(sender, receiver, function, *args):
    """One call as it goes through the sandbox, in this process."""
    encoder = sender.encoder()
    node = encoder.node(args)
    buffers = [bytearray(buffer) for buffer in encoder.buffers()]
    there = receiver.decoder(buffers)
    values = there.value(node)
    before = receiver.snapshot(there.objects)
    result = function(*values)
    back = Encoder(refuse, there.objects)
    told = [back.node(result), receiver.changes(back, there.objects, before)]
    buffers = [bytearray(buffer) for buffer in back.buffers()]
    decoder = Decoder(buffers, opaque, encoder.objects)
    value = decoder.value(told[0])
    sender.write_back(decoder, told[1])
    return value


@pytest.fixture
def ends():
    return Sender(), Receiver({"Net": Net, "Pair": Pair})


def test_a_model_computes_the_same_there_and_counts(ends):
    model, x = Net(3, bias=False).double(), torch.ones(2, 3).double()
    want = model(x)
    assert torch.equal(call(*ends, lambda m, x: m(x).detach(), model, x), want)
    assert model.seen == 4


def test_a_model_is_the_same_object_in_the_next_call(ends):
    model, seen = Net(2), []
    for _ in range(2):
        call(*ends, lambda m: seen.append(m), model)
    assert seen[0] is seen[1]
    with torch.no_grad():
        model.part.weight.zero_()
    assert call(*ends, lambda m: m.part.weight.abs().sum().item(), model) == 0


def test_changes_of_arguments_come_back(ends):
    x, items, options = torch.zeros(2, 3), [1, 2], {"a": 1}
    column, source = x[:, 1], torch.Generator().manual_seed(1)
    model, other = Net(2), torch.Generator().manual_seed(1)

    def change(x, items, options, source, model):
        x += 1
        items.append(x)
        options.clear()
        model.eval()
        model.part.weight.data *= 0
        torch.rand(3, generator=source)

    call(*ends, change, column, items, options, source, model)
    assert x.tolist() == [[0, 1, 0], [0, 1, 0]]
    assert items[:2] == [1, 2] and items[2] is column
    assert options == {}
    assert not model.training and not model.part.training
    assert not model.part.weight.any()
    torch.rand(3, generator=other)
    assert torch.equal(source.get_state(), other.get_state())


@dataclass(frozen=True)
class Pair:
    left: torch.Tensor
    right: torch.Tensor


def test_a_dataclass_of_tensors_is_the_same_there_and_changes_come_back(ends):
    pair, seen = Pair(torch.arange(6.0).view(2, 3), torch.ones(3)), []
    pair.right.requires_grad_()

    def look(pair):
        seen.append(pair)
        return [pair.left.detach(), pair.right.detach(), pair.right.requires_grad]

    def change(pair):
        pair.left.mul_(2)

    left, right, has_grad = call(*ends, look, pair)
    assert torch.equal(left, pair.left) and torch.equal(right, pair.right)
    assert has_grad and not pair.left.requires_grad
    call(*ends, change, pair)
    assert pair.left.tolist() == [[0, 2, 4], [6, 8, 10]]
    pair.left.zero_()
    assert not call(*ends, look, pair)[0].any()
    assert seen[0] is seen[1] and type(seen[0]) is Pair


def test_another_layout_of_a_number_is_told(ends):
    pair, model = Pair(torch.arange(4.0).view(2, 2), torch.ones(4)), Net(2)

    def turn(pair, model):
        pair.left.t_()
        model.part.weight.data = model.part.weight.data.t()

    weight = model.part.weight.detach().clone()
    call(*ends, turn, pair, model)
    assert pair.left.tolist() == [[0, 2], [1, 3]]
    assert torch.equal(model.part.weight, weight.t())
    seen = call(
        *ends, lambda p, m: [p.left.clone(), m.part.weight.detach()], pair, model
    )
    assert torch.equal(seen[0], pair.left) and torch.equal(seen[1], weight.t())


@pytest.mark.parametrize("value", [7, torch.ones(3)])
def test_what_a_student_keeps_on_an_argument_harms_nothing(ends, value):
    pair, model = Pair(torch.ones(2), torch.ones(3)), Net(2)

    def keep(pair, model):
        object.__setattr__(pair, "mine", value)
        model.mine = value

    for _ in range(2):
        call(*ends, keep, pair, model)
    assert not hasattr(pair, "mine")
    assert call(*ends, lambda p, m: p.mine is m.mine is value, pair, model) is True


@pytest.mark.parametrize(
    "pair",
    [
        Pair(*[torch.ones(2)] * 2),  # one tensor twice
        Pair(torch.arange(6.0).view(2, 3).t(), torch.ones(2)),  # not row by row
        Pair(torch.ones(2), torch.ones(2).double()),
        Pair(torch.ones(2), 3),
    ],
    ids=["tied", "strides", "two types", "a number"],
)
def test_any_other_dataclass_crosses_as_it_is(ends, pair):
    def look(there):
        assert (there.left is there.right) == (pair.left is pair.right)
        assert there.left.stride() == pair.left.stride()
        assert type(there.right) is type(pair.right)
        there.left.mul_(5)

    before = pair.left.clone()
    call(*ends, look, pair)
    assert torch.equal(pair.left, 5 * before)


def test_a_model_with_numbers_of_two_types_is_refused(ends):
    model = Net(2)
    model.part.bias.data = model.part.bias.data.double()
    with pytest.raises(WireError, match="Net has numbers of two types"):
        call(*ends, id, model)


def test_a_field_that_was_changed_by_itself_is_sent_again(ends):
    pair = Pair(torch.ones(2), torch.ones(3))
    call(*ends, lambda pair: None, pair)
    call(*ends, lambda x: x.mul_(5), pair.left)
    assert call(*ends, lambda pair: pair.left.clone(), pair).tolist() == [5, 5]


def test_a_change_that_torch_does_not_allow_is_refused_or_left_out(ends):
    sender, _ = ends
    pair = Pair(
        torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True) * 2
    )
    encoder = sender.encoder()
    encoder.node(pair)
    state = {"training": [], "grad": [False, False], "counters": {}}
    whole = ["tensor", "int64", [2], [1], 0, 0, False]
    decoder = Decoder([bytearray(16)], opaque, encoder.objects)
    with pytest.raises(WireError, match="changes of a tensor"):
        sender.write_back(decoder, [[0, [["list", [whole, whole]], state]]])
    sender.write_back(Decoder([], opaque, encoder.objects), [[0, [None, state]]])
    assert not pair.left.requires_grad and pair.right.requires_grad  # no leaf


def test_an_argument_that_is_returned_is_the_same_object(ends):
    x = torch.ones(2)
    assert call(*ends, lambda x: [x], x)[0] is x


def test_a_change_of_something_that_was_not_sent_is_refused():
    sender, encoder = Sender(), Encoder(refuse)
    for changes in (None, [[0, None]], [["a", None]], [3], [[-1, None]]):
        with pytest.raises(WireError):
            sender.write_back(Decoder([], opaque, encoder.objects), changes)
