import socket

import pytest

from tests.page.few_tasks import NEEDED

pytest.importorskip("uvicorn", reason=NEEDED)

from vieta.errors import InputError
from vieta.page import serving


def test_a_second_page_takes_the_next_port_and_listens_on_loopback_only():
    first, second = serving.opened(), serving.opened()
    try:
        assert second.port > first.port
        assert first.socket.getsockname()[0] == second.socket.getsockname()[0] == "127.0.0.1"
        assert first.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert first.token != second.token
        assert first.link == f"http://127.0.0.1:{first.port}/?token={first.token}"
        with pytest.raises(InputError, match=f"port {first.port} is not free"):
            serving.opened(first.port)
        third = serving.opened(before=first.port)  # which is not free
        third.socket.close()
        assert third.port not in (first.port, second.port)
        again = serving.opened(before=third.port)
        again.socket.close()
        assert again.port == third.port
    finally:
        first.socket.close()
        second.socket.close()
