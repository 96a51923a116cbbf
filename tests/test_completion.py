"""Completion in the shell, and the nearest name for a command or option that is not there."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from askew.cli import COMMANDS, main
from askew.cli.completion import SCRIPTS, completions
from askew.registry import KINDS, describe, names
from running import write_questions

ROOT = Path(__file__).parents[1]

TAB = """\
eval "$(askew completion bash)"
complete_line() {
    COMP_LINE=$1; COMP_POINT=${#1}; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _askew 2>/dev/null
    printf '%s\\n' "${COMPREPLY[*]}"
}
"""
"""What bash does at a Tab: it sets these variables, calls the function, and reads COMPREPLY."""


def in_bash(*lines):
    """The completions of each line, as bash's own function gives them."""
    script = TAB + "".join(f"complete_line '{line}'\n" for line in lines) + "complete -p askew\n"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, text=True, check=True, env={**os.environ, "PATH": path}
    )
    *found, registered = done.stdout.splitlines()
    assert registered == "complete -o default -F _askew askew"
    return found


def test_bash_completes_commands_options_and_names():
    found = in_bash("askew gat", "askew run --sui", "askew run --suite corr", "askew run --model bundled:xnm-")
    assert found == ["gate", "--suite", "corruption", "xnm-q3r"], "bash replaces what is after the last colon"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("askew ", sorted(COMMANDS)),
        ("askew --", ["--debug", "--help", "--version"]),
        ("askew run --model ", names("model")),
        ("askew run --model=const", ["--model=constant"]),
        ("askew run --metric cons", ["consensus"]),
        ("askew run --quiet --su", ["--suite"]),
        ("askew --debug attack --attack text", ["textfooler"]),
        ("askew collect ini", ["init"]),
        ("askew collect init study --pre", ["--preset"]),
        ("askew gate runs/a --by lo", ["low"]),
        ("askew ls enc", ["encoder"]),
        ("askew run --data wor", ["world"]),
        ("askew run --data ", []),
        ("askew run --output ", []),
        ('askew run --suite "ra', ["rad"]),
        ("askew nothing ", sorted(COMMANDS)),
    ],
)
def test_a_line_is_completed(line, expected):
    assert completions(line) == expected


@pytest.mark.parametrize("shell", SCRIPTS)
def test_every_shell_has_a_script_that_calls_back(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"askew completion {shell} --line" in script
    assert main(["completion", shell, "--line", "askew recov"]) == 0
    assert capsys.readouterr().out == "recover\n"


SHELLS = {
    "bash": (("bash", "--norc", "-i"), ('eval "$(askew completion bash)"',)),
    "zsh": (("zsh", "-f", "-i"), ("autoload -U compinit; compinit -u", 'eval "$(askew completion zsh)"')),
    "fish": (("fish", "--no-config", "-i"), ("askew completion fish | source",)),
}
"""How each shell is started without a person's settings, and what it reads first."""
OWN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)
"""Makes the pseudo-terminal the one that controls the shell, which fish needs."""


@pytest.mark.parametrize("shell", SHELLS)
def test_tab_completes_in_a_real_shell(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    words, setup = SHELLS[shell]
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    settings = {"PATH": path, "HOME": str(tmp_path), "TERM": "dumb", "LANG": "C.UTF-8", "PS1": "> "}
    terminal, inside = pty.openpty()
    start = (sys.executable, "-c", OWN_TERMINAL, *words)
    process = subprocess.Popen(start, stdin=inside, stdout=inside, stderr=inside, env=settings, start_new_session=True)
    os.close(inside)
    heard = ""

    def wait_for(text):
        nonlocal heard
        deadline = time.monotonic() + 60
        while text not in heard:
            assert time.monotonic() < deadline, f"{shell} did not print {text!r}: {heard[-500:]!r}"
            if select.select([terminal], [], [], 0.2)[0]:
                heard += os.read(terminal, 65536).decode("utf-8", "replace")

    try:
        for line in (*setup, "echo rea''dy"):
            os.write(terminal, f"{line}\n".encode())
        wait_for("ready")
        for typed, completed in (
            ("askew gat", "askew gate "),
            ("askew run --suite corr", "askew run --suite corruption "),
            ("askew run --suite=corr", "askew run --suite=corruption "),
            ("askew run --model bundled:cnn", "askew run --model bundled:cnn-lstm "),
        ):
            heard = ""
            os.write(terminal, f"{typed}\t".encode())
            wait_for(completed)
            os.write(terminal, b"\x15")  # ^U deletes the line
    finally:
        process.kill()
        process.wait()
        os.close(terminal)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("rnu",), "there is no command 'rnu'. Did you mean 'run'?"),
        (("run", "--sute", "rad"), "askew run: error: there is no option --sute. Did you mean '--suite'?"),
        (("run", "--limt=3"), "there is no option --limt. Did you mean '--limit'?"),
        (("collect", "init", "study", "--presett", "x"), "askew collect init: error: there is no option --presett."),
        (("demo", "rad"), "there is nothing that 'rad' could mean here"),
    ],
)
def test_an_unknown_command_or_option_is_answered_with_the_nearest(words, told, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_ls_and_the_docs_name_the_same_things():
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    commands = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    listed = commands[commands.index("## askew ls") :].partition("## askew completion")[0]
    assert re.findall(r"`([a-z]+)`", listed) == list(KINDS)
    for kind in KINDS:
        for name in names(kind):
            assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", pages), f"no page names the {kind} {name}"
            options, summary = describe(kind, name)
            assert re.fullmatch(r"\S.*[.:]", summary), f"askew ls {kind}: {name} has no sentence"
            assert options


def test_a_run_says_what_it_will_do_unless_it_is_quiet(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 5)
    words = ("run", "--model", "constant:red", "--data", str(tmp_path / "q.jsonl"), "--suite", "accuracy", "--output")
    assert main([*words, str(tmp_path / "one")]) == 0
    told = f"Next: make the groups of accuracy, ask constant:red, score the answers, and write {tmp_path / 'one'}"
    assert capsys.readouterr().err.startswith(told)
    assert main([*words, str(tmp_path / "two"), "--quiet"]) == 0
    assert "Next:" not in capsys.readouterr().err
