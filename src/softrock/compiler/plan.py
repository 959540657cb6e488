"""Ask clang's driver for the plan of a compilation: a list of jobs, none of them run yet.

``clang -### ...`` prints one quoted command a line and any warnings or errors between them. Unknown flags,
missing files and the rest are thus reported in clang's own words, under our name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from softrock.compiler import toolchain
from softrock.core.errors import CompileError

_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(.)")
_BANNER = (
    *("clang version ", "Target: ", "Thread model: ", "InstalledDir: ", " (in-process)", "Build config: "),
    *(
        "Found candidate ",
        "Selected GCC ",
        "Candidate multilib",
        "Selected multilib",
        "Found CUDA ",
        "Found HIP ",
    ),
)

CC1, AS, DEVICE_LINK, BUNDLE, OTHER = "cc1", "as", "device-link", "bundle", "other"


@dataclass(slots=True)
class Job:
    """One command of the plan.

    Attributes:
        kind: one of CC1, AS, DEVICE_LINK, BUNDLE, OTHER.
        args: arguments after the tool's name; for CC1 and AS they begin with ``-cc1`` or ``-cc1as``.
        device: whether it makes GPU code.
    """

    kind: str
    args: list[str]
    device: bool = False
    depends: list[int] = field(default_factory=list)

    def option(self, name: str) -> str | None:
        """The word after the last `name`, or None."""
        for index in range(len(self.args) - 2, -1, -1):
            if self.args[index] == name:
                return self.args[index + 1]
        return None

    @property
    def output(self) -> str | None:
        """The file that the job writes."""
        if self.kind == BUNDLE:
            return next((each[8:] for each in self.args if each.startswith("-output=")), None)
        return self.option("-o")

    @property
    def target(self) -> str:
        """The processor it compiles for, e.g. ``gfx942``."""
        return self.option("-target-cpu") or ""

    def argv(self) -> list[str]:
        """Arguments for ``zig``.

        Raises:
            CompileError: a tool that the wheel does not hold.
        """
        if self.kind in (CC1, AS):
            return ["clang", *self.args]
        if self.kind == DEVICE_LINK:
            return ["ld.lld", *self.args]
        raise CompileError(f"the compiler wants to run a tool that is not there: {' '.join(self.args)[:200]}")


def words_of(line: str) -> list[str]:
    """The words of one quoted command line as clang prints it."""
    return [_ESCAPE.sub(r"\1", each) if "\\" in each else each for each in _WORD.findall(line)]


def _job(words: list[str]) -> Job:
    if len(words) > 1 and words[1] in ("-cc1", "-cc1as"):
        job = Job(CC1 if words[1] == "-cc1" else AS, words[1:])
        job.device = (job.option("-triple") or "").startswith("amdgcn")
        return job
    tool = Path(words[0]).name
    if tool in ("lld", "ld.lld"):  # the host's linker is called by no plan that we ask for
        args = words[3:] if words[1:3] == ["-flavor", "gnu"] else words[1:]
        return Job(DEVICE_LINK, args, device=True)
    if tool == "clang-offload-bundler":
        return Job(BUNDLE, words[1:], device=True)
    return Job(OTHER, words)


def _link_dependencies(jobs: list[Job]) -> None:
    """Fill `depends`: a job waits for those whose output it names."""
    made: dict[str, int] = {}
    for index, job in enumerate(jobs):
        for arg in job.args:
            maker = made.get(arg.removeprefix("-input="))
            if maker is not None and maker not in job.depends:
                job.depends.append(maker)
        if job.output is not None:
            made[job.output] = index


def make(args: Sequence[str], *, name: str, temporary: Path, cwd: Path | None = None) -> tuple[list[Job], str]:
    """The jobs for ``clang ARGS`` and what clang had to say about the flags.

    Args:
        args: arguments of clang's driver.
        name: program name for messages.
        temporary: folder for the files between jobs.
        cwd: working folder.

    Raises:
        CompileError: clang rejects the command line; the message is clang's own.
    """
    env = {**toolchain.environment(), "TMPDIR": str(temporary)}
    done = toolchain.run(["clang", "-###", *args], name=name, env=env, cwd=cwd)
    jobs: list[Job] = []
    remarks: list[str] = []
    for line in done.stderr.splitlines():
        if line.startswith(' "'):
            jobs.append(_job(words_of(line)))
        elif not line.startswith(_BANNER) and line.strip():
            remarks.append(line)
    text = "".join(f"{line}\n" for line in dict.fromkeys(remarks))  # each half of a program repeats them
    if done.returncode or ": error: " in text:
        raise CompileError(text.rstrip("\n"), status=done.returncode or 1)
    _link_dependencies(jobs)
    return jobs, text
