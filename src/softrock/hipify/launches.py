"""``kernel<<<grid, block, shared, stream>>>(…)`` as ``hipLaunchKernelGGL(kernel, dim3(grid), dim3(block), …)``.

HIP's compilers take the former; the latter is for other compilers and for those who ask for it. Edits are made around
the arguments and not over them, so that comments stay, and names in them are translated as elsewhere.
"""

from __future__ import annotations

from softrock.hipify.brackets import arguments
from softrock.hipify.lexer import Kind, Token
from softrock.hipify.work import Work

_WHY = "--launch-macro"


def translate(work: Work) -> None:
    """Write all launches with the macro."""
    tokens = work.tokens
    for at, token in enumerate(tokens):
        if token.text != "<<<" or token.kind is not Kind.PUNCT or work.skipped(token.offset):
            continue
        problem = _launch(work, at)
        if problem:
            text = f"this launch stays as it is: {problem}"
            work.report(token.offset, 3, "launch-left", text, "HIP's compilers take <<<>>> as well")


def _launch(work: Work, at: int) -> str:
    """Edit one launch; what kept it from that."""
    tokens = work.tokens
    start = kernel_start(tokens, at)
    if start is None:
        return "the kernel's name is not one expression"
    inside = arguments(tokens, at, ">>>")
    if inside is None or not 2 <= len(inside) <= 4 or any(first >= last for first, last in inside):
        return "it has not two to four arguments between <<< and >>>"
    end = inside[-1][1]
    if end + 1 >= len(tokens) or tokens[end + 1].text != "(":
        return "no arguments follow it"
    given = arguments(tokens, end + 1)
    if given is None:
        return "its arguments are not closed"
    named = any(tokens[each].text == "," for each in range(start, at))
    _replace(work, tokens[start].offset, tokens[start].offset, "hipLaunchKernelGGL(" + "HIP_KERNEL_NAME(" * named)
    before = ")" * named + ", "
    for number, (first, last) in enumerate(inside):
        opening, closing = ("dim3(", ")") if number < 2 else ("", "")
        if number >= 2 and any(tokens[each].text == "," for each in range(first, last)):
            opening, closing = "(", ")"
        _replace(work, tokens[first - 1].offset, tokens[first].offset, before + opening)
        before = closing + ", "
    rest = "0, " * (4 - len(inside)) if given else ", ".join(["0"] * (4 - len(inside)))
    tail = (before + rest) if given else (before + rest).removesuffix(", ")
    last_argument = tokens[given[0][0]].offset if given else tokens[end + 1].end
    _replace(work, tokens[end].offset, last_argument, tail)
    work.replaced += 1
    return ""


def _replace(work: Work, start: int, end: int, text: str) -> None:
    """Put `text` in place of brackets, commas and blanks; comments between them stay."""
    old = work.source.text[start:end]
    mark = max(old.rfind("*/"), old.rfind("\n"))
    if mark >= 0 and ("/*" in old or "//" in old or "\n" in old):
        head = next(iter(each for each in ("<<<", ">>>", ",") if old.startswith(each)), "")
        behind = old[len(head) :].removeprefix("(") if head == ">>>" else old[len(head) :]
        text += behind
    work.replace(start, end - start, text, _WHY)


def kernel_start(tokens: list[Token], at: int) -> int | None:
    """Index at which the expression before ``<<<`` begins: a name, with qualifiers and template arguments."""
    here = at - 1
    while here >= 0:
        text = tokens[here].text
        if text in (">", ">>", ">>>"):
            opening = _opening(tokens, here, "<")
        elif text in (")", "]"):
            opening = _opening(tokens, here, "(" if text == ")" else "[")
        else:
            opening = here
        if opening is None:
            return None
        if text in (">", ">>", ">>>", "]"):
            here = opening - 1
            continue
        if text != ")" and tokens[opening].kind is not Kind.NAME:
            return None
        here = opening
        if here > 0 and tokens[here - 1].text in ("::", ".", "->"):
            here -= 1
            if tokens[here].text == "::" and (here == 0 or not _joins(tokens[here - 1])):
                return here
            here -= 1
            if tokens[here].text == "template":
                here -= 1
            continue
        return here
    return None


def _joins(token: Token) -> bool:
    return token.text in (">", ">>") or (token.kind is Kind.NAME and token.text not in ("return", "else", "do", "case"))


def _opening(tokens: list[Token], at: int, bracket: str) -> int | None:
    """Index of the bracket that the one at an index closes."""
    closing = {"<": ">", "(": ")", "[": "]"}[bracket]
    depth = 0
    here = at + 1
    while here > max(at - 400, 0):
        here -= 1
        text = tokens[here].text
        if text and not text.strip(closing):
            depth += len(text)
        elif text == bracket:
            depth -= 1
            if depth == 0:
                return here
        elif text in (")", "]") and bracket == "<":
            inner = _opening(tokens, here, "(" if text == ")" else "[")
            if inner is None:
                return None
            here = inner
        elif text in (";", "{", "}"):
            return None
    return None
