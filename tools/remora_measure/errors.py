"""Why a measurement did not come to its end."""


class CouldNotRun(Exception):
    """Something is missing or has ended, so that nothing can be judged. The text says what."""


class RequestsFailed(Exception):
    """Requests failed, so that the figures would be about something else."""


class DidNotEnd(Exception):
    """A load, a program or an exchange took longer than its bound, and was ended. what names it."""

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"{what} did not end within {seconds:.0f} s")
