"""Precedence, rules, the search for the file, and what is said about mistakes."""

import asyncio
import os
import threading
import timeit
from pathlib import Path

import pytest

from somd.errors import SomdConfigError
from somd.settings import config
from somd.settings.config import Settings, names_of, reload_config, settings_for, use


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, no variables set, nothing cached."""
    for name in ("SOMD_CONFIG", "SOMD_TARGET", "SOMD_WORKERS", "SOMD_SMALL_WORK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(config, "find_config_file", _search_below(tmp_path))
    monkeypatch.chdir(tmp_path)
    reload_config()
    return tmp_path


def _search_below(top: Path):  # type: ignore[no-untyped-def]
    """`find_config_file`, kept from finding a file above `top` on the tester's machine."""
    find = config.find_config_file

    def search(place: Path) -> object:
        found = find(place)
        return found if found is not None and found.path.is_relative_to(top) else None

    return search


def target(name: str = "SOR.run", module: str = "grande.sor", decorator: str | None = None) -> str:
    return settings_for(name, module, decorator).target


def failure(text: str, folder: Path, name: str = "somd.toml") -> SomdConfigError:
    (folder / name).write_text(text)
    reload_config()
    with pytest.raises(SomdConfigError) as caught:
        settings_for("f", "m")
    return caught.value


def test_defaults() -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert settings_for("f", "m") == Settings("multicore", cores or 1, None)


def test_later_sources_override_earlier_ones(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "somd.toml").write_text('workers = 3\ndefault = "opencl"\n[opencl]\ndevice = ["gpu", "cpu"]\n')
    assert settings_for("f", "m") == Settings("opencl", 3, ("gpu", "cpu"), "somd.toml:2", "somd.toml:1", "somd.toml:4")
    decorated = settings_for("f", "m", "multicore", 4)
    assert (decorated.target, decorated.workers) == ("multicore", 4)
    assert (decorated.target_origin, decorated.workers_origin) == ("@somd(target=...)", "@somd(workers=...)")
    monkeypatch.setenv("SOMD_TARGET", "sequential")
    monkeypatch.setenv("SOMD_WORKERS", "5")
    with_environment = settings_for("f", "m", "multicore", 4)
    assert (with_environment.target, with_environment.workers) == ("sequential", 5)
    assert (with_environment.target_origin, with_environment.workers_origin) == ("SOMD_TARGET", "SOMD_WORKERS")
    with use(target="opencl", workers=6, device="PoCL"):
        used = settings_for("f", "m", "multicore", 4)
        assert (used.target, used.workers, used.device) == ("opencl", 6, "PoCL")
        assert used.device_origin == "somd.use(device=...)"
    assert settings_for("f", "m", "multicore", 4) == with_environment


def test_the_bound_on_small_work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings_for("f", "m").small_work is None
    (folder / "somd.toml").write_text("[multicore]\nsmall_work = 70\n")
    reload_config()
    assert settings_for("f", "m").small_work == 70
    monkeypatch.setenv("SOMD_SMALL_WORK", "60")
    assert settings_for("f", "m").small_work == 60
    with use(small_work=0):
        assert settings_for("f", "m").small_work == 0
    for wrong in ("-1", "many", "1" * 5000):
        monkeypatch.setenv("SOMD_SMALL_WORK", wrong)
        with pytest.raises(SomdConfigError, match="SOMD604"):
            settings_for("f", "m")


def test_workers_of_more_digits_than_python_converts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMD_WORKERS", "7" * 5000)
    with pytest.raises(SomdConfigError, match="SOMD604"):
        settings_for("f", "m")


def test_empty_variables_count_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SOMD_CONFIG", "SOMD_TARGET", "SOMD_WORKERS", "SOMD_SMALL_WORK"):
        monkeypatch.setenv(name, "")
    assert target() == "multicore"


def test_the_most_specific_rule_wins(folder: Path) -> None:
    rules = [
        '"*" = "opencl"',
        '"grande.*" = "sequential"',
        '"*.run" = "opencl"',
        '"SOR.run" = "multicore"',
        '"grande.sor.SOR.run" = "sequential"',
        'Crypt.run = "multicore"  # no quotes: a table to TOML',
    ]
    (folder / "somd.toml").write_text("[rules]\n" + "\n".join(rules))
    assert target("SOR.run", "grande.sor") == "sequential"
    assert target("SOR.run", "other") == "multicore"
    assert target("LU.run", "grande.lu") == "sequential"
    assert target("LU.run", "other") == "opencl"
    assert target("Crypt.run", "other") == "multicore"
    assert target("f", "other") == "opencl"
    assert settings_for("SOR.run", "other").target_origin == "somd.toml:5 (rule 'SOR.run')"


def test_of_equal_rules_the_later_one_wins(folder: Path) -> None:
    (folder / "somd.toml").write_text('[rules]\n"a*.f" = "opencl"\n"*a.f" = "sequential"\n')
    assert target("f", "aa") == "sequential"


def test_names_that_rules_may_use() -> None:
    assert names_of("dot", "linalg") == ("linalg.dot",)
    assert names_of("SOR.run", "grande.sor") == ("grande.sor.SOR.run", "sor.SOR.run", "SOR.run")
    assert names_of("make.<locals>.f", "m") == ("m.make.f", "make.f")


def test_the_file_is_found_above_and_the_nearest_wins(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    (folder / "somd.toml").write_text('default = "sequential"')
    monkeypatch.chdir(inner)
    assert target() == "sequential"
    (folder / "a" / "pyproject.toml").write_text('[project]\nname = "x"\n')
    reload_config()
    assert target() == "sequential"
    (folder / "a" / "pyproject.toml").write_text('[project]\nname = "x"\n[tool.somd]\ndefault = "opencl"\n')
    reload_config()
    assert settings_for("f", "m").target_origin == "pyproject.toml:4"
    monkeypatch.chdir(folder)
    assert target() == "sequential"


def test_a_named_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "somd.toml").write_text('default = "sequential"')
    (folder / "mine.toml").write_text('default = "opencl"')
    monkeypatch.setenv("SOMD_CONFIG", "mine.toml")
    assert target() == "opencl"
    monkeypatch.setenv("SOMD_CONFIG", "gone.toml")
    with pytest.raises(SomdConfigError, match=r"SOMD601.*No such file"):
        target()


def test_the_file_is_read_once_until_reload(folder: Path) -> None:
    assert target() == "multicore"
    (folder / "somd.toml").write_text('default = "opencl"')
    assert target() == "multicore"
    reload_config()
    assert target() == "opencl"


def test_broken_toml_is_shown_with_its_line(folder: Path) -> None:
    error = failure("workers = 2\ndefault = multicore\n", folder)
    assert (error.code, error.line, error.file) == ("SOMD601", 2, str(folder / "somd.toml"))
    assert str(error) == (
        "error[SOMD601]: not valid TOML: Invalid value\n"
        " --> somd.toml:2:1\n"
        "  |\n"
        "1 | workers = 2\n"
        "2 | default = multicore\n"
        "  | ^^^^^^^^^^^^^^^^^^^\n"
        '  = help: a string stands in quotes: default = "multicore"\n'
        "  = more: somdc explain SOMD601"
    )


def test_an_unknown_key_names_the_nearest(folder: Path) -> None:
    error = failure('[rules]\n"a.b" = "opencl"\n[opencl]\ndevices = "gpu"\n', folder)
    assert (error.code, error.line) == ("SOMD602", 4)
    assert "unknown key `devices` in `[opencl]`" in str(error)
    assert "did you mean `device`?" in str(error)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("worker = 2", "SOMD602", 1),
        ("\n[rule]\nx = 1", "SOMD602", 2),
        ('default = "gpu"', "SOMD603", 1),
        ("default = 3", "SOMD604", 1),
        ('[rules]\n# "a.b" = "x"\n"a.b" = "cuda"', "SOMD603", 3),
        ('[rules]\na.b = "cuda"', "SOMD603", 2),
        ("rules = 3", "SOMD604", 1),
        ('workers = "4"', "SOMD604", 1),
        ("workers = true", "SOMD604", 1),
        ("workers = 0", "SOMD606", 1),
        ("opencl = { device = 3 }", "SOMD604", 1),
        ("opencl.device = []", "SOMD604", 1),
        ("default = \"multicore\"\ndefault = 'opencl'", "SOMD601", 2),
        ("[rules", "SOMD601", 1),
    ],
)
def test_mistakes_and_their_lines(text: str, code: str, line: int, folder: Path) -> None:
    error = failure(text, folder)
    assert (error.code, error.line) == (code, line)


def test_a_rule_that_can_match_nothing(folder: Path) -> None:
    error = failure('default = "opencl"\n[rules]\n"wave" = "opencl"\n', folder)
    assert (error.code, error.line) == ("SOMD604", 3)
    assert "no method is called `wave`: its name has a dot" in str(error)
    assert """= help: write `"module.wave"`, or `"*.wave"` for a function of any module""" in str(error)


def test_mistakes_in_a_project_file(folder: Path) -> None:
    error = failure('default = "x"\n[tool.somd]\nworkers = 1\ndefault = "x"\n', folder, "pyproject.toml")
    assert (error.code, error.line) == ("SOMD603", 4)
    error = failure("[tool.somd]\nworkers = \n", folder, "pyproject.toml")
    assert (error.code, error.line) == ("SOMD601", 2)


def test_a_project_file_that_is_not_ours_may_be_broken(folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[project\nname = "uses somd"')
    assert target() == "multicore"


def test_a_file_that_is_no_text(folder: Path) -> None:
    (folder / "somd.toml").write_bytes(b"workers = 1\n# \xff\n")
    with pytest.raises(SomdConfigError) as caught:
        target()
    assert (caught.value.code, caught.value.line) == ("SOMD601", 2)


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("SOMD_TARGET", "opncl", "SOMD603"),
        ("SOMD_WORKERS", "many", "SOMD604"),
        ("SOMD_WORKERS", "-1", "SOMD606"),
        ("SOMD_WORKERS", "5000", "SOMD606"),
    ],
)
def test_mistakes_in_variables(name: str, value: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SomdConfigError, match=name) as caught:
        target()
    assert caught.value.code == code


def test_mistakes_in_code() -> None:
    with pytest.raises(SomdConfigError, match="did you mean `opencl`"):
        use(target="openCL")
    with pytest.raises(SomdConfigError, match="SOMD604"):
        use(workers=2.5)  # type: ignore[arg-type]
    with pytest.raises(SomdConfigError, match="SOMD604"):
        use(device=["gpu", ""])
    with pytest.raises(SomdConfigError, match="@somd"):
        settings_for("f", "m", "cuda")


def test_use_nests_and_is_undone_by_an_exception() -> None:
    with use(target="sequential", workers=2):
        with pytest.raises(ZeroDivisionError), use(workers=3):
            assert (target(), settings_for("f", "m").workers) == ("sequential", 3)
            raise ZeroDivisionError
        assert settings_for("f", "m").workers == 2
    assert target() == "multicore"


def test_use_holds_in_its_own_thread_and_task_only() -> None:
    seen: list[str] = []
    with use(target="sequential"):
        thread = threading.Thread(target=lambda: seen.append(target()))
        thread.start()
        thread.join()
    assert seen == ["multicore"]

    async def task(name: str) -> str:
        with use(target=name):
            await asyncio.sleep(0)
            return target()

    async def both() -> list[str]:
        return await asyncio.gather(task("sequential"), task("opencl"))

    assert asyncio.run(both()) == ["sequential", "opencl"]


def test_a_repeated_lookup_is_quick() -> None:
    settings_for("f", "m")
    best = min(timeit.repeat(lambda: settings_for("f", "m", None, None), number=2000, repeat=20)) / 2000
    assert best < 10e-6, "a call should pay about a microsecond here; the limit leaves room for a busy machine"
