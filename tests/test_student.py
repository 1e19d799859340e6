"""A call that does not end as it should, without a sandbox behind it."""

import socket
import threading

import pytest
import torch
from torch import nn

from autograder.cargo import remember_arguments
from autograder.grade import Limits
from autograder.student import CellTimeoutError, Student
from autograder.wire import WireError, receive, send


class Net(nn.Linear):
    pass


remember_arguments(Net)


class Rooms:
    """Stands for a sandbox: keeps the other ends of its sessions."""

    def __init__(self):
        self.others, self.ended = [], 0

    def session(self):
        ours, theirs = socket.socketpair()
        self.others.append(theirs)
        return ours

    def end_session(self):
        self.ended += 1


@pytest.fixture
def student():
    rooms = Rooms()
    student = Student(rooms, {"answer": "answer"}, {}, Limits(cell=2))
    yield student
    student.lose()
    for other in rooms.others:
        other.close()


def test_after_a_call_that_cannot_be_sent_nothing_counts_as_sent(student):
    model = Net(2, 2)
    with pytest.raises(WireError, match="object cannot be handed to an answer"):
        student.call("answer", (model, object()), {})
    assert student.sandbox.ended == 1
    student.ensure()
    assert student.sender.owners == {} and student.sender.sent == {}


def test_after_a_late_call_all_numbers_are_sent_again(student):
    def reply():
        receive(student.sandbox.others[0])
        send(student.sandbox.others[0], {"late": True})

    student.ensure()
    peer = threading.Thread(target=reply)
    peer.start()
    with pytest.raises(CellTimeoutError):
        student.call("answer", (Net(2, 2), torch.ones(2)), {})
    peer.join()
    assert len(student.sender.owners) == 1 and student.sender.sent == {}
