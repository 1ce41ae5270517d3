"""What `somd` raises and warns. Light on purpose: the renderer is imported when a message is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from somd.diagnostics.model import Diagnostic


class SomdError(Exception):
    """Base of every error that `somd` raises on its own account.

    `coloured` tells that `str()` is about to go to a terminal.
    """

    coloured = False

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        from somd.diagnostics.refusals import hook

        hook()

    def __str__(self) -> str:
        if not self.coloured:
            return self._text()
        from somd.diagnostics.colours import in_colour

        return in_colour(self._text())

    def _text(self) -> str:
        return super().__str__()

    def _render_traceback_(self) -> list[str]:
        """What IPython shows."""
        from somd.diagnostics.refusals import for_ipython

        return for_ipython(self)


class SomdCompileError(SomdError):
    """A method was refused; `diagnostics` says where and why, and `str()` shows them all."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    @property
    def code(self) -> str:
        """The code of the first diagnostic, such as `SOMD301`."""
        return self.diagnostics[0].code

    def _text(self) -> str:
        from somd.diagnostics.render import render

        return "\n\n".join(render(diagnostic) for diagnostic in self.diagnostics)


class SomdInternalError(SomdCompileError):
    """A bug of the compiler itself (codes 9xx)."""


def without_internals(error: SomdCompileError) -> SomdCompileError:
    """The error of a refused method without the compiler's frames in its traceback; those of a bug stay."""
    return error if isinstance(error, SomdInternalError) else error.with_traceback(None)


class SomdConfigError(SomdError):
    """A configuration file, an environment variable or an option of `use` or `@somd` is wrong.

    `file` and `line` (from 1) are None where the value does not come from a file.
    """

    def __init__(
        self,
        message: str,
        file: str | None = None,
        line: int | None = None,
        code: str = "SOMD601",
        helps: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, file, line, code, helps)
        self.message = message
        self.file = file
        self.line = line
        self.code = code
        self.helps = helps

    def _text(self) -> str:
        from somd.diagnostics.model import Diagnostic, Label
        from somd.diagnostics.render import position_of_line, render

        if self.file is None:
            return render(Diagnostic(self.code, self.message, (), self.helps))
        label = Label(position_of_line(self.file, self.line or 1), "", True)
        return render(Diagnostic(self.code, self.message, (label,), self.helps))


class SomdRuntimeError(SomdError):
    """A call failed for a reason that is neither the method's nor the configuration's; `code` is empty or a 3xx-6xx."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message, code)
        self.message = message
        self.code = code

    def _text(self) -> str:
        if not self.code:
            return self.message
        return f"error[{self.code}]: {self.message}\n = more: somdc explain {self.code}"


class SomdFallbackWarning(UserWarning):
    """A preferred target could not be used; the text gives the reason. Issued once per method."""


class SomdCacheWarning(UserWarning):
    """The cache cannot be used, or others may have written it; the text says what to do. Issued once a process."""
