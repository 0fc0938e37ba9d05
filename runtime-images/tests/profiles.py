"""CPU profiles of a running sidecar that has something to compile, as collapsed stacks."""
import threading
import time
import urllib.error
import urllib.request

# Enough for further profiles where a busy machine leaves one without samples of the VM.
SECONDS = 120


def profile_until(words, admin, send):
    """A profile of two seconds with some words in it, from the admin listener, while send sends one request after the other.
    Fails after two minutes without them."""
    return profile_where(lambda found: words in found, f"with {words!r}", admin, send)


def profile_where(holds, what, admin, send, seconds=SECONDS):
    """A profile of two seconds for which something holds, while send sends requests. Fails after that time without one."""
    ended, found, failures = threading.Event(), "", []

    def load():
        try:
            while not ended.is_set():
                send()
        except Exception as failure:
            failures.append(failure)

    client = threading.Thread(target=load)
    client.start()
    try:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = profile(admin) or found
            if failures:
                raise failures[0]
            if holds(found):
                return found
    finally:
        ended.set()
        client.join()
    raise AssertionError(f"no profile {what} in {seconds} s; the last one is\n{found}")


def samples(collapsed, words=""):
    """The samples of a profile whose stacks have some words."""
    return sum(int(line.rsplit(" ", 1)[1]) for line in collapsed.splitlines() if words in line)


def profile(admin):
    """None where the profile before it has not ended: the sidecar sends one before it has freed what it took."""
    request = urllib.request.Request(f"http://{admin}/profile?seconds=2&hz=1000", method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            if refused.code != 409:
                raise
        return None
