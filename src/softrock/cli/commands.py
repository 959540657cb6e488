"""Commands, their options and what the user typed: a small parser, because parsing libraries take longer to import than
most commands take to run.

Options may stand anywhere before ``--``. A command that passes arguments on leaves alone what it does not know.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from softrock.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command.

    Attributes:
        flag: as it is typed, ``--gpu``.
        metavar: what its value is called; empty where it takes none, ``[=…]`` where it need not be given.
    """

    flag: str
    help: str
    metavar: str = ""


@dataclass(slots=True)
class Given:
    """What the user typed.

    Attributes:
        words: arguments that are no options of the command, in order.
        tail: what followed ``--``.
        values: option -> its value; "" for options without one.
    """

    words: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)

    def number(self, flag: str) -> float | None:
        """The value of an option that is a number.

        Raises:
            UsageError: it is none.
        """
        text = self.values.get(flag)
        try:
            return None if text is None else float(text)
        except ValueError:
            raise UsageError(f"{flag} {text!r} is not a number") from None


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    Attributes:
        name: as it is typed.
        run: carries it out; returns the exit status. The first paragraph of its docstring is its help, the rest stands
            below it in the command's own.
        options: its options, besides ``--help``.
        words: what its arguments are called.
        least, most: how many it takes; `most` is None where there may be any number.
        passes: options it does not know are arguments.
        tails: what follows ``--`` is something else than its arguments.
        hidden: it is not in the list of commands.
    """

    name: str
    run: Callable[[Given], int]
    options: tuple[Option, ...] = ()
    words: str = ""
    least: int = 0
    most: int | None = 0
    passes: bool = False
    tails: bool = False
    hidden: bool = False

    @property
    def text(self) -> list[str]:
        """Paragraphs of its help."""
        return [" ".join(each.split()) for each in (self.run.__doc__ or "").split("\n\n")]


def parse(command: Command, args: Sequence[str]) -> Given | None:
    """What the user typed for a command; None where help was asked for.

    Raises:
        UsageError: it is no use of the command.
    """
    hint = f"softrock {command.name} --help shows the usage"
    known = {option.flag: option for option in command.options}
    given = Given()
    left = list(args)
    while left:
        word = left.pop(0)
        if word == "--":
            given.tail = left
            break
        flag, equals, value = word.partition("=")
        option = known.get(flag)
        if option is None:
            if word == "--help":
                return None
            if word.startswith("-") and word != "-" and not command.passes:
                raise UsageError(f"No such option: {flag}", hint=hint)
            given.words.append(word)
        elif equals and not option.metavar:
            raise UsageError(f"Option {flag!r} does not take a value", hint=hint)
        elif equals or not option.metavar or option.metavar.startswith("["):
            given.values[flag] = value
        elif left:
            given.values[flag] = left.pop(0)
        else:
            raise UsageError(f"Option {flag!r} requires an argument", hint=hint)
    if not command.passes and not command.tails:
        given.words += given.tail
        given.tail = []
    if len(given.words) < command.least:
        raise UsageError(f"Missing argument '{command.words}'", hint=hint)
    if command.most is not None and len(given.words) > command.most:
        raise UsageError(f"Got unexpected extra arguments ({' '.join(given.words[command.most :])})", hint=hint)
    return given


# ---- help ----


def _columns() -> int:
    return min(shutil.get_terminal_size((100, 24)).columns, 100)


def _table(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = max(len(name) for name, _ in rows) + 4
    out: list[str] = []
    for name, text in rows:
        lines = textwrap.wrap(text, max(_columns() - width, 20)) or [""]
        out.append(f"  {name}".ljust(width) + lines[0])
        out += [" " * width + line for line in lines[1:]]
    return out


def _paragraph(text: str) -> list[str]:
    if text.startswith("Example: "):  # to be copied in one piece
        return ["  " + text, ""]
    return [*textwrap.wrap(text, _columns() - 2, initial_indent="  ", subsequent_indent="  "), ""]


def help_of(command: Command) -> str:
    """The help of one command."""
    lines = [f"Usage: softrock {command.name} [OPTIONS] {command.words}".rstrip(), ""]
    for each in command.text:
        lines += _paragraph(each)
    rows = [(f"{each.flag} {each.metavar}".rstrip().replace(" [", "["), each.help) for each in command.options]
    return "\n".join([*lines, "Options:", *_table([*rows, ("--help", "Show this message.")])])


def help_of_all(commands: Sequence[Command], about: str, environment: str) -> str:
    """The list of commands."""
    shown = [(each.name, each.text[0]) for each in commands if not each.hidden]
    lines = ["Usage: softrock COMMAND [ARGUMENTS]", "", *_paragraph(about), "Commands:", *_table(shown), ""]
    lines += ["  softrock COMMAND --help says more about one.", ""]
    return "\n".join([*lines, *_paragraph(environment)[:-1]])


def find(commands: Sequence[Command], name: str) -> Command:
    """A command by name.

    Raises:
        UsageError: there is none of that name.
    """
    for each in commands:
        if each.name == name:
            return each
    hint = "softrock --help shows the usage"
    if name.startswith("-"):
        raise UsageError(f"No such option: {name}", hint=hint)
    import difflib

    close = difflib.get_close_matches(name, [each.name for each in commands if not each.hidden], 1)
    meant = f" Did you mean {close[0]!r}?" if close else ""
    raise UsageError(f"No such command {name!r}.{meant}".rstrip("."), hint=hint)
