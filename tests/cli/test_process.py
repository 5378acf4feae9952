"""The process: streams that are closed, full or left by their reader, terminals, and signals."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bayescompare.cli.app import _print_json
from bayescompare.cli.process import HUNG_UP, Interrupted, stoppable_process
from tests.cli.commands import OPTIONS, run, shell

ANSI = "\x1b["
PYTHON = [sys.executable, "-m", "bayescompare"]


# ----------------------------------------------------------------------------------------- streams


def closed_pipe() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize("command", ["methods", "compare --example pnn"])
def test_a_reader_who_left(command: str) -> None:
    """As in ``bayescompare ... | head -1``, at its worst: nothing was read at all."""
    writing = closed_pipe()
    done = shell(*command.split(), stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (HUNG_UP, "")


def test_an_error_that_nobody_reads() -> None:
    writing = closed_pipe()
    done = shell("compare", "nowhere.csv", stderr=writing)
    os.close(writing)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("command", ["--help", "methods --json"])
def test_a_closed_output(command: str) -> None:
    words = ["sh", "-c", 'exec "$@" >&-', "sh", *PYTHON, *command.split()]
    done = subprocess.run(words, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_file_written_with_all_streams_closed_is_that_file_alone(tmp_path: Path) -> None:
    """Else the file would get the number of a standard stream, and what is printed to it."""
    copy = tmp_path / "mine.py"
    arguments = ["models", "copy", "plackett_luce", str(copy)]
    command = ["sh", "-c", 'exec "$@" >&- 2>&- <&-', "sh", *PYTHON, *arguments]
    assert subprocess.run(command, timeout=300, check=False).returncode == 0
    assert copy.read_text(encoding="utf-8") == run("models show plackett_luce").stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("command", ["--help", "methods"])
def test_a_full_output_is_one_line(command: str) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = shell(command, stdout=full)
    message = "error: the output cannot be written: No space left on device.\n"
    assert (done.returncode, done.stderr) == (2, message)


def test_the_real_command_fails_in_one_line(tmp_path: Path) -> None:
    done = shell("compare", tmp_path / "no.csv", *OPTIONS)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"error: .*no such file.*\n", done.stderr)


def test_a_narrow_encoding_is_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = "from bayescompare.cli import process; process.prepare_streams(); print('α > 0')"
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, env=env, check=True)
    assert (done.stdout, done.stderr) == (b"alpha > 0\n", b"")
    signs = shown.replace("α > 0", "auc ↑ ● “better” – ≥ 0.95")
    done = subprocess.run([sys.executable, "-c", signs], capture_output=True, env=env, check=True)
    assert done.stdout == b'auc ^ * "better" - >= 0.95\n'
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", out)
    _print_json('{"algorithms": ["α", "B"]}')
    out.seek(0)
    assert json.loads(out.read()) == {"algorithms": ["α", "B"]}


# --------------------------------------------------------------------------------------- terminals


@pytest.mark.parametrize(("columns", "width"), [(None, 100), ("80", 80), ("7", 100)])
def test_a_pipe_gets_no_colour_and_100_columns_unless_told(columns: str | None, width: int) -> None:
    done = shell("models", "list", env={} if columns is None else {"COLUMNS": columns})
    assert (done.returncode, done.stderr) == (0, "")
    assert ANSI not in done.stdout
    assert width - 15 < max(map(len, done.stdout.splitlines())) <= width


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("no_color", [False, True])
def test_a_terminal_gets_its_own_width_and_colour_unless_told(no_color: bool) -> None:
    import pty

    drop = {"NO_COLOR", "TERM", "COLUMNS", "LINES"}
    env = {key: value for key, value in os.environ.items() if key not in drop}
    env |= {"TERM": "xterm-256color", "COLUMNS": "70"} | ({"NO_COLOR": "1"} if no_color else {})
    ours, theirs = pty.openpty()
    # In red, if colours are allowed.
    shown = "from bayescompare.cli.printing import console; console().print('x' * 99, style='red')"
    with subprocess.Popen([sys.executable, "-c", shown], stdout=theirs, env=env) as process:
        os.close(theirs)
        chunks = []
        with suppress(OSError):  # the other end was closed
            while chunk := os.read(ours, 65536):
                chunks.append(chunk)
        assert process.wait(timeout=120) == 0
    os.close(ours)
    printed = b"".join(chunks).decode()
    assert ("\x1b[31m" in printed) is not no_color
    plain = re.sub(r"\x1b\[[0-9;]*m", "", printed)
    assert max(map(len, plain.splitlines())) == 70


# ----------------------------------------------------------------------------------------- signals


def raised_in_compiled_code(number: int) -> None:
    """As compiled code does with whatever is raised inside it."""
    try:
        signal.raise_signal(number)
    except BaseException as error:
        raise SystemError("returned a result with an exception set") from error


def test_an_interrupt_in_compiled_code_is_an_interrupt() -> None:
    # Whatever was there is put back; a shell's background job ignores the signal.
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(Interrupted), stoppable_process(signal.SIGINT):
        raised_in_compiled_code(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(SystemError), stoppable_process(signal.SIGINT):
        raise SystemError


def test_a_request_to_end_is_one_word(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without a handler of ours the signal would end the tests.
    before = signal.signal(signal.SIGTERM, lambda *_: pytest.fail("not handled"))
    monkeypatch.setattr("bayescompare.compare", lambda *_, **__: raised_in_compiled_code(15))
    try:
        assert run("compare", table, *OPTIONS, code=143).stderr == "terminated\n"
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize(("raised", "code"), [(KeyboardInterrupt, 130), (EOFError, 1)])
def test_an_interrupt_is_one_word_and_the_end_of_a_file_is_none(
    raised: type[BaseException], code: int, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*args: object, **kwargs: object) -> None:
        raise raised("Ran out of input")

    monkeypatch.setattr("bayescompare.compare", stop)
    if code == 130:
        assert run("compare", table, *OPTIONS, code=130).stderr == "interrupted\n"
    else:
        with pytest.raises(EOFError, match="Ran out of input"):
            run("compare", table, *OPTIONS, code=1)


def ended_by(number: int, started: Any, *command: object) -> tuple[int, str, str]:
    """Send a signal to a command that has started to work; how it ended, and what it printed."""
    with subprocess.Popen(
        [sys.executable, *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell's background job ignores the signal, and hands that down.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            started(process)
            # A terminal sends Ctrl-C to all of them.
            os.killpg(process.pid, number) if number == signal.SIGINT else process.terminate()
            # Its streams end when the last worker does: they have them too.
            out, err = process.communicate(timeout=120)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, out, err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
@pytest.mark.parametrize("cores", [1, 2])
def test_interrupting_leaves_one_word_and_no_file(tmp_path: Path, cores: int) -> None:
    args = (
        *["-m", "bayescompare", "sample", "--example", "jansen-uci", "-a", "GBM,RF", "--cores"],
        cores,
    )
    more = ("--draws", 200_000, "--chains", 2, "--out", tmp_path / "posterior.nc")
    # Past the imports and the compiler, into the sampling.
    ended = ended_by(signal.SIGINT, lambda _: time.sleep(15), *args, *more)
    assert ended == (130, "", "interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_a_request_to_end_ends_the_workers_too() -> None:
    def at_work(process: Any) -> None:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        for _ in range(600):
            if process.poll() is not None or len(children.read_text().split()) >= 2:
                break
            time.sleep(0.1)
        time.sleep(3.0)

    asking = """if True:
        import time
        import bayescompare as bc
        from bayescompare._parallel import run_in_parallel
        from bayescompare.cli.app import main
        bc.compare = lambda *_, **__: list(run_in_parallel(time.sleep, [(99,)] * 4, n_jobs=2))
        main()
    """
    ended = ended_by(signal.SIGTERM, at_work, "-c", asking, "compare", "--example", "pnn")
    assert ended == (143, "", "terminated\n")
