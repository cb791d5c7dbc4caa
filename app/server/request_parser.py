"""Parser that refuses a request for its size, number or sender before it receives the body."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from waitress.parser import HTTPRequestParser, ParsingError
from waitress.task import ErrorTask
from waitress.utilities import Error, RequestEntityTooLarge

from app.server.limits import takes_files
from storage.failures import TEMPORARY_FILES, disk_sentence, is_disk_error

if TYPE_CHECKING:
    from app.server.connections import Channel


class TooManyUploadsError(Error):  # type: ignore[misc]
    """A client has its maximum number of uploads on their way."""

    code = 429
    reason = "Too Many Requests"


class AnonymousError(Error):  # type: ignore[misc]
    """A client without a session or token sends a file."""

    code = 401
    reason = "Unauthorized"


class DiskError(Error):  # type: ignore[misc]
    """The disk of TMPDIR is too full for the request body."""

    code = 503
    reason = "Service Unavailable"


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """Parser of a request; `client` is the client's address once the header is complete."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel.adj)
        self._channel = channel
        self._is_anonymous = False
        self.client = ""

    def received(self, data: bytes) -> int:
        """Parse bytes of a request and return the number of used bytes.

        The request ends with `error` if its body is refused, or if the disk is too full for it.
        """
        in_header = not self.headers_finished
        try:
            taken: int = super().received(data)
        except OSError as error:
            if not is_disk_error(error):
                raise
            taken = len(data)
            self.error = DiskError(disk_sentence(error, TEMPORARY_FILES))
            self.completed = True
        if in_header and self.is_upload_on_its_way and not self._channel.may_upload(self.client):
            self.error = TooManyUploadsError("This address is sending too many uploads at once.")
            self.completed = True
        if self._is_anonymous and isinstance(self.error, RequestEntityTooLarge):
            self.error = AnonymousError("Sign in first, or send a token.")
        return taken

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the header and choose the size limit of the body by path and sender; raises
        ParsingError if it has two lengths.

        Only paths that accept files have the large limit, and only if the request names its sender.
        """
        super().parse_header(header_plus)
        # A proxy and this server could disagree about where the request ends (request smuggling).
        if "TRANSFER_ENCODING" in self.headers or (
            self.chunked and "CONTENT_LENGTH" in self.headers
        ):
            raise ParsingError(
                "A body must have one length: either in its header, or by its chunks in HTTP/1.1"
            )
        look = self._channel.server.look
        peer = self._channel.addr[0]
        self.client = look.client(peer, self.headers)
        self._is_anonymous = takes_files(self.path) and look.is_anonymous(peer, self.headers)
        if self._is_anonymous or not takes_files(self.path):
            self.adj = self._channel.server.small

    def close(self) -> None:
        """Delete the body of the request.

        Ignores errors of a full disk, since closing the file writes again.
        """
        with suppress(OSError):
            super().close()

    @property
    def is_upload_on_its_way(self) -> bool:
        """Whether the request may contain files, its header is complete and its body is not."""
        return (
            self.headers_finished and not self.completed and takes_files(getattr(self, "path", ""))
        )


class Refusal(ErrorTask):  # type: ignore[misc]
    """The response to a request that the parser refused.

    The application does not see the request.
    """

    def execute(self) -> None:
        """Send the error as problem JSON, like all other errors."""
        error = self.request.error
        problem = {"type": "about:blank", "title": error.reason, "status": error.code}
        body = json.dumps(problem | {"detail": f"{error.reason}: {error.body}"}).encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers += [
            ("Content-Type", "application/problem+json"),
            ("X-Content-Type-Options", "nosniff"),
        ]
        if error.code == TooManyUploadsError.code:
            self.response_headers.append(("Retry-After", "5"))
        if error.code == AnonymousError.code:
            self.response_headers.append(("WWW-Authenticate", "Bearer"))
        self.channel.linger()
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)
