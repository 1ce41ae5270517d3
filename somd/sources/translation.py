"""Methods of a loaded file -> the modules that `somdc translate` writes.

One module for a method, a signature and a target, and the files that the target wants beside it. The texts depend on
the source and on somd alone: the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from somd.calls.specialisations import TargetUnavailable, declared_arguments
from somd.capture.annotations import namespace_of
from somd.capture.paths import parameters_of
from somd.capture.reach import Reach
from somd.capture.reaching import reach_of_source
from somd.language.combining import combine_of
from somd.settings.targets import TargetLacks
from somd.sources.load import Method, function_of
from somd.sources.raised_names import raised_names
from somd.sources.written_out import NotWritable, WrittenOut
from somd.transforms.layout import laid_out
from somd.transforms.pipeline import Compiled, compile_for, takes_ints
from somd.transforms.reserved import apart
from somd.transforms.signature_text import parse_signature
from somd.transforms.stages import joined_names, partition_roots
from somd.transforms.translated_text import Beside, translated_text
from somd.transforms.types.scalars import ArrayType, ScalarType, Type


@dataclass(frozen=True)
class Translation:
    """One module: `files` are names with their texts; `assumed` tells that no signature was declared."""

    qualname: str
    target: str
    signature: tuple[str, ...]
    assumed: bool
    files: tuple[tuple[str, str], ...]


def translate(method: Method, found: Reach, target: str, signature: str | None, suffix: str = "") -> Translation:
    """The module of a method for a target and a signature, or for the types that the source suggests.

    Raises:
        SomdCompileError: the method is refused.
        TargetUnavailable: the target lacks a construct, or a call would need a value that cannot be written down.
    """
    function = function_of(method)
    arguments = declared_arguments(function, found, signature)
    compiled = compile_for(function, arguments, {}, found)
    texts = tuple(described(each) for each in arguments.values())
    name = f"{function.__qualname__.replace('.<locals>', '').replace('.', '_')}_{target}{suffix}"
    if apart(function.__name__) != function.__name__:
        message = f"`{function.__name__}` is a name of the generated module's own: give the method another one"
        raise TargetUnavailable(message, "SOMD501")
    try:
        beside = _beside(method, found, compiled, takes_ints(compiled, arguments))
        module, parts = translated_text(compiled, target, texts, beside, name)
    except TargetLacks as lack:
        raise TargetUnavailable(str(lack), lack.code) from lack
    except NotWritable as error:
        raise TargetUnavailable(str(error), "SOMD501") from error
    files = ((f"{name}.py", laid_out(module)), *((name + end, text) for end, text in parts.items()))
    return Translation(function.__qualname__, target, texts, signature is None, files)


def reach_of(method: Method, signature: str | None = None) -> Reach:
    """What the text of a method shows, where parameters are arrays that are such in the signature, or in all that it
    declares.

    Raises:
        SomdCompileError: SOMD406.
        NotKnownYet: it depends on the objects of a call.
    """
    function = function_of(method)
    arrays: set[str] | None = None
    for text in method.signatures if signature is None else (signature,):
        try:
            kinds = dict(zip(parameters_of(function), parse_signature(text), strict=False))
        except ValueError:  # told when it is looked at
            continue
        mine = {name for name, kind in kinds.items() if isinstance(kind, ArrayType)}
        arrays = mine if arrays is None else arrays & mine
    found = reach_of_source(function, method.owner, (arrays if method.owner is None else None) or ())
    found.fastmath = method.fastmath
    return found


def described(kind: Type) -> str:
    """The description that a call gives to an argument of this type."""
    if isinstance(kind, ArrayType):
        return str(kind)
    assert isinstance(kind, ScalarType)
    return str(kind) if kind.weak else f"np.{kind.dtype}"


def signatures_of(method: Method) -> Sequence[str | None]:
    """The declared signatures, or None for the types that the source suggests."""
    return method.signatures or (None,)


def _beside(method: Method, found: Reach, compiled: Compiled, ints: tuple[int, ...]) -> Beside:
    function = function_of(method)
    given = function.__defaults__ or ()
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = dict(zip(names[len(names) - len(given) :], given, strict=True)) | (function.__kwdefaults__ or {})
    raises = raised_names(compiled.plan)
    plain = {name: value for name, value in defaults.items() if isinstance(value, bool | int | float | complex)}
    if not _takes_part(method, compiled):
        return Beside(defaults=plain, raises=raises, takes_ints=ints)
    written = WrittenOut()
    if found.top.objects:
        message = "a partitioner or a function that reduces, in a method of an object, cannot be written into a module"
        raise NotWritable(message)
    for fence, _ in joined_names(compiled.plan):
        root = fence.text.partition(".")[0]
        written.value(root, namespace_of(function)[root])
    written.function(function, function.__name__)
    name = f"{function.__name__}_as_written"
    return Beside(written.maker(name, function.__name__), f"{name}()", plain, raises, ints)


def _takes_part(method: Method, compiled: Compiled) -> bool:
    """Whether a call needs the function as written: a partitioner, or something that reduces."""
    fences = bool(joined_names(compiled.plan))
    return fences or bool(partition_roots(compiled.plan)) or combine_of(function_of(method)) is not None
