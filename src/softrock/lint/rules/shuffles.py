"""Exchange between the lanes of a wave."""

from __future__ import annotations

from collections.abc import Iterator

from softrock.hipify.findings import Finding, Severity
from softrock.lint.file import File
from softrock.lint.lanes import WARP_FUNCTIONS, WARP_SIZE_NAME, Lanes, gpus, lanes, others, views
from softrock.lint.loops import counted
from softrock.lint.outline import Call, Range
from softrock.lint.registry import rule
from softrock.lint.uniform import Spread, conditions, left_early


@rule("shuffle-in-divergent-code", Severity.WARNING, by_size=True)
def shuffle_in_divergent_code(file: File) -> Iterator[Finding]:
    """Lanes exchange values in code that not all lanes of the wave reach.

    Why:
        A shuffle or a ballot sees the lanes that are active when it is carried out. What is read from a lane that is
        not is undefined; and HIP's ``_sync`` functions end the program where the mask names a lane that does not take
        part. ``if (threadIdx.x < 32)`` lets a whole warp through on NVIDIA and half a wave on a GPU with 64 lanes a
        wave, so that is an error there.

    Example:
        __global__ void total(float *x) {
            float value = x[threadIdx.x];
            if (threadIdx.x < 32)
                value += __shfl_down_sync(0xffffffffffffffffull, value, 1);
            x[threadIdx.x] = value;
        }

    Fix:
        __global__ void total(float *x) {
            float value = x[threadIdx.x];
            if (threadIdx.x < warpSize)
                value += __shfl_down_sync(0xffffffffffffffffull, value, 1);
            x[threadIdx.x] = value;
        }
    """
    view = lanes(file)
    told: set[tuple[int, int]] = set()
    for call in view.calls:
        if call.name in ("__any", "__all", "__ballot", "__match_any_sync") or _mask_follows(view, call):
            continue
        for condition, spread in conditions(view, call.index):
            if spread is Spread.UNIFORM or (condition[0], condition[1]) in told:
                continue
            finding = _divergent(view, call, condition, spread)
            if finding:
                told.add(condition)
                yield finding
                break
        else:
            returned = left_early(view, call.index)
            if returned and call.name.endswith("_sync") and returned not in told:
                told.add(returned)
                message = (
                    f"{call.name} names all lanes, but lanes for which ({view.outline.text(returned)}) have returned"
                )
                yield view.finding(
                    "shuffle-in-divergent-code", _whole(call), message, "let all lanes of the wave go on to it"
                )


def _whole(call: Call) -> Range:
    return call.index, call.close + 1


def _mask_follows(view: Lanes, call: Call) -> bool:
    """The mask is worked out at run time: the lanes it names may well be the ones that are there."""
    position = WARP_FUNCTIONS[call.name].mask
    if not 0 <= position < len(call.arguments):
        return call.name == "__syncwarp"
    span = call.arguments[position]
    words = view.words(span)
    return view.literal_mask(span) is None and not any(_is_full(view, word, span[0]) for word in words)


def _is_full(view: Lanes, name: str, at: int) -> bool:
    if "mask" in name.lower() and any(part in name.lower() for part in ("full", "all")):
        return True
    macro = view.outline.macros.get(name)
    if macro:
        return "".join(each.text for each in macro).strip("()").lower().startswith(("0xffffffff", "~0", "-1"))
    place = view.values.declaration(name, at)
    initial = view.values.initial(place[0]) if place else None
    return initial is not None and view.literal_mask(initial) is not None


def _divergent(view: Lanes, call: Call, condition: Range, spread: Spread) -> Finding | None:
    file, text = view.file, view.outline.text(condition)
    if spread in (Spread.HALF, Spread.DOUBLE):
        size = 64 if spread is Spread.HALF else 32
        on = gpus(file, size)
        if not on or spread is Spread.DOUBLE:
            return None
        message = f"({text}) lets half of a wave of {on} through to {call.name}{others(file, 32)}"
        hint = "compare with warpSize, or give the shuffle the width 32 and a mask of the lanes that are there"
        return view.finding("shuffle-in-divergent-code", _whole(call), message, hint, severity=Severity.ERROR)
    message = f"{call.name} stands where ({text}) may let only some lanes of a wave through"
    hint = "move it out of the branch, or make the condition the same for all lanes of a wave"
    return view.finding("shuffle-in-divergent-code", _whole(call), message, hint)


@rule("shuffle-width-32", Severity.WARNING, by_size=True)
def shuffle_width_32(file: File) -> Iterator[Finding]:
    """A shuffle is given a width of 32.

    Why:
        With the width 32 a wave of 64 lanes is treated as two halves, each like a warp. That is right where everything
        around it works in groups of 32 lanes, and wrong where one result is taken for each wave: it is the result of
        one half.

    Example:
        __device__ float neighbour(float value) { return __shfl_down(value, 1, 32); }

    Fix:
        __device__ float neighbour(float value) { return __shfl_down(value, 1); }
    """
    on = gpus(file, 64)
    if not on:
        return
    for view in views(file):
        for call in view.calls:
            position = WARP_FUNCTIONS[call.name].width
            if 0 <= position < len(call.arguments) and _literally(view, call.arguments[position]) == 32:
                message = f"{call.name} with a width of 32 stays within half a wave of {on}{others(file, 32)}"
                hint = "leave the width away to mean the whole wave, or make sure that groups of 32 lanes are meant"
                yield view.finding("shuffle-width-32", call.arguments[position], message, hint)


def _literally(view: Lanes, span: Range) -> int | None:
    """An expression's value, unless it is made from a name for the warp size, which is told where it is defined."""
    if any(WARP_SIZE_NAME.fullmatch(word) for word in view.outline.words(span)):
        return None
    return view.values.constant(span)


@rule("shuffle-from-lane-31", Severity.ERROR, by_size=True)
def shuffle_from_lane_31(file: File) -> Iterator[Finding]:
    """The last lane's value is taken from lane 31.

    Why:
        Lane 31 is the last one of a warp of 32. Behind a scan it holds the total there; on a wave of 64 lanes it holds
        the total of the first half, and all lanes are given that.

    Example:
        __device__ int total(int scanned) { return __shfl(scanned, 31); }

    Fix:
        __device__ int total(int scanned) { return __shfl(scanned, warpSize - 1); }
    """
    on = gpus(file, 64)
    if not on:
        return
    for view in views(file):
        for call in view.calls:
            known = WARP_FUNCTIONS[call.name]
            if call.name not in ("__shfl", "__shfl_sync") or known.source >= len(call.arguments):
                continue
            if known.width < len(call.arguments) and _literally(view, call.arguments[known.width]) == 32:
                continue
            if _literally(view, call.arguments[known.source]) == 31:
                message = f"{call.name} takes lane 31 for the last one; a wave of {on} has 64 lanes{others(file, 32)}"
                yield view.finding("shuffle-from-lane-31", call.arguments[known.source], message, "use warpSize - 1")


@rule("loop-over-32-lanes", Severity.ERROR, by_size=True)
def loop_over_32_lanes(file: File) -> Iterator[Finding]:
    """A loop asks the lanes of a wave one after the other, and ends at a literal.

    Why:
        ``for (int i = 0; i < 32; i++) x = __shfl(value, i)`` goes through the lanes of a warp. On a wave of 64 lanes
        the values of the upper 32 are never used: sums come out too small, and elements that those lanes have loaded
        are left out. A loop up to 64 asks lanes that a wave of 32 does not have.

    Example:
        __device__ float sum(float value) {
            float total = 0;
            for (int i = 0; i < 32; i++) total += __shfl(value, i);
            return total;
        }

    Fix:
        __device__ float sum(float value) {
            float total = 0;
            for (int i = 0; i < warpSize; i++) total += __shfl(value, i);
            return total;
        }
    """
    view = lanes(file)
    calls = [call for call in view.calls if call.name in ("__shfl", "__shfl_sync")]
    for function in view.outline.functions if calls else ():
        for statement, _ in function.paths():
            inside = [call for call in calls if statement.start <= call.index < statement.end]
            loop = counted(view, statement) if inside and statement.kind == "for" else None
            if loop is None or loop[1] != 0 or loop[2] not in (31, 63):
                continue
            size = loop[2] + 1
            on = gpus(file, 96 - size)
            for call in inside if on else ():
                known = WARP_FUNCTIONS[call.name]
                narrow = known.width < len(call.arguments) and _literally(view, call.arguments[known.width]) == size
                if known.source < len(call.arguments) and view.outline.text(call.arguments[known.source]) == loop[0]:
                    if narrow:
                        continue
                    effect = "lanes 32 to 63 are left out" if size == 32 else "lanes 32 to 63 do not exist"
                    message = f"the loop asks {size} lanes; a wave of {on} has {96 - size}: {effect}"
                    message += others(file, size)
                    yield view.finding("loop-over-32-lanes", _whole(call), message, "loop up to warpSize")


@rule("activemask-as-mask", Severity.WARNING)
def activemask_as_mask(file: File) -> Iterator[Finding]:
    """``__activemask()`` is used as the mask of lanes that take part.

    Why:
        ``__activemask()`` tells which lanes happen to be active, not which ones belong together: the compiler may split
        or join paths before it. NVIDIA warns of the idiom; on AMD the result has 64 bits, and the lanes that are found
        together differ from those on NVIDIA.

    Example:
        __device__ int count(bool vote) { return __popcll(__ballot_sync(__activemask(), vote)); }

    Fix:
        __device__ int count(bool vote) { return __popcll(__ballot(vote)); }
    """
    for view in views(file):
        for call in view.calls:
            position = WARP_FUNCTIONS[call.name].mask
            if not 0 <= position < len(call.arguments):
                continue
            span = call.arguments[position]
            if "__activemask" in view.words(span) or _from_activemask(view, span):
                message = f"the lanes of {call.name} are those that happen to be active"
                hint = "work the mask out with __ballot before the branch, or use the function without _sync"
                yield view.finding("activemask-as-mask", span, message, hint)


def _from_activemask(view: Lanes, span: Range) -> bool:
    function = view.outline.function_at(span[0])
    if function is None or span[1] - span[0] != 1:
        return False
    given = view.values.given(view.outline.at(span[0]), function)
    return bool(given) and view.outline.text(given[-1]).startswith("__activemask (")


@rule("syncwarp-as-memory-fence", Severity.NOTE)
def syncwarp_as_memory_fence(file: File) -> Iterator[Finding]:
    """``__syncwarp`` orders accesses to shared memory.

    Why:
        In CUDA ``__syncwarp`` makes the lanes wait for each other and orders their accesses to memory. HIP has it from
        version 7 on; before, ports define it away, and then nothing keeps the compiler from moving accesses to LDS
        across the place. Where lanes of more than 32 exchange values in this way, a wave of 64 lanes holds what two
        warps held before, so that what was two groups is one.

    Example:
        __device__ float turn(float *tile, int lane, float value) {
            tile[lane] = value;
            __syncwarp();
            return tile[lane ^ 1];
        }

    Fix:
        __device__ float turn(float value) { return __shfl_xor(value, 1); }
    """
    for view in views(file):
        for call in view.outline.calls("__syncwarp"):
            message = "__syncwarp is in HIP from version 7 on; ports to earlier versions that leave it out are wrong"
            hint = "exchange the values with a shuffle, or use __syncthreads where all threads come here"
            yield view.finding("syncwarp-as-memory-fence", _whole(call), message, hint)


@rule("tile-of-32-lanes", Severity.WARNING, by_size=True)
def tile_of_32_lanes(file: File) -> Iterator[Finding]:
    """A cooperative group of 32 threads is taken for the warp.

    Why:
        ``tiled_partition<32>`` works on AMD: on a wave of 64 lanes the tile is half of it. Code that takes the tile for
        the whole warp (one result per tile, a shared array with one place per warp, ``thread_rank() / 32``) goes on to
        work, with half of the hardware's reach in each exchange; code that mixes it with ``warpSize``, ballots or masks
        of the whole wave is wrong.

    Example:
        #include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void kernel(float *x) {
            auto warp = cg::tiled_partition<32>(cg::this_thread_block());
            x[threadIdx.x] += warp.shfl_down(x[threadIdx.x], 1);
        }

    Fix:
        #include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        template <int Size> __global__ void kernel(float *x) {
            auto warp = cg::tiled_partition<Size>(cg::this_thread_block());
            x[threadIdx.x] += warp.shfl_down(x[threadIdx.x], 1);
        }
    """
    on = gpus(file, 64)
    if not on:
        return
    view = lanes(file)
    outline = view.outline
    for name in ("tiled_partition", "thread_block_tile"):
        for at in outline.names.get(name, ()):
            close = outline.angle(at + 1) if outline.at(at + 1) == "<" else None
            if close is None:
                continue
            first = outline.split(at + 2, close - 1)[:1]
            if first and _literally(view, first[0]) == 32 and not _only_named(view, at):
                message = f"a tile of 32 threads is half a wave of {on}{others(file, 32)}"
                hint = "make the size a template parameter and choose it on the host from warpSize"
                yield view.finding("tile-of-32-lanes", first[0], message, hint)


def _only_named(view: Lanes, at: int) -> bool:
    """A ``thread_block_tile<32>`` whose initialiser is a ``tiled_partition<32>``: told there."""
    first, behind = view.values.statement(at)
    words = view.outline.words((first, behind))
    return view.outline.at(at) == "thread_block_tile" and "tiled_partition" in words
