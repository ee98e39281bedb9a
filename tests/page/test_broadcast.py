import asyncio
import json

from vieta.page.broadcast import Broadcast


async def heard(events, count):
    """The first pieces that a listener gets, after the greeting."""
    assert (await anext(events)).startswith(b"retry")
    return [await asyncio.wait_for(anext(events), 10) for _ in range(count)]


def numbers(pieces):
    return [int(line[4:]) for piece in pieces for line in piece.decode().splitlines() if line.startswith("id: ")]


def test_a_listener_gets_the_history_and_what_comes():
    async def run():
        cast = Broadcast(history=3)
        for k in range(5):
            cast.publish("estimate", {"k": k})
        events = cast.listen()
        assert numbers(await heard(events, 1)) == [3, 4, 5]
        cast.publish("change", {"after_set": 7})
        piece = (await asyncio.wait_for(anext(events), 10)).decode()
        assert "event: change" in piece
        assert json.loads(piece.split("data: ")[1]) == {"after_set": 7}
        await events.aclose()
        assert cast.listeners == 0

    asyncio.run(run())


def test_a_listener_that_comes_back_gets_what_it_missed_and_one_of_an_older_page_everything():
    cast = Broadcast()
    for k in range(4):
        cast.publish("estimate", {"k": k})
    assert [one.number for one in cast.since(2)] == [3, 4]
    assert cast.since(4) == []
    assert len(cast.since(99)) == 4


def test_fifty_listeners_of_which_one_never_reads_cost_no_queue():
    async def run():
        cast = Broadcast(history=10)
        listeners = [cast.listen() for _ in range(50)]
        for one in listeners:
            await anext(one)
        for k in range(200):
            cast.publish("estimate", {"k": k})
        assert len(cast.since(0)) == 10
        for one in listeners[1:]:
            assert numbers([await anext(one)])[-1] == 200
        late = numbers([await anext(listeners[0])])
        assert late == list(range(191, 201))
        for one in listeners:
            await one.aclose()

    asyncio.run(run())


def test_a_silent_stream_shows_that_it_lives_and_its_end_lets_listeners_go():
    async def run():
        cast = Broadcast()
        events = cast.listen(beat=0.01)
        await anext(events)
        assert (await anext(events)).startswith(b":")
        cast.close()
        assert [piece async for piece in events if not piece.startswith(b":")] == []

    asyncio.run(run())
