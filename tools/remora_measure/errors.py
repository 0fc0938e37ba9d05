"""Why a measurement did not come to its end."""


class CouldNotRun(Exception):
    """Something is missing or has ended, so that nothing can be judged. The text says what."""


class RequestsFailed(Exception):
    """Requests failed, so that the figures would be about something else."""
